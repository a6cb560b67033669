import { type FrameworkError, isFrameworkError, type SpanOrigin } from '@sallyport/core';
import {
  type ActiveSpan,
  batchCompleted,
  type EventFacts,
  type EventOutcome,
  eventCompleted,
  HANDLER_FAILED,
  logFailure,
  recordCompleted,
  sanitizeLogString,
  startEventSpan,
  writesErrors,
} from '@sallyport/core/internal';
import { type RecordBatch, RecordContext } from '../../batch/internal/record-batch.js';
import { warn } from '../../router/internal/settings.js';
import type { LooseRecord } from '../../sources/source.js';

/** A thrown value in a box, because `undefined` can be thrown. */
export interface Failure {
  readonly thrown: unknown;
}

/** Reason why records were not tried. */
export type StoppedBy = 'none' | 'failure' | 'deadline' | 'no_handler';

/** The result of a batch. */
export interface BatchOutcome {
  /** Number of records that started and did not complete. */
  readonly failed: number;
  /** Number of records that never started. */
  readonly notTried: number;
  readonly stoppedBy: StoppedBy;
  /** The error of the first failed record. */
  readonly failure: Failure | undefined;
}

/** Writes the one `error` line of a record or event that failed; the logger sanitizes the error. */
export function reportRecord(batch: RecordBatch, index: number, { thrown }: Failure): void {
  if (!writesErrors(batch.settings.log)) return;
  const ctx = new RecordContext(batch, index);
  const fields = ctx.recordId === '' ? {} : { record_id: ctx.recordId };
  logFailure(() => ctx.log, HANDLER_FAILED, thrown, fields);
}

/** Writes one `error` line for a batch with a record that no handler is registered for. */
export function reportNoHandler(batch: RecordBatch, index: number, error: FrameworkError): void {
  const ctx = new RecordContext(batch, index);
  const text = `framework: no handler for ${batch.definition.kind}`;
  logFailure(() => ctx.log, text, error, { records: batch.records.length });
}

/** Warns of a handler that failed after its record had been given up. */
export function reportLate(batch: RecordBatch, index: number, { thrown }: Failure): void {
  const { definition, settings } = batch;
  warn(settings, 'streams.late_failure', {
    trigger: definition.kind,
    source: batch.nameAt(index),
    record_id: sanitizeLogString(definition.recordId(batch.recordAt(index))).slice(0, 256),
    error_code: codeOf(thrown),
  });
}

/** The code of a thrown value; `app.internal` for a value without a code. */
function codeOf(thrown: unknown): string {
  return isFrameworkError(thrown) ? thrown.code : 'app.internal';
}

const STOP_CODES: Readonly<Partial<Record<StoppedBy, string>>> = {
  deadline: 'streams.deadline_exceeded',
  no_handler: 'streams.no_handler',
};

/** Observes one batch. It is created only for hooks or tracers: without them it measures nothing. */
export class Observer {
  readonly #batch: RecordBatch;
  /** True if the records of the invocation are a batch. */
  readonly #isBatch: boolean;
  readonly #startedAt: number;
  readonly #batchSpan: ActiveSpan | undefined;
  readonly #starts: number[] = [];
  readonly #spans: (ActiveSpan | undefined)[] = [];

  constructor(batch: RecordBatch) {
    const { observability, clock } = batch.settings;
    this.#batch = batch;
    this.#isBatch = batch.definition.failureIdentifier !== undefined || batch.definition.isBatch === true;
    this.#startedAt = clock.monotonicMs();
    batch.spans = this.#spans;
    this.#batchSpan = this.#isBatch
      ? startEventSpan(observability, batchFacts(batch), undefined, '', { invocation: () => batch, carrier: () => '' })
      : undefined;
  }

  /** Runs a batch inside its span. */
  runBatch<T>(work: () => T): T {
    return this.#batchSpan ? this.#batchSpan.run(work) : work();
  }

