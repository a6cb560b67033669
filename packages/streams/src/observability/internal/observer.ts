import { channel } from 'node:diagnostics_channel';
import {
  type ActiveSpan,
  batchCompleted,
  type EventOutcome,
  eventCompleted,
  recordCompleted,
  startEventSpan,
} from '@sallyport/core/pipeline';
import { countFailed, countUntried } from '../../batch/internal/outcomes.js';
import type { Delivery } from '../../batch/internal/record-batch.js';
import type { Run, StoppedBy } from '../../batch/internal/run.js';
import { recordTraceId } from '../../sources/internal/loose-record.js';
import { batchFacts, recordFacts } from './facts.js';
import { codeOf, type Failure } from './report.js';

const STOP_CODES: Readonly<Partial<Record<StoppedBy, string>>> = {
  deadline: 'streams.deadline_exceeded',
  no_handler: 'streams.no_handler',
};

/** Where tracers listen without a hook. */
const SPANS = channel('tracing:framework.event:start');

/** Watches one delivery. Made only when somebody listens: without it nothing is measured and nothing is built. */
export class Observer {
  readonly #delivery: Delivery;
  readonly #isBatch: boolean;
  readonly #startedAt: number;
  readonly #batchSpan: ActiveSpan | undefined;
  readonly #starts: number[] = [];
  readonly #spans: (ActiveSpan | undefined)[] = [];

  constructor(delivery: Delivery, isBatch: boolean) {
    const { observability, clock } = delivery.kernel;
    this.#delivery = delivery;
    this.#isBatch = isBatch;
    this.#startedAt = clock.monotonicMs();
    this.#batchSpan = isBatch ? startEventSpan(observability, batchFacts(delivery)) : undefined;
  }

  /** Runs a batch inside its span. */
  runBatch<T>(work: () => T): T {
    return this.#batchSpan ? this.#batchSpan.run(work) : work();
  }

  /** Runs a handler inside its record's span. */
  runRecord(index: number, work: () => unknown): unknown {
    const { observability, clock } = this.#delivery.kernel;
    this.#starts[index] = clock.monotonicMs();
    const link = this.#isBatch ? recordTraceId(this.#delivery.recordAt(index)) : '';
    const span = startEventSpan(observability, recordFacts(this.#delivery, index), this.#batchSpan, link);
    this.#spans[index] = span;
    return span ? span.run(work) : work();
  }

  recordEnded(index: number, failure: Failure | undefined): void {
    const { observability, clock } = this.#delivery.kernel;
    const outcome: EventOutcome = {
      failed: failure !== undefined,
      errorCode: failure ? codeOf(failure.thrown) : '',
      durationMs: clock.monotonicMs() - (this.#starts[index] ?? this.#startedAt),
    };
    const completed = this.#isBatch ? recordCompleted : eventCompleted;
    completed(observability, recordFacts(this.#delivery, index), outcome, this.#spans[index]);
  }

  batchEnded(run: Run): void {
    const { observability, clock } = this.#delivery.kernel;
    const { stoppedBy, failure } = run;
    const records = this.#delivery.records.length;
    const notTried = countUntried(run.states);
    const failed = countFailed(run.states);
    const durationMs = clock.monotonicMs() - this.#startedAt;
    const errorCode = failure ? codeOf(failure.thrown) : (STOP_CODES[stoppedBy] ?? '');
    const outcome = { records, failed, notTried, stoppedBy, errorCode, durationMs };
    batchCompleted(observability, batchFacts(this.#delivery), outcome, this.#batchSpan);
  }
}

/** The observer of a delivery, `undefined` when nobody listens. */
export function observerOf(delivery: Delivery, isBatch: boolean): Observer | undefined {
  const { log, metric, span } = delivery.kernel.observability;
  const listened = log || metric || span || SPANS.hasSubscribers;
  return listened ? new Observer(delivery, isBatch) : undefined;
}
