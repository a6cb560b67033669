import { FrameworkError, type LambdaContext } from '@sallyport/core';
import { deadlineExceeded, streamsError } from '../../errors.js';
import { reportRecord, reportStranger } from '../../observability/internal/report.js';
import type { Kernel } from '../../router/internal/kernel.js';
import { noHandler } from '../../router/internal/no-handler.js';
import type { Resolver } from '../../router/internal/registry.js';
import { warn } from '../../router/internal/warn.js';
import type { BatchReport } from '../../sources/event-types.js';
import { type LooseRecord, readRecords } from '../../sources/internal/loose-record.js';
import type { BatchKind } from '../../sources/source.js';
import { countUntried, identifierOf, toReport } from './outcomes.js';
import { Delivery } from './record-batch.js';
import { Run } from './run.js';

/**
 * The records of an event.
 *
 * @throws FrameworkError `streams.invalid_event`
 */
export function recordsOf(event: unknown): readonly LooseRecord[] {
  const records = readRecords(event);
  if (records === undefined) throw streamsError('streams.invalid_event', 'event has no records');
  return records;
}

/** Hands the records of a batch to their handlers and reports those that did not complete. */
export async function deliverBatch(
  kernel: Kernel,
  registry: Resolver,
  kind: BatchKind,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
): Promise<BatchReport> {
  const records = recordsOf(event);
  const delivery = new Delivery(kernel, kind, lambdaContext, records, registry.resolve(kind, records));
  const identify = identifierOf(kind, kernel.streamIdentifier);
  const observer = kernel.observe?.(delivery, true);
  const run = new Run(delivery, observer, identify);
  const stranger = delivery.targets.indexOf(undefined);
  if (stranger >= 0) {
    const error = noHandler(kind, registry.whyNoHandler(kind, delivery.recordAt(stranger)));
    run.refuse(error);
    reportStranger(delivery, stranger, error);
  } else await (observer ? observer.runBatch(() => run.complete()) : run.complete());
  observer?.batchEnded(run);
  warnOfDeadline(run, delivery);
  const kept = delivery.end();
  if (kept) await kept;
  return toReport(records, run.states, identify);
}

/** Hands records, or the one event, to their handlers and answers their results; the first failure is thrown. */
export async function deliverEvents(
  kernel: Kernel,
  registry: Resolver,
  kind: 'topic' | 'event-bus',
  records: readonly LooseRecord[],
  lambdaContext: LambdaContext | undefined,
): Promise<unknown[]> {
  const delivery = new Delivery(kernel, kind, lambdaContext, records, registry.resolve(kind, records));
  const observer = kernel.observe?.(delivery, false);
  const stranger = delivery.targets.indexOf(undefined);
  if (stranger >= 0) {
    const error = noHandler(kind, registry.whyNoHandler(kind, delivery.recordAt(stranger)));
    reportRecord(delivery, stranger, { thrown: error });
    observer?.recordEnded(stranger, { thrown: error });
    await delivery.end();
    throw error;
  }
  const run = new Run(delivery, observer, undefined);
  await run.complete();
  warnOfDeadline(run, delivery);
  await delivery.end();
  if (run.failure) throw toThrown(kernel, run.failure.thrown);
  if (countUntried(run.states) > 0) throw deadlineExceeded();
  return run.results;
}

/** One line that says how many records the deadline kept from starting. */
function warnOfDeadline(run: Run, { kernel, kind }: Delivery): void {
  const notTried = run.stoppedBy === 'deadline' ? countUntried(run.states) : 0;
  if (notTried > 0) warn(kernel, 'streams.deadline', { trigger: kind, not_tried: notTried });
}

/** What the service gets to see of a failure: its text travels to destinations and dead-letter queues. */
function toThrown(kernel: Kernel, thrown: unknown): unknown {
  if (!kernel.maskErrors && isError(thrown)) return thrown;
  return new FrameworkError('streams.handler_failed', kernel.failureText, { cause: thrown });
}

/** Errors of another realm (a `vm` context) are no `instanceof` ours. */
function isError(value: unknown): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