  /** Runs a handler inside its record's span. */
  runRecord(index: number, work: () => unknown): unknown {
    const batch = this.#batch;
    const { settings, definition } = batch;
    const record = batch.recordAt(index);
    this.#starts[index] = settings.clock.monotonicMs();
    const link = this.#isBatch ? (definition.traceId?.(record) ?? '') : '';
    const origin: SpanOrigin = { invocation: () => batch, carrier: (name) => definition.carrier?.(record, name) ?? '' };
    const span = startEventSpan(settings.observability, recordFacts(batch, index), this.#batchSpan, link, origin);
    this.#spans[index] = span;
    return span ? span.run(work) : work();
  }

  recordEnded(index: number, failure: Failure | undefined): void {
    const { observability, clock } = this.#batch.settings;
    const outcome: EventOutcome = {
      failed: failure !== undefined,
      errorCode: failure ? codeOf(failure.thrown) : '',
      durationMs: clock.monotonicMs() - (this.#starts[index] ?? this.#startedAt),
    };
    const facts = recordFacts(this.#batch, index);
    if (this.#isBatch) recordCompleted(observability, facts, outcome, this.#spans[index]);
    else {
      const measures = measuresOf(this.#batch, [this.#batch.recordAt(index)]);
      eventCompleted(observability, facts, { ...outcome, ...measures }, this.#spans[index]);
    }
  }

  /** Reports the end of a batch; nothing for a single event. */
  batchEnded({ failed, notTried, stoppedBy, failure }: BatchOutcome): void {
    if (!this.#isBatch) return;
    const { observability, clock } = this.#batch.settings;
    const records = this.#batch.records.length;
    const durationMs = clock.monotonicMs() - this.#startedAt;
    const errorCode = failure ? codeOf(failure.thrown) : (STOP_CODES[stoppedBy] ?? '');
    const measures = measuresOf(this.#batch, this.#batch.records);
    const outcome = { records, failed, notTried, stoppedBy, errorCode, durationMs, ...measures };
    batchCompleted(observability, batchFacts(this.#batch), outcome, this.#batchSpan);
  }
}

/** Creates the observer of a batch; `undefined` without hooks and tracers. */
export type CreateObserver = (batch: RecordBatch) => Observer | undefined;

/** Tracers without a hook subscribe here. */
const SPANS = /* @__PURE__ */ process
  .getBuiltinModule('node:diagnostics_channel')
  .channel('tracing:framework.event:start');

/** Creates the observer of a batch; `undefined` without hooks and tracers. */
export const createObserver: CreateObserver = (batch) => {
  const { log, metric, span } = batch.settings.observability;
  const listened = log || metric || span || SPANS.hasSubscribers;
  return listened ? new Observer(batch) : undefined;
};

/** The number of records that were delivered before, and the age of the oldest; without the numbers that the service does not report. */
function measuresOf(
  { settings, definition }: RecordBatch,
  records: readonly LooseRecord[],
): Pick<EventOutcome, 'measures'> {
  if (!settings.observability.metric) return {};
  const measures: { retries?: number; oldest_record_ms?: number } = {};
  const nowMs = settings.clock.now().getTime();
  for (const record of records) {
    const receptions = Number(record?.attributes?.ApproximateReceiveCount);
    if (receptions > 0) measures.retries = (measures.retries ?? 0) + Number(receptions > 1);
    const sentMs = Number(record && definition.sentMs?.(record));
    if (sentMs > 0) measures.oldest_record_ms = Math.max(measures.oldest_record_ms ?? 0, nowMs - sentMs);
  }
  return Object.keys(measures).length > 0 ? { measures } : {};
}

/** Facts about a whole batch. */
function batchFacts(batch: RecordBatch): EventFacts {
  return {
    trigger: batch.definition.kind,
    source: batch.matches.includes(undefined) ? '' : batch.nameAt(0),
    requestId: batch.requestId,
    traceId: batch.traceId,
    tenantId: batch.tenantId,
    invocation: batch,
  };
}

/** Facts about one record or event. */
function recordFacts(batch: RecordBatch, index: number): EventFacts {
  const { definition, lambdaContext } = batch;
  const record = batch.recordAt(index);
  return {
    ...batchFacts(batch),
    source: batch.nameAt(index),
    traceId: definition.traceId?.(record) || batch.traceId,
    recordId: definition.recordId(record),
    ...definition.facts?.(record, lambdaContext?.awsRequestId),
  };
}
