import type { Logger } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';
import { defineOptions, func, integer, parsed } from '@sallyport/core/options';
import { storeUntil } from '@sallyport/dynamo';
import { StoredError } from '../error-envelope.js';
import { isConflict, JOB_ERRORS, JobLedgerError } from '../errors.js';
import { fingerprintOf, idOption, MAX_TTL_SECONDS, signalOption, textOption } from '../internal/input.js';
import { toJson } from '../internal/rows.js';
import { mayPass } from '../internal/store-end.js';
import type { JobLedger } from '../ledger/ledger.js';
import { holdKey, termOf } from './internal/hold-key.js';
import { MAX_IN_PROGRESS_MS, MIN_IN_PROGRESS_MS } from './internal/idempotency-records.js';
import type { BeginIdempotencyInput, IdempotencyHandle, IdempotencyRecord } from './record.js';

/** Options of all functions that run work under an idempotency key. */
export const TIME_OPTIONS = {
  inProgressMs: integer(MIN_IN_PROGRESS_MS, MAX_IN_PROGRESS_MS, 'milliseconds'),
  resultTtlSeconds: integer(1, MAX_TTL_SECONDS, 'seconds'),
};

/** Options of {@link runIdempotent}. */
export interface RunIdempotentOptions {
  /** The namespace of the key, 1 to 256 bytes: keys are unique within a scope. */
  readonly scope: string;
  /** The key: a string of any length. */
  readonly key: string;
  /** SHA-256 of the request or message, 64 lower-case hex digits. The same key with another fingerprint is rejected. */
  readonly fingerprint?: string;
  /**
   * Milliseconds after which the key of a crashed owner is free again, 1,000 to 31,622,400,000 (366 days). While the work runs, the
   * key is renewed at 30 % of this time. Default 50,000, at most `remainingMs` plus one second. Required with `executionId`: the
   * time limit of the execution, which is not renewed.
   */
  readonly inProgressMs?: number;
  /** The durable execution that runs this. */
  readonly executionId?: string;
  /** Seconds for which the stored result is returned, 1 to 3,155,760,000. Default 86,400. */
  readonly resultTtlSeconds?: number;
  /**
   * Remaining milliseconds of the caller, such as `ctx.remainingMs`. Until then the key is renewed and storing the result is
   * retried. Default 900,000, the longest timeout of a function; with `executionId` the value of `inProgressMs`.
   */
  readonly remainingMs?: number;
  /** Called with the record when the stored value is returned and the work does not run. Its errors are ignored. */
  readonly onReplay?: (record: IdempotencyRecord) => void;
  /** Ends the call before the work begins, and aborts the signal of the work. */
  readonly signal?: AbortSignal;
}

/** The argument of the work of {@link runIdempotent}. */
export interface IdempotentRun {
  /** An id of this run: pass it to the resources that the work changes, so that two runs can be distinguished. */
  readonly owner: string;
  /** Latest time until which the run has the key, in Unix milliseconds by the ledger's clock. After that another caller may run the work. */
  readonly deadlineMs: number;
  /** Aborts at the deadline, when the key could not be renewed, or when the option `signal` aborts. */
  readonly signal: AbortSignal;
}

/** The type of a value after a JSON round trip: a `Date` becomes a string, omitted members are `undefined`. */
export type Stored<T> = unknown extends T
  ? T
  : T extends { toJSON(...args: never): infer J }
    ? J
    : T extends string | number | boolean | null | undefined
      ? T
      : T extends readonly (infer E)[]
        ? Stored<E>[]
        : T extends object
          ? { [K in keyof T]: Stored<T[K]> }
          : T;

/** The option `fingerprint`. */
const fingerprintOption = parsed('64 lower-case hex digits of a SHA-256', (value) => fingerprintOf(value, JOB_ERRORS));

