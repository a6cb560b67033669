import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSanitizer } from '@sallyport/core/observability';
import type { Delivery, EngineChange, Outcome } from '@sallyport/testkit/engines';
import { batchDifferences } from '@sallyport/testkit/events';
import { recordDifferences } from '../differences/record.js';
import { sourceRetry } from '../differences/retry.js';
import type { RunBase } from '../host/base.js';
import type { FunctionAccess } from '../host/host.js';
import type { InvokeOutcome } from '../runtime/invoker.js';
import { invokedArn } from '../runtime/variables.js';
import type { FailureQueues, LastInvocation } from './failures.js';
import type { ReceiversOf } from './receiver.js';
import type { SpeedClock } from './speed-clock.js';

const PREVIEW_CHARACTERS = 200;
const MAX_REMEMBERED = 10_000;

/** A source, as its run identifies it. */
export interface SourceIdentity {
  readonly kind: string;
  readonly name: string;
  /** True if AWS queues its events before it invokes the function. */
  readonly isAsynchronous: boolean;
}

/** Facts about a delivery. */
export interface DeliverOptions<R> {
  /** Returns the trace that a record continues. */
  readonly traceOf?: (id: string, record: R) => string | undefined;
  /** `reportBatchItemFailures` of the mapping; `undefined` if no setting states it. Default for a source without mapping: `true`. */
  readonly reportsFailures?: boolean | undefined;
  /** The settings of the source, for the time of the next delivery. */
  readonly settings?: object;
  /** The function, in a run of several functions; default: the functions that have the source. */
  readonly function?: string | undefined;
}

/** The services of the run that each source uses. */
export interface SourceContext {
  readonly clock: SpeedClock;
  /** True if the function has a handler for the source. */
  hasHandler(kind: string, name: string): boolean;
  readonly receiversOf: ReceiversOf;
  /** Delivers a batch of an engine to the function. */
  deliver<R>(source: SourceIdentity, delivery: Delivery<R>, options?: DeliverOptions<R>): Promise<Outcome>;
  /** Records the new state of a record in the journal. */
  changed<R>(source: SourceIdentity, change: EngineChange<R>, fn?: string): void;
  /** Notifies the console that the filters of a source dropped a record. */
  filtered(source: SourceIdentity): void;
  /** A string or value in the form that the console shows. */
  preview(value: unknown): string;
  notice(text: string): void;
  /** The ARN of a function in records of failures; default: the function of the run. */
  readonly functionArn: (fn?: string) => string;
  /** The last invocation of a function with a record; `undefined` if it was not delivered. */
  readonly lastInvocationOf: (id: string, fn?: string) => LastInvocation | undefined;
  readonly failures: FailureQueues;
}

