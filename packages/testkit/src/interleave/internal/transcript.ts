import type { AsyncLocalStorage } from 'node:async_hooks';
import type { FullClock, Logger } from '@sallyport/core';
import { createRecording, type Recording, type Records } from '../../env/records.js';

/** A separate recording for each invocation, with one shared logger and one set of hooks. */
export interface SplitRecording {
  /** The logger and hooks for the container. */
  readonly shared: Recording;
  of(invocation: number): Recording;
}

/** Assigns each record to the invocation in whose asynchronous context it was written. */
export function splitRecording(clock: FullClock, running: AsyncLocalStorage<number>): SplitRecording {
  const byInvocation = new Map<number, Recording>();
  const of = (invocation: number) => {
    const recording = byInvocation.get(invocation) ?? createRecording(clock);
    byInvocation.set(invocation, recording);
    return recording;
  };
  const current = () => of(running.getStore() ?? -1);
  return {
    of,
    shared: {
      records: of(-1).records,
      log: forward(() => current().log),
      observability: {
        log: (record) => current().observability.log(record),
        metric: (record) => current().observability.metric(record),
        span: { start: (...args) => current().observability.span.start(...args) },
      },
    },
  };
}

/** A logger that selects its target for each line. */
function forward(target: () => Logger): Logger {
  return {
    debug: (...line) => target().debug(...line),
    info: (...line) => target().info(...line),
    warn: (...line) => target().warn(...line),
    error: (...line) => target().error(...line),
    isEnabled: (level) => target().isEnabled(level),
    with: (fields) => forward(() => target().with(fields)),
  };
}

/** Observable behaviour of an invocation, in a form that is equal for equal runs. */
export type Transcript = Readonly<Record<'outcome' | 'logs' | 'metrics' | 'spans', readonly string[]>>;

/** Durations, which also depend on other invocations. */
const DURATIONS = new Set(['duration_ms', 'remaining_ms', 'remainingMs', 'durationMs']);
const GENERATED = /test-id-\d+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Generated ids and times are replaced by the order in which they first appear. */
export function transcribe(outcome: unknown, { logs, metrics, spans }: Records): Transcript {
  const names = new Map<string, string>();
  const normalize = (text: string) =>
    text.replace(GENERATED, (generated) => {
      const kind = generated.startsWith('test-id') ? 'id' : 'time';
      const name = names.get(generated) ?? `<${kind}-${names.size + 1}>`;
      names.set(generated, name);
      return name;
    });
  const lines = (list: readonly unknown[]) => list.map((entry) => normalize(JSON.stringify(plain(entry))));
  return { outcome: lines([outcome]), logs: lines(logs), metrics: lines(metrics), spans: lines(spans) };
}

/**
 * The first difference between two transcripts, in words; `undefined` if they are equal. The order of records does not count,
 * because an invocation may process the records of a batch concurrently.
 */
export function firstDifference(expected: Transcript, found: Transcript): string | undefined {
  for (const part of ['outcome', 'logs', 'metrics', 'spans'] as const) {
    if (withoutOrder(expected[part]) === withoutOrder(found[part])) continue;
    const length = Math.max(expected[part].length, found[part].length);
    for (let index = 0; index < length; index += 1) {
      const [alone, together] = [expected[part][index], found[part][index]];
      if (alone !== together)
        return `${part}[${index}]\n  alone:    ${alone ?? '(absent)'}\n  together: ${together ?? '(absent)'}`;
    }
  }
  return undefined;
}

function withoutOrder(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/<(id|time)-\d+>/g, '<$1>'))
    .sort()
    .join('\n');
}

/** A value with sorted keys, so that equal data has equal JSON. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined && typeof member !== 'function');
    const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(sorted.map(([key, member]) => [key, DURATIONS.has(key) ? 0 : plain(member)]));
  }
  return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : value;
}