/** Validators and defaults for {@link RunIdempotentOptions}. */
export const RUN_OPTIONS = defineOptions<RunIdempotentOptions>()(
  {
    scope: idOption.required(),
    key: textOption.required(),
    fingerprint: fingerprintOption,
    executionId: textOption,
    signal: signalOption,
    remainingMs: integer(0, MAX_IN_PROGRESS_MS, 'milliseconds'),
    onReplay: func<(record: IdempotencyRecord) => void>(),
    ...TIME_OPTIONS,
  },
  { fail: JOB_ERRORS.invalid },
);

/**
 * Runs work once for a key. A second call returns the stored value, or throws the stored error. If the work throws, the key is
 * released. All callers, including the first, receive the value after a JSON round trip.
 *
 * Storing the value is retried until the deadline. If this fails (another caller took over the key, or the store is unavailable),
 * the call still returns the value and logs one `warn`. In that case the work may run again.
 *
 * @throws JobLedgerError conflict `in_progress` with `retryAfterMs`, `payload_mismatch`, `result_omitted`; StoredError
 * @example
 * await runIdempotent(ledger, { scope: 'invoices', key: order.id }, ({ signal, owner }) => charge(order, { signal, owner }));
 */
export async function runIdempotent<T>(
  ledger: JobLedger,
  options: RunIdempotentOptions,
  work: (run: IdempotentRun) => Promise<T>,
): Promise<{ readonly value: Stored<T>; readonly replayed: boolean }> {
  const { scope, key, fingerprint, executionId, inProgressMs, remainingMs, ...rest } = RUN_OPTIONS.parse(options);
  if (executionId !== undefined && inProgressMs === undefined) {
    throw JOB_ERRORS.invalid('option "inProgressMs" is required with "executionId"');
  }
  const outcome = await runOnce<T>({
    ledger,
    begin: {
      scope,
      key,
      ...(fingerprint !== undefined && { fingerprint }),
      ...(executionId !== undefined && { executionId }),
    },
    inProgressMs,
    remainingMs,
    resultTtlSeconds: rest.resultTtlSeconds,
    signal: rest.signal,
    log: ledger.log,
    run: async (run) => work(run),
    keep: (value) => ({ result: value }),
  });
  if (outcome.kind === 'in_progress') throw inProgressError(outcome.retryAfterMs);
  if (outcome.kind === 'ran') return { value: asStored(outcome.value), replayed: false };
  guardHook(rest.onReplay, outcome.record);
  const { error, result, resultOmitted } = outcome.record;
  if (error) throw new StoredError(error);
  if (resultOmitted) throw JOB_ERRORS.conflict('result_omitted');
  return { value: result as Stored<T>, replayed: true };
}

/** The value after a JSON round trip. A value that JSON cannot represent is returned unchanged, because it is not stored. */
export function asStored<T>(value: T): Stored<T> {
  try {
    const json = toJson('result', value, JOB_ERRORS);
    return (json === undefined ? undefined : JSON.parse(json)) as Stored<T>;
  } catch {
    return value as Stored<T>;
  }
}

/** Decision about the work's first value. */
export type Keep =
  /** The value is stored and returned by later calls. */
  | { readonly result: unknown }
  /** The key is freed: the next call runs again. */
  | 'abandon';

export interface RunOptions<T> {
  readonly ledger: JobLedger;
  readonly begin: Omit<BeginIdempotencyInput, 'inProgressMs' | 'ttlSeconds'>;
  /** The option `inProgressMs`. */
  readonly inProgressMs: number | undefined;
  /** Remaining milliseconds of the invocation; 0 or `undefined` if unknown. */
  readonly remainingMs: number | undefined;
  readonly resultTtlSeconds: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly log: Logger;
  run(run: IdempotentRun): Promise<T>;
  keep(value: T): Keep;
}

export type RunOutcome<T> =
  | { readonly kind: 'ran'; readonly value: T }
  | { readonly kind: 'in_progress'; readonly retryAfterMs: number }
  | { readonly kind: 'stored'; readonly record: IdempotencyRecord };

