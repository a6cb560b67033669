import {
  type ContextKey,
  FrameworkError,
  type FullClock,
  type InvocationProvenance,
  invocationProvenance,
  type LambdaContext,
  type Logger,
  type MetricOptions,
  type SpanAttributes,
  type SpanScope,
  type TriggerKind,
} from '@sallyport/core';
import {
  type ActiveSpan,
  bindLogger,
  type Deliveries,
  type DeliveryHolder,
  emitMetric,
  type InvocationEnd,
  invocationTraceId,
  NO_SPAN,
  stringOf,
} from '@sallyport/core/internal';
import type { RouterSettings } from '../../router/internal/settings.js';
import type { HandlerMatch } from '../../router/registry.js';
import type { EventSource, LooseRecord, SourceDefinition } from '../../sources/source.js';
import type { EventContext } from '../handler.js';

/** Stands for a record that is `null`, such as the payload of an invocation that has no payload. */
export const NOTHING: LooseRecord = {};

/** The records of one invocation, or its one event, and their common data. */
export class RecordBatch implements DeliveryHolder {
  readonly settings: RouterSettings;
  readonly definition: SourceDefinition;
  readonly lambdaContext: LambdaContext | undefined;
  readonly records: readonly LooseRecord[];
  readonly matches: readonly (HandlerMatch | undefined)[];
  /** Work besides the answer, such as notifications. The answer is delayed for it by a short time. */
  kept: Deliveries | undefined = undefined;
  /** The spans of the records that have started; `undefined` without a tracer. */
  spans: (ActiveSpan | undefined)[] | undefined = undefined;
  /** Lines and metric values that wait for the end of the batch. */
  ending: InvocationEnd | undefined = undefined;
  /** On the monotonic clock; infinite without a deadline. */
  readonly #deadlineAt: number = Number.POSITIVE_INFINITY;
  #abandon: (() => void) | undefined = undefined;
  #isWatched = false;
  #past = false;
  /** The milliseconds that were left at the last reading for a record, and the number of records that may start before the next reading. */
  #left = Number.NaN;
  #unread = 0;
  #requestId: string | undefined = undefined;
  #controllers: AbortController[] | undefined = undefined;
  #stopTimer: (() => void) | undefined = undefined;

  /** @param matches one for each record, `undefined` without a registered handler */
  constructor(
    settings: RouterSettings,
    definition: SourceDefinition,
    lambdaContext: LambdaContext | undefined,
    records: readonly LooseRecord[],
    matches: readonly (HandlerMatch | undefined)[],
  ) {
    this.settings = settings;
    this.definition = definition;
    this.lambdaContext = lambdaContext;
    this.records = records;
    this.matches = matches;
    const { maxMs } = definition;
    const given = remainingMsOf(lambdaContext);
    const left = maxMs === undefined ? given : Math.min(maxMs, Number.isNaN(given) ? maxMs : given);
    if (!Number.isNaN(left)) this.#deadlineAt = settings.clock.monotonicMs() + left - settings.marginMs;
  }

  get hasDeadline(): boolean {
    return this.#deadlineAt !== Number.POSITIVE_INFINITY;
  }

  /** Sets the function that is called half a margin after the deadline, if the batch has not ended by then. */
  onAbandoned(abandon: () => void): void {
    this.#abandon = abandon;
  }

  /** @param index of a record of this batch */
  recordAt(index: number): LooseRecord {
    return this.records[index] ?? NOTHING;
  }

  /** The handler of a record; only for a batch in which every record has a handler. */
  matchAt(index: number): HandlerMatch {
    return this.matches[index] as HandlerMatch;
  }

  /** The name that the handler of a record was registered under; `''` without a handler. */
  nameAt(index: number): string {
    return this.matches[index]?.entry.name ?? '';
  }

  get clock(): FullClock {
    return this.settings.clock;
  }

  get requestId(): string {
    this.#requestId ??= stringOf(this.lambdaContext?.awsRequestId).trim() || this.settings.ids.newId();
    return this.#requestId;
  }

  /** The invocation's trace. The environment variable is used only if there is one invocation at a time. */
  get traceId(): string {
    return invocationTraceId(this.lambdaContext, this.settings.environment);
  }

  get tenantId(): string {
    return stringOf(this.lambdaContext?.tenantId);
  }

  get remainingMs(): number {
    return Math.max(remainingMsOf(this.lambdaContext) || 0, 0);
  }

  get deadline(): Date | null {
    const { clock } = this.settings;
    const left = this.#deadlineAt - clock.monotonicMs();
    return Number.isFinite(left) ? new Date(Math.round(clock.now().getTime() + left)) : null;
  }

  /** True if the deadline has passed. */
  get isPast(): boolean {
    return this.#past || (this.hasDeadline && this.#readLeft() < 0);
  }

