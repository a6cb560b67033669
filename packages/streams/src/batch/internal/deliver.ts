import { FrameworkError, type LambdaContext } from '@sallyport/core';
import { bytesOfJson, LAMBDA_MAX_ANSWER_BYTES, logRefusal, type Scoped } from '@sallyport/core/internal';
import { deadlineExceeded, streamsError } from '../../errors.js';
import {
  type CreateObserver,
  type Observer,
  reportNoHandler,
  reportRecord,
} from '../../observability/internal/observer.js';
import { type RouterSettings, warn } from '../../router/internal/settings.js';
import type { HandlerLookup } from '../../router/registry.js';
import type { BatchReport } from '../../sources/queue.js';
import { type LooseRecord, readRecords, type SourceDefinition } from '../../sources/source.js';
import { callWrapped } from '../handler.js';
import { RecordBatch, RecordContext } from './record-batch.js';
import { BatchRun, type Run, reportOf } from './run.js';

/** The settings of a router for its batches. */
export interface BatchRouting {
  readonly settings: RouterSettings;
  readonly handlers: HandlerLookup;
  /** Absent when there is neither a hook nor a tracer. */
  readonly createObserver?: CreateObserver | undefined;
}

/**
 * The records of a supported event.
 *
 * @throws FrameworkError `streams.invalid_event`, or the reason why the event is not supported; both are logged before
 */
export function recordsOf(
  { log }: RouterSettings,
  definition: SourceDefinition,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
): readonly LooseRecord[] {
  try {
    definition.assertSupported?.(event);
    const records = readRecords(event);
    if (records === undefined) throw streamsError('streams.invalid_event', 'event has no records');
    return records;
  } catch (error) {
    logRefusal(log, error as FrameworkError, lambdaContext, definition.kind);
    throw error;
  }
}

/** The run of a batch. In a durable execution it is the execution's own, so that its code is in no other bundle. */
function createRun(batch: RecordBatch, observer: Observer | undefined): Run {
  const scope = (batch.lambdaContext as Scoped | undefined)?.['sallyport.execution'];
  return (
    (scope?.createRun(batch, observer, RecordContext, callWrapped, reportRecord) as Run | undefined) ??
    new BatchRun(batch, observer)
  );
}

/** Passes the records of a batch to their handlers, and reports the records that did not complete. */
export async function deliverBatch(
  { settings, handlers, createObserver }: BatchRouting,
  definition: SourceDefinition,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
): Promise<BatchReport> {
  const records = recordsOf(settings, definition, event, lambdaContext);
  const batch = new RecordBatch(settings, definition, lambdaContext, records, handlers.find(definition, records));
  const observer = createObserver?.(batch);
  const run = createRun(batch, observer);
  const unhandled = batch.matches.indexOf(undefined);
  if (unhandled >= 0) {
    run.stoppedBy = 'no_handler';
    reportNoHandler(batch, unhandled, handlers.noHandler(definition, batch.recordAt(unhandled)));
  } else await (observer ? observer.runBatch(() => run.complete()) : run.complete());
  observer?.batchEnded(run);
  warnOfDeadline(run, batch);
  const kept = batch.end();
  if (kept) await kept;
  if (failsWhole(run, batch)) throw batchFailed(settings, run.failure?.thrown);
  return reportOf(run, batch);
}

/** True if the invocation fails instead of reporting every record: all registrations have `failWhole`. */
function failsWhole(run: Run, { records, matches }: RecordBatch): boolean {
  if (records.length === 0 || !matches.every((match) => match?.entry.failsWhole === true)) return false;
  return records.every((_record, index) => !run.isDone(index));
}

/** The message of the first error is logged; with `maskErrors` it appears only in the log. */
function batchFailed(settings: RouterSettings, thrown: unknown): FrameworkError {
  const text = 'framework: no record of the batch was handled';
  const cause = thrown === undefined ? undefined : toThrown(settings, thrown);
  return new FrameworkError('streams.batch_failed', text, { cause });
}

/** Passes records, or the one event, to their handlers, and returns their results. The first failure is thrown. */
export async function deliverEvents(
  { settings, handlers, createObserver }: BatchRouting,
  definition: SourceDefinition,
  records: readonly LooseRecord[],
  lambdaContext: LambdaContext | undefined,
): Promise<unknown[]> {
  const batch = new RecordBatch(settings, definition, lambdaContext, records, handlers.find(definition, records));
  const observer = createObserver?.(batch);
  const unhandled = batch.matches.indexOf(undefined);
  if (unhandled >= 0) {
    const error = handlers.noHandler(definition, batch.recordAt(unhandled));
    reportRecord(batch, unhandled, { thrown: error });
    observer?.recordEnded(unhandled, { thrown: error });
    await batch.end();
    throw error;
  }
  const run = await runAll(batch, observer);
  return writable(resultsOf(run, settings), batch);
}

/**
 * The results, with `null` for each that the runtime could not send: a value that JSON cannot write, or more than 6 MB in all. Otherwise
 * the invocation would fail, and Lambda would repeat work that is done.
 */
function writable(results: unknown[], { settings, definition }: RecordBatch): unknown[] {
  // Each result has room for `null`.
  let left = LAMBDA_MAX_ANSWER_BYTES - '[]'.length - 'null,'.length * results.length;
  return results.map((result) => {
    const more = bytesOfJson(result) - 'null'.length;
    if (more <= left) {
      left -= more;
      return result;
    }
    warn(settings, 'streams.result_dropped', { trigger: definition.kind });
    return null;
  });
}

/** The results of all records. @throws the error of the first failed record, masked for the service if required */
export function resultsOf(run: Run, settings: RouterSettings): unknown[] {
  if (run.failure) throw toThrown(settings, run.failure.thrown);
  if (run.notTried > 0) throw deadlineExceeded();
  return run.results;
}

/** Runs a batch in which every record has a handler, and waits for its pending deliveries. */
export async function runAll(batch: RecordBatch, observer: Observer | undefined): Promise<Run> {
  const run = createRun(batch, observer);
  await (observer ? observer.runBatch(() => run.complete()) : run.complete());
  observer?.batchEnded(run);
  warnOfDeadline(run, batch);
  await batch.end();
  return run;
}

/** Logs one line with the number of records that did not start because of the deadline. */
function warnOfDeadline(run: Run, { settings, definition }: RecordBatch): void {
  const notTried = run.stoppedBy === 'deadline' ? run.notTried : 0;
  if (notTried > 0) warn(settings, 'streams.deadline', { trigger: definition.kind, not_tried: notTried });
}

/** The error that the service receives for a failure: its message is sent to destinations and dead-letter queues. */
export function toThrown(settings: RouterSettings, thrown: unknown): unknown {
  if (!settings.maskErrors && isError(thrown)) return thrown;
  return new FrameworkError('streams.handler_failed', settings.failureText, { cause: thrown });
}

/** Errors of another realm, such as a `vm` context, are not an `instanceof` our `Error`. */
function isError(value: unknown): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
