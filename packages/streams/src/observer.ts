import { channel } from 'node:diagnostics_channel';
import { guardHook, isFrameworkError, silentLogger } from '@sallyport/core';
import {
  type ActiveSpan,
  batchCompleted,
  type EventOutcome,
  eventCompleted,
  recordCompleted,
  sanitizeLogString,
  startEventSpan,
} from '@sallyport/core/pipeline';
import { RecordContext } from './context.js';
import type { Delivery } from './delivery.js';
import { batchFacts, recordFacts } from './facts.js';
import { recordTraceId } from './loose-record.js';
import { countFailed, countUntried } from './outcomes.js';
import type { Run, StoppedBy } from './run.js';
import { warn } from './warn.js';

/** A thrown value in a box, because `undefined` can be thrown. */
export interface Failure {
  readonly thrown: unknown;
}

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
    if (failure) this.#logError(index, failure);
    const completed = this.#isBatch ? recordCompleted : eventCompleted;
    completed(observability, recordFacts(this.#delivery, index), outcome, this.#spans[index]);
  }

  /** A handler failed after its record had been given up. */
  lateFailure(index: number, { thrown }: Failure): void {
    const { trigger, source, recordId = '' } = recordFacts(this.#delivery, index);
    warn(this.#delivery.kernel, 'streams.late_failure', {
      trigger,
      source,
      record_id: sanitizeLogString(recordId).slice(0, 256),
      error_code: codeOf(thrown),
    });
  }

  batchEnded(run: Run): void {
    const { observability, clock, log } = this.#delivery.kernel;
    const { stoppedBy, failure } = run;
    const records = this.#delivery.records.length;
    const notTried = countUntried(run.states);
    const failed = countFailed(run.states);
    const durationMs = clock.monotonicMs() - this.#startedAt;
    const errorCode = failure ? codeOf(failure.thrown) : (STOP_CODES[stoppedBy] ?? '');
    if (stoppedBy === 'no_handler') {
      guardHook(() => log.error(`framework: no handler for ${this.#delivery.kind}`, { records, error: run.refusal }));
    }
    const outcome = { records, failed, notTried, stoppedBy, errorCode, durationMs };
    batchCompleted(observability, batchFacts(this.#delivery), outcome, this.#batchSpan);
  }

  /** The whole error, for logs alone: the logger sanitizes it. */
  #logError(index: number, { thrown }: Failure): void {
    guardHook(() =>
      new RecordContext(this.#delivery, index).log.error('framework: event handler failed', { error: thrown }),
    );
  }
}

/** The observer of a delivery, `undefined` when nobody listens. */
export function observerOf(delivery: Delivery, isBatch: boolean): Observer | undefined {
  const { observability, log } = delivery.kernel;
  const { log: hook, metric, span } = observability;
  const listened = hook || metric || span || log !== silentLogger || SPANS.hasSubscribers;
  return listened ? new Observer(delivery, isBatch) : undefined;
}

/** The code of a thrown value; `app.internal` for whatever has none. */
function codeOf(thrown: unknown): string {
  return isFrameworkError(thrown) ? thrown.code : 'app.internal';
}