  /**
   * True if the next record may start. While records are fast, the clock is read for every fourth only: when the time since the last reading is
   * below a 64th of the time that is left. So a record starts after the deadline only if the three before it were suddenly more than twenty
   * times as slow, and then by no more than their time.
   */
  mayStart(): boolean {
    if (this.#past) return false;
    if (!this.hasDeadline) return true;
    if (this.#unread > 0) {
      this.#unread -= 1;
      return true;
    }
    const left = this.#readLeft();
    if ((this.#left - left) * 64 < left) this.#unread = 3;
    this.#left = left;
    return !this.#past;
  }

  /** Reads the clock, and notes a passed deadline: the milliseconds that are left. */
  #readLeft(): number {
    const left = this.#deadlineAt - this.settings.clock.monotonicMs();
    this.#past = left < 0;
    return left;
  }

  /** Starts the timer once, when the batch first waits for a promise. */
  watch(): void {
    if (this.#isWatched || !this.hasDeadline) return;
    this.#isWatched = true;
    const { clock, marginMs } = this.settings;
    this.#stopTimer = clock.after(this.#deadlineAt - clock.monotonicMs(), () => {
      this.#past = true;
      this.#stopTimer = clock.after(marginMs / 2, () => this.#abandon?.());
      for (const controller of this.#controllers ?? []) abort(controller);
    });
  }

  /** Makes a separate signal for each record that reads one. */
  newSignal(): AbortSignal {
    const controller = new AbortController();
    this.#controllers ??= [];
    this.#controllers.push(controller);
    if (this.isPast) abort(controller);
    return controller.signal;
  }

  /** Clears timers. The answer waits for the returned promise. */
  end(): Promise<void> | undefined {
    this.#stopTimer?.();
    this.ending?.end(false);
    const left = remainingMsOf(this.lambdaContext);
    return this.kept?.settle(Number.isNaN(left) ? undefined : left);
  }
}

function abort(controller: AbortController): void {
  controller.abort(new FrameworkError('app.timeout'));
}

/** The remaining milliseconds of the invocation; NaN when unknown. */
export function remainingMsOf(lambdaContext: LambdaContext | undefined): number {
  const left = lambdaContext?.getRemainingTimeInMillis?.();
  return typeof left === 'number' ? left : Number.NaN;
}

/** The only implementation of {@link EventContext}. Members are computed at the first read. */
export class RecordContext implements EventContext {
  readonly #batch: RecordBatch;
  readonly #index: number;
  #signal: AbortSignal | undefined;
  #log: Logger | undefined;
  #bag: Map<string | ContextKey<unknown>, unknown> | undefined;

  constructor(batch: RecordBatch, index: number) {
    this.#batch = batch;
    this.#index = index;
  }

  get triggerKind(): TriggerKind {
    return this.#batch.definition.kind;
  }

  get source(): EventSource {
    return this.#batch.matchAt(this.#index).source;
  }

  get requestId(): string {
    return this.#batch.requestId;
  }

  get recordId(): string {
    return this.#batch.definition.recordId(this.#batch.recordAt(this.#index));
  }

  get eventKey(): string | undefined {
    const { definition, lambdaContext } = this.#batch;
    return definition.key?.(this.#batch.recordAt(this.#index), lambdaContext?.awsRequestId);
  }

  get attempt(): number {
    return Number(this.#batch.recordAt(this.#index).attributes?.ApproximateReceiveCount) || 0;
  }

  get batch(): { readonly index: number; readonly size: number } {
    return { index: this.#index, size: this.#batch.records.length };
  }

  get traceId(): string {
    return this.#batch.definition.traceId?.(this.#batch.recordAt(this.#index)) || this.#batch.traceId;
  }

  get tenantId(): string {
    return this.#batch.tenantId;
  }

  get remainingMs(): number {
    return this.#batch.remainingMs;
  }

  get deadline(): Date | null {
    return this.#batch.deadline;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#batch.newSignal();
    return this.#signal;
  }

  get log(): Logger {
    const span = this.#span;
    const traceId = span?.id('traceId') || this.traceId;
    this.#log ??= bindLogger(
      this.#batch.settings.log,
      {
        request_id: this.requestId,
        trace_id: traceId,
        ...(span && { remote_trace_id: span.id('remoteTraceId') }),
        ...(this.#batch.traceId !== traceId && { xray_trace_id: this.#batch.traceId }),
        tenant_id: this.tenantId,
        trigger: this.triggerKind,
        source: this.#batch.nameAt(this.#index),
        function_name: this.lambdaContext?.functionName ?? '',
        function_version: this.lambdaContext?.functionVersion ?? '',
      },
      Object.assign(() => this.#batch, { record: this.#index }),
    );
    return this.#log;
  }

  get lambdaContext(): LambdaContext | undefined {
    return this.#batch.lambdaContext;
  }

  get invocationProvenance(): InvocationProvenance {
    return invocationProvenance(this.#batch.lambdaContext);
  }

  get #span(): ActiveSpan | undefined {
    return this.#batch.spans?.[this.#index];
  }

  span<T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T {
    const span = this.#span;
    return span ? span.within(name, run, attributes) : run(NO_SPAN);
  }

  metric(name: string, value: number, options?: MetricOptions): void {
    emitMetric(this.#batch.settings.observability, { name, value, options }, this.#batch);
  }

  now(): Date {
    return this.#batch.settings.clock.now();
  }

  newId(): string {
    return this.#batch.settings.ids.newId();
  }

  get<T>(key: ContextKey<T>): T | undefined;
  get(key: string): unknown;
  get(key: string | ContextKey<unknown>): unknown {
    return this.#bag?.get(key);
  }

  set(key: string | ContextKey<unknown>, value: unknown): void {
    this.#bag ??= new Map();
    this.#bag.set(key, value);
  }
}