/** Runs work once for a key. After the work has run, a failure of the ledger does not fail the call. */
export async function runOnce<T>(options: RunOptions<T>): Promise<RunOutcome<T>> {
  const { ledger, begin, signal } = options;
  const term = termOf(options);
  const inProgressMs = term.markMs(ledger.clock.now().getTime());
  const start = await ledger.beginIdempotency({ ...begin, inProgressMs }, { signal });
  if (start.outcome === 'already_in_progress') return { kind: 'in_progress', retryAfterMs: start.retryAfterMs };
  if (start.outcome === 'already_completed') return { kind: 'stored', record: start.record };
  const { handle } = start;
  const held = holdKey(ledger, handle, term, signal);
  try {
    let value: T;
    let keep: Keep;
    try {
      value = await options.run({ owner: handle.owner, deadlineMs: term.deadlineMs, signal: held.signal });
      keep = options.keep(value);
    } catch (error) {
      await abandon(options, handle);
      throw error;
    }
    if (keep !== 'abandon') return await complete({ ...options, handle, deadlineMs: term.deadlineMs }, value, keep);
    await abandon(options, handle);
    return { kind: 'ran', value };
  } finally {
    held.stop();
  }
}

interface Completion<T> extends RunOptions<T> {
  readonly handle: IdempotencyHandle;
  readonly deadlineMs: number;
}

/** Stores the result of the work. It is retried until the deadline, so that the work is not repeated. */
async function complete<T>(
  options: Completion<T>,
  value: T,
  { result }: Exclude<Keep, 'abandon'>,
): Promise<RunOutcome<T>> {
  const { ledger, log, begin, deadlineMs } = options;
  try {
    const timedOut = (cause: Error) => JOB_ERRORS.unavailable(true, cause);
    await storeUntil({ clock: ledger.clock, deadlineMs, timedOut, mayPass }, (writeId, signal) =>
      store(options, { result, writeId, signal }),
    );
  } catch (error) {
    log.warn('result was not stored', { scope: begin.scope, error });
    if (isConflict(error, 'already_completed')) {
      const record = await ledger.getIdempotencyRecord({ scope: begin.scope, key: begin.key }).catch(() => undefined);
      if (record?.status === 'COMPLETED') return { kind: 'stored', record };
    }
  }
  return { kind: 'ran', value };
}

/** Omits a value that is not JSON, because the work has run and must not run again. */
async function store<T>(
  { ledger, resultTtlSeconds, log, begin, handle }: Completion<T>,
  { result, writeId, signal }: { readonly result: unknown; readonly writeId: string; readonly signal: AbortSignal },
) {
  const common = { writeId, ...(resultTtlSeconds !== undefined && { resultTtlSeconds }) };
  try {
    await ledger.completeIdempotency(handle, { ...common, result }, { signal });
  } catch (error) {
    if (!(error instanceof JobLedgerError) || error.type !== 'invalid_input') throw error;
    log.warn('result is not a JSON value and was not stored', { scope: begin.scope });
    await ledger.completeIdempotency(handle, { ...common, resultOmitted: true }, { signal });
  }
}

/** Releases a key. If that fails, the key is free when its time is over. */
async function abandon<T>({ ledger, log, begin }: RunOptions<T>, handle: IdempotencyHandle): Promise<void> {
  try {
    await ledger.abandonIdempotency(handle);
  } catch (error) {
    log.warn('key was not freed', { scope: begin.scope, error });
  }
}

export function inProgressError(retryAfterMs: number): Error {
  return JOB_ERRORS.conflict('in_progress', { retryAfterMs });
}

/**
 * The durable execution of an invocation. It may last much longer than the invocation.
 *
 * @throws JobLedgerError `invalid_input` for a durable execution without `inProgressMs`
 */
export function executionOf(lambdaContext: unknown, inProgressMs: number | undefined): string | undefined {
  const { executionContext } = (lambdaContext ?? {}) as { executionContext?: { durableExecutionArn?: unknown } | null };
  const arn = executionContext?.durableExecutionArn;
  if (typeof arn !== 'string' || arn === '') return undefined;
  if (inProgressMs === undefined)
    throw JOB_ERRORS.invalid('option "inProgressMs" is required within a durable execution');
  return arn;
}
