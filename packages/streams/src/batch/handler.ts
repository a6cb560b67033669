import {
  type InvocationProvenance,
  invocationProvenance,
  type LambdaContext,
  type Logger,
  type MaybePromise,
  type MetricOptions,
  type TriggerKind,
} from '@sallyport/core';
import { type BoundFields, bindLogger, emitMetric } from '@sallyport/core/pipeline';
import { recordId, recordTraceId } from '../sources/internal/loose-record.js';
import type { EventSource } from '../sources/source.js';
import type { Delivery } from './internal/record-batch.js';

/** What a handler knows about the one record or event that it was given. New for each. */
export interface EventContext {
  readonly triggerKind: TriggerKind;
  readonly source: EventSource;
  /** The invocation's; one for all records of a batch. */
  readonly requestId: string;
  /** Message id, event id, notification id or `id` of the event; `''` when it has none. */
  readonly recordId: string;
  /** How often the queue has delivered this message, 1 the first time; 0 where the service does not count. */
  readonly attempt: number;
  readonly batch: { readonly index: number; readonly size: number };
  /** From the message, else from the invocation; `''` when there is none. */
  readonly traceId: string;
  readonly tenantId: string;
  /** Milliseconds of the invocation left now; 0 when unknown. */
  readonly remainingMs: number;
  /** The last moment at which a record starts; `null` without one. */
  readonly deadline: Date | null;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** Bound to this record on first use. */
  readonly log: Logger;
  readonly lambdaContext: LambdaContext | undefined;
  /** What the Lambda context says of the caller: `provider` or `direct`; an agent's event reaches no record handler. */
  readonly invocationProvenance: InvocationProvenance;
  /** Writes one value of a metric that `observability.metrics` declares; anything else is dropped, with one `warn`. */
  metric(name: string, value: number, options?: MetricOptions): void;
  now(): Date;
  newId(): string;
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

/** Of a queue or stream the result is ignored; of a topic or event bus it is answered. */
export type EventHandler<E> = (ctx: EventContext, event: E) => MaybePromise<unknown>;

/** Wraps each record or event; `next` takes nothing and may be called once. Returning without it handles the record. */
export type EventMiddleware = (
  ctx: EventContext,
  event: unknown,
  next: () => Promise<unknown>,
) => MaybePromise<unknown>;

/** The one implementation of {@link EventContext}: everything is worked out when it is first read. */
export class RecordContext implements EventContext {
  readonly #delivery: Delivery;
  readonly #index: number;
  #signal: AbortSignal | undefined;
  #log: Logger | undefined;
  #bag: Map<string, unknown> | undefined;

  constructor(delivery: Delivery, index: number) {
    this.#delivery = delivery;
    this.#index = index;
  }

  get triggerKind(): TriggerKind {
    return this.#delivery.kind;
  }

  get source(): EventSource {
    return this.#delivery.targetAt(this.#index).source;
  }

  get requestId(): string {
    return this.#delivery.requestId;
  }

  get recordId(): string {
    return recordId(this.#delivery.kind, this.#delivery.recordAt(this.#index));
  }

  get attempt(): number {
    return Number(this.#delivery.recordAt(this.#index).attributes?.ApproximateReceiveCount) || 0;
  }

  get batch(): { readonly index: number; readonly size: number } {
    return { index: this.#index, size: this.#delivery.records.length };
  }

  get traceId(): string {
    return recordTraceId(this.#delivery.recordAt(this.#index)) || this.#delivery.traceId;
  }

  get tenantId(): string {
    return this.#delivery.tenantId;
  }

  get remainingMs(): number {
    return this.#delivery.remainingMs;
  }

  get deadline(): Date | null {
    return this.#delivery.deadline;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#delivery.newSignal();
    return this.#signal;
  }

  get log(): Logger {
    this.#log ??= bindLogger(this.#delivery.kernel.log, this.#boundFields(), () => this.#delivery.kept);
    return this.#log;
  }

  #boundFields(): BoundFields {
    return {
      request_id: this.requestId,
      trace_id: this.traceId,
      tenant_id: this.tenantId,
      trigger: this.triggerKind,
      source: this.#delivery.targets[this.#index]?.registration.name ?? '',
      function_name: this.lambdaContext?.functionName ?? '',
      function_version: this.lambdaContext?.functionVersion ?? '',
    };
  }

  get lambdaContext(): LambdaContext | undefined {
    return this.#delivery.lambdaContext;
  }

  get invocationProvenance(): InvocationProvenance {
    return invocationProvenance(this.#delivery.lambdaContext);
  }

  metric(name: string, value: number, options?: MetricOptions): void {
    emitMetric(this.#delivery.kernel.observability, name, value, options, this);
  }

  now(): Date {
    return this.#delivery.kernel.clock.now();
  }

  newId(): string {
    return this.#delivery.kernel.ids.newId();
  }

  get(key: string): unknown {
    return this.#bag?.get(key);
  }

  set(key: string, value: unknown): void {
    this.#bag ??= new Map();
    this.#bag.set(key, value);
  }
}
