import type { FrameworkError, LambdaContext, SurfaceHost, TriggerKind } from '@sallyport/core';
import { HANDLER_FAILED, logRefusal, refuseAgent } from '@sallyport/core/internal';
import type { EventHandler, EventMiddleware } from '../batch/handler.js';
import { resultsOf, runAll, toThrown } from '../batch/internal/deliver.js';
import { NOTHING, RecordBatch, remainingMsOf } from '../batch/internal/record-batch.js';
import type { Run } from '../batch/internal/run.js';
import { deadlineExceeded } from '../errors.js';
import type { CreateObserver } from '../observability/internal/observer.js';
import { physicalName, type RouterSettings, toSettings, warn } from '../router/internal/settings.js';
import type { EventSource, LooseRecord, SourceDefinition } from '../sources/source.js';

/** A kind of events outside the fixed table. */
export interface DeliveryKind {
  /** The kind, as in `ctx.triggerKind` and log lines. */
  readonly kind: TriggerKind;
  /**
   * The natural key of a record: equal for every delivery of the same event, and different for different events. Required: a
   * kind without natural keys sets `undefined`, with the reason in a comment.
   */
  readonly key: ((item: Delivered) => string | undefined) | undefined;
  /** For records with a trace context: reads a member, such as `traceparent`, and the trace id; `''` if absent. */
  readonly traces?: {
    carrier(record: unknown, name: string): string;
    traceId(record: unknown): string;
  };
  /** The longest time that the service waits for an answer, in milliseconds; default: as long as the function may run. */
  readonly maxMs?: number | undefined;
  /** True if the records of an invocation are a batch in metrics, log records and spans. */
  readonly isBatch?: boolean | undefined;
  /** The time at which a record was sent, in epoch milliseconds; NaN if unknown. Default: unknown for every record. */
  readonly sentMs?: ((item: Delivered) => number) | undefined;
  /**
   * Milliseconds before the end of the invocation that the answer needs; default: the container's margin. At most a third of a
   * short invocation is reserved, so that handlers run with any timeout.
   */
  readonly marginMs?: number | undefined;
}

/** One record or event for its handler. */
export interface Delivered {
  /** The argument of the handler. */
  readonly record: unknown;
  /** The id from the service; `''` if absent. */
  readonly id: string;
  /** Its source. */
  readonly source: EventSource;
  /** The name that the handler was registered under. */
  readonly name: string;
  /** A part of its key besides `id`, `source` and `record`; used only by the key. */
  readonly keyPart?: string;
  /** Its handler. */
  readonly handler: EventHandler<never>;
}

/** The result of a run of records. */
export type DeliveryRun = Run;

/** The result or the error of a handler. */
export type Outcome = { readonly value: unknown } | { readonly thrown: unknown };

/**
 * Runs handlers of events in the same way as the built-in kinds: one context for each record, middlewares, deadline, log lines,
 * metrics and spans. Before a container attaches it, it works with the machine's clock and `process.env`.
 */
export class Delivery {
  readonly #kind: DeliveryKind;
  #settings: RouterSettings | undefined;
  #createObserver: CreateObserver | undefined;

  constructor(kind: DeliveryKind) {
    this.#kind = kind;
  }