/** The context of a run: deliveries are sent to its invoker, changes to its journal. */
export function createSourceContext(
  host: RunBase & FunctionAccess,
  clock: SpeedClock,
  hasHandler: SourceContext['hasHandler'],
  failures: FailureQueues,
  receiversOf: ReceiversOf,
): SourceContext {
  const sanitizer = createSanitizer();
  const lastInvocation = new Map<string, number>();
  const lastOutcome = new Map<string, LastInvocation>();

  const changedNow = new Set<string>();

  /** Many records can change at the same time; the console reads a source again once. */
  function noteOnce(text: string): void {
    if (changedNow.has(text)) return;
    changedNow.add(text);
    setImmediate(() => {
      changedNow.delete(text);
      host.journal.note({ at: host.clock.now().getTime(), topic: 'sources', text });
    });
  }

  const assumed = new Set<string>();

  /** Reports, once for each source, that failed records are retried only with a setting that was not found. */
  function assumeReports(source: string): void {
    if (assumed.has(source)) return;
    assumed.add(source);
    // A CDK project states it in its stack, whose manifest is written by `cdk synth`.
    if (existsSync(join(host.config.folder, 'cdk.json'))) return;
    host.notice(
      `${source}: the response reports failed records, which relies on ReportBatchItemFailures of the event source mapping. ` +
        'No manifest, template or sallyport.json states it ("reportBatchItemFailures"); without it AWS treats the batch as a success',
    );
  }

  /** Adds to the record of a delivery what AWS would lose, and when it would deliver again. */
  function recordDelivery(
    source: SourceIdentity,
    outcome: InvokeOutcome,
    options: Omit<DeliverOptions<never>, 'traceOf'>,
  ): void {
    const { settings = {} } = options;
    const answer = outcome.ok ? outcome.answer : undefined;
    const isPartial = reportsFailure(answer);
    const lost = 'reportsFailures' in options ? batchDifferences(answer, options.reportsFailures) : [];
    const isRetried = (!outcome.ok && outcome.reason !== 'stopped') || (isPartial && options.reportsFailures !== false);
    const next = isRetried ? [sourceRetry(source.kind, settings as Readonly<Record<string, unknown>>)] : [];
    recordDifferences(host, outcome.id, [...lost, ...next]);
    const isAssumed = 'reportsFailures' in options && options.reportsFailures === undefined;
    if (isAssumed && isPartial) assumeReports(`${source.kind} ${source.name}`);
  }

  const keyOf = (id: string, fn: string | undefined) => (fn === undefined ? id : `${fn} ${id}`);

  return {
    clock,
    hasHandler,
    receiversOf,
    async deliver(source, { event, records }, options = {}) {
      const { kind, name, isAsynchronous } = source;
      const { traceOf = () => undefined, function: fn } = options;
      const recordIds = records.map(({ id }) => id);
      const traceId = records.map(({ id, record }) => traceOf(id, record)).find((trace) => trace !== undefined);
      const outcome = await host.invoker.invoke(event, {
        origin: { kind, target: name, recordIds, ...(fn !== undefined && { function: fn }) },
        whenBusy: 'wait',
        asynchronous: isAsynchronous,
        ...(traceId !== undefined && { traceId }),
      });
      const { requestId } = outcome;
      const last = { requestId, error: outcome.ok ? undefined : outcome.error };
      for (const id of recordIds) {
        remember(lastInvocation, keyOf(id, fn), outcome.id);
        remember(lastOutcome, keyOf(id, fn), last);
      }
      recordDelivery(source, outcome, options);
      return outcome.ok ? { answer: outcome.answer } : { error: outcome.error };
    },
    changed({ kind, name }, { id, state, deliveries, until }, fn) {
      const invocation = lastInvocation.get(keyOf(id, fn));
      const source = `${kind} ${name}`;
      const at = host.clock.now().getTime();
      const back = until === undefined ? null : clock.toEpochMs(until);
      if (invocation !== undefined && state !== 'in-flight') {
        host.journal.append(invocation, 'changes', { at, source, recordId: id, state, deliveries, until: back });
      }
      noteOnce(source);
    },
    filtered: ({ kind, name }) => noteOnce(`${kind} ${name}`),
    preview(value) {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      const shown = host.config.reveal ? text : clean(text, sanitizer.sanitizeJson, sanitizer.scrubFreeText);
      return shown.length > PREVIEW_CHARACTERS ? `${shown.slice(0, PREVIEW_CHARACTERS)}…` : shown;
    },
    notice: (text) => host.notice(text),
    functionArn: (fn = host.config.name) => invokedArn(fn, {}),
    lastInvocationOf: (id, fn) => lastOutcome.get(keyOf(id, fn)),
    failures,
  };
}

function reportsFailure(answer: unknown): boolean {
  const { batchItemFailures } = (answer ?? {}) as { readonly batchItemFailures?: unknown };
  return Array.isArray(batchItemFailures) && batchItemFailures.length > 0;
}

function clean(text: string, json: (text: string) => string, prose: (text: string) => string): string {
  return /^\s*[[{]/.test(text) ? json(text) : prose(text);
}

/** Adds a value to a map, and removes the oldest value of a full map. */
export function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  const [oldest] = map.size > MAX_REMEMBERED ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

/** An id that is unique over all runs: handlers store ids in tables that are kept between runs. */
export function newId(): string {
  return randomUUID();
}
