import { type FullClock, type LambdaContext, type Logger, systemClock } from '@sallyport/core';
import { bytesOfJson, withDeadline } from '@sallyport/core/internal';
import { createLogger, type Sanitizer } from '@sallyport/core/observability';
import { defineOptions, func, integer, list, number, text, withMethods } from '@sallyport/core/options';
import { EventCleaner } from './internal/event-cleaner.js';
import { Pseudonyms } from './internal/pseudonyms.js';
import { RECORDING_SCHEMA, type Recording, tryDetect } from './recording.js';

/** Options of {@link createRecorder}. */
export interface RecorderOptions {
  /** Stores a recording, for example in a bucket. It is called after the answer is known; the recorder waits up to two seconds for its result. */
  readonly write: (recording: Recording) => unknown;
  /** Sanitizer that hides secrets; pass your own for custom rules: `createSanitizer({ redact: [...] })`. Default: the built-in rules. */
  readonly sanitizer?: Sanitizer;
  /** The share of invocations that is recorded, from 0 to 1. Default: 0.01. */
  readonly sample?: number;
  /** Most bytes of an event's JSON; a larger one is not recorded. Default: 262,144. */
  readonly maxBytes?: number;
  /** Names of queues, streams, tables and topics that are kept, so that a replay finds its handler. Default: none. */
  readonly keepNames?: readonly string[];
  /** Returns a number from 0 to 1 for each invocation; the invocation is recorded if it is less than `sample`. Default: `Math.random`. */
  readonly random?: () => number;
  /** The clock of `recorded_at` and of the deadline. Default: the system clock. */
  readonly clock?: FullClock;
  /** Logger for failed recordings. Default: one JSON line to standard output. */
  readonly log?: Logger;
}

/** Validators and defaults for {@link RecorderOptions}. */
export const RECORDER_OPTIONS = defineOptions<RecorderOptions>()({
  write: func<RecorderOptions['write']>().required(),
  sanitizer: withMethods<Sanitizer>('sanitizeFieldValue', 'scrubFreeText'),
  sample: number(0, 1).default(0.01),
  maxBytes: integer(1).default(262_144),
  keepNames: list(text()).default([]),
  random: func<() => number>().default(Math.random),
  clock: withMethods<FullClock>('now', 'after'),
  log: withMethods<Logger>('warn'),
});

/** Records events of a handler. */
export interface Recorder {
  /** Wraps a handler and records a sample of its events. Answers and errors are passed through unchanged. */
  wrap<A>(
    handler: (event: unknown, lambdaContext?: LambdaContext) => Promise<A>,
  ): (event: unknown, lambdaContext?: LambdaContext) => Promise<A>;
}

/** Deadline of a write after the answer is known, in milliseconds. */
const WRITE_DEADLINE_MS = 2000;

/**
 * Makes a recorder of real events: sanitized copies of the same shape, in which ids, names, addresses and accounts are replaced,
 * for `loadRecording` in tests. A recording is not written if it fails, or if the sanitized event would be of another kind.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const recorder = createRecorder({ write: (recording) => bucket.put(recording), sample: 0.001 });
 * export const handler = recorder.wrap(app.handleLambda);
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { write, sanitizer, sample, maxBytes, keepNames, random, ...parts } = RECORDER_OPTIONS.parse(options);
  const clock = parts.clock ?? systemClock;
  const pseudonyms = new Pseudonyms();

  const record = (event: unknown, context: LambdaContext | undefined): Recording | undefined => {
    const kind = tryDetect(event);
    if (kind === '' || bytesOfJson(event) > maxBytes) return undefined;
    const { event: clean, redactions } = new EventCleaner(sanitizer, pseudonyms, keepNames).clean(event);
    if (tryDetect(clean) !== kind) throw new Error('the sanitized event is of another kind');
    const tenant = context?.tenantId ? pseudonyms.ofName(context.tenantId) : '';
    const remaining = Math.max(0, Math.round(context?.getRemainingTimeInMillis?.() ?? 0));
    return {
      schema: RECORDING_SCHEMA,
      kind,
      recorded_at: clock.now().toISOString(),
      event: clean,
      lambda: { remaining_ms: remaining, tenant },
      redactions,
    };
  };

  const attempt = async (run: () => unknown): Promise<void> => {
    try {
      await run();
    } catch (error) {
      const log = parts.log ?? createLogger();
      log.warn('framework: event not recorded', { reason: error instanceof Error ? error.message : 'not an error' });
    }
  };

  return {
    wrap: (handler) => async (event, lambdaContext) => {
      let recording: Recording | undefined;
      // Before the handler, which may change the event.
      if (random() < sample) await attempt(() => (recording = record(event, lambdaContext)));
      try {
        return await handler(event, lambdaContext);
      } finally {
        const made = recording;
        if (made)
          await attempt(() =>
            withDeadline({ ms: WRITE_DEADLINE_MS, clock, signal: undefined }, async () => write(made)),
          );
      }
    },
  };
}