  /** Adopts clock, logger, hooks, middlewares and limits of a container. */
  attach(host: SurfaceHost): void {
    const { clock, ids, environment, log, observability, deadlineMarginMs: marginMs, maskErrors, failureText } = host;
    this.#createObserver = host.observeEvents as CreateObserver;
    this.#settings = {
      ...toSettings({ deadlineMarginMs: marginMs, clock, ids, environment, log }, {}, OWN),
      observability,
      maskErrors,
      failureText,
      marginMs,
      middlewares: host.eventMiddlewares as readonly EventMiddleware[],
    };
  }

  /** The kind of its events. */
  get kind(): TriggerKind {
    return this.#kind.kind;
  }

  /** Settings for all events. @throws FrameworkError if `FRAMEWORK_EVENT_SOURCES` is not a JSON object of names */
  get settings(): RouterSettings {
    this.#settings ??= toSettings({ ...NO_OPTIONS, deadlineMarginMs: 500 }, {}, OWN);
    return this.#settings;
  }

  /** The deployed name of a source, by `FRAMEWORK_EVENT_SOURCES`; the given name if it is not mapped. */
  physicalName(method: string, name: string): string {
    return physicalName(this.settings.physicalNames, method, name);
  }

  /** Rejects agent invocations if no dispatcher has done so. @throws FrameworkError `dispatch.no_adapter` */
  refuseAgent(lambdaContext: LambdaContext | undefined): void {
    refuseAgent(lambdaContext, this.settings.log);
  }

  /** Writes one `error` line for an event that is rejected before its handler. */
  logRefusal(error: FrameworkError, lambdaContext: LambdaContext | undefined): void {
    logRefusal(this.settings.log, error, lambdaContext, this.#kind.kind);
  }

  /**
   * Runs the records in order and resolves to their results, `undefined` as `null`. The first failure stops the run.
   *
   * @throws the error of the first failed handler; with `maskErrors`, or for a value that is not an error, FrameworkError
   *   `streams.handler_failed`; FrameworkError `streams.deadline_exceeded` past the deadline
   */
  async each(items: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown[]> {
    return resultsOf(await this.run(items, lambdaContext), this.settings);
  }

  /**
   * One run of these records.
   *
   * @param groupOf for a run that continues after a failure: the group of a record, whose failure holds back later records of the group
   */
  run(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    groupOf?: (item: Delivered) => string | undefined,
  ): Promise<DeliveryRun> {
    const batch = this.#batchOf(items, lambdaContext, groupOf);
    return runAll(batch, this.#createObserver?.(batch));
  }

  #batchOf(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    groupOf?: (item: Delivered) => string | undefined,
  ): RecordBatch {
    const matches = items.map(({ name, source, handler }) => ({
      source,
      entry: { name, handler: handler as EventHandler<unknown>, concurrency: 1, stops: groupOf === undefined },
    }));
    const records = items.map(({ record }) => record as unknown as LooseRecord);
    const byRecord = new Map<unknown, Delivered>(items.map((item) => [item.record ?? NOTHING, item]));
    const { kind, key, traces, sentMs } = this.#kind;
    const definition: SourceDefinition = {
      ...this.#kind,
      noun: kind,
      answer: '',
      sentMs: sentMs && ((record) => sentMs(byRecord.get(record) as Delivered)),
      key: key && ((record) => key(byRecord.get(record) as Delivered)),
      recordId: (record) => (byRecord.get(record) as Delivered).id,
      ...(traces && traces),
      ...(groupOf && { orderedGroup: (record) => groupOf(byRecord.get(record) as Delivered) }),
    };
    return new RecordBatch(this.#settingsOf(lambdaContext), definition, lambdaContext, records, matches);
  }

  /** The settings with the margin of this invocation. */
  #settingsOf(lambdaContext: LambdaContext | undefined): RouterSettings {
    const { settings } = this;
    const { marginMs: wanted = 0 } = this.#kind;
    if (wanted <= settings.marginMs) return settings;
    const left = remainingMsOf(lambdaContext);
    const marginMs = Number.isNaN(left) ? wanted : Math.min(wanted, left / 3);
    return marginMs <= settings.marginMs ? settings : { ...settings, marginMs };
  }
}

const NO_GROUPS = () => undefined;

/**
 * Runs the records in order, even after a failure, and resolves to the outcome of each record. The outcome is `undefined` for a
 * record that did not start, because a record of its group had failed or the deadline had passed.
 *
 * @param groupOf the group within which a failure holds back later records; without it no record is held back
 */
export async function settle(
  delivery: Delivery,
  items: readonly Delivered[],
  lambdaContext: LambdaContext | undefined,
  groupOf: (item: Delivered) => string | undefined = NO_GROUPS,
): Promise<(Outcome | undefined)[]> {
  const { results, failures } = await delivery.run(items, lambdaContext, groupOf);
  return items.map((_item, index) => (index in results ? { value: results[index] } : failures[index]));
}

/**
 * Runs one event and resolves to its handler's result or error, unmasked: for services that receive an answer instead of an
 * error, or an error in a format of the service.
 */
export async function attempt(
  delivery: Delivery,
  item: Delivered,
  lambdaContext: LambdaContext | undefined,
): Promise<Outcome> {
  const [outcome] = await settle(delivery, [item], lambdaContext);
  return outcome ?? { thrown: deadlineExceeded() };
}

/** A handler's error for the service: with `maskErrors` without its message. */
export function mask({ settings }: Delivery, thrown: unknown): unknown {
  return toThrown(settings, thrown);
}

/** Writes one `warn` line. A logger that throws changes nothing. */
export function warnOf({ settings, kind }: Delivery, event: string, fields: Readonly<Record<string, unknown>>): void {
  warn(settings, event, { trigger: kind, ...fields });
}

const NO_OPTIONS = { clock: undefined, ids: undefined, environment: undefined, log: undefined };
const OWN = {
  streamIdentifier: 'eventID',
  maskErrors: false,
  failureText: HANDLER_FAILED,
  middlewares: [],
} as const;
