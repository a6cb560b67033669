import type { FrameworkError, LambdaContext, SurfaceHost, TriggerKind } from '@sallyport/core';
import { logRefusal, refuseAgent } from '@sallyport/core/pipeline';
import type { EventHandler, EventMiddleware } from '../batch/handler.js';
import { resultsOf, runAll, toThrown } from '../batch/internal/deliver.js';
import { RecordBatch, remainingMsOf } from '../batch/internal/record-batch.js';
import type { BatchRun } from '../batch/internal/run.js';
import { deadlineExceeded } from '../errors.js';
import type { CreateObserver } from '../observability/internal/observer.js';
import { physicalName, type RouterSettings, toSettings, warn } from '../router/internal/settings.js';
import type { EventSource, LooseRecord, SourceDefinition } from '../sources/source.js';

/** A kind of events outside the fixed table. */
export interface DeliveryKind {
  /** The kind, as `ctx.triggerKind` and log lines have it. */
  readonly kind: TriggerKind;
  /**
   * The natural key of a record: equal for every delivery of the same event, and different for different events. Required, so
   * that every kind states its key, or states with a reason that it has none.
   */
  readonly key: ((item: Delivered) => string | undefined) | undefined;
  /** The longest time that the service waits for an answer, in milliseconds; default: as long as the function may run. */
  readonly maxMs?: number | undefined;
  /**
   * Milliseconds before the end of the invocation that the answer needs; default: the container's margin. Of a short invocation it takes
   * at most a third, so that handlers run with any timeout.
   */
  readonly marginMs?: number | undefined;
}

/** One record or event for its handler. */
export interface Delivered {
  /** What the handler gets. */
  readonly record: unknown;
  /** The id that the service gave it; `''` without one. */
  readonly id: string;
  /** Where it came from. */
  readonly source: EventSource;
  /** The name that the handler was registered under. */
  readonly name: string;
  /** What its key contains besides `id`, `source` and `record`; nothing else reads it. */
  readonly keyPart?: string;
  /** Its handler. */
  readonly handler: EventHandler<never>;
}

/** How a run of records ended. */
export type DeliveryRun = BatchRun;

/** What a handler returned or threw. */
export type Outcome = { readonly value: unknown } | { readonly thrown: unknown };

/**
 * Runs handlers of events as the built-in kinds run theirs: one context for each record, middlewares, deadline, log lines,
 * metrics and spans. Before a container attaches it, it works with the machine's clock and `process.env`.
 */
export class Delivery {
  readonly #kind: DeliveryKind;
  #settings: RouterSettings | undefined;
  #createObserver: CreateObserver | undefined;

  constructor(kind: DeliveryKind) {
    this.#kind = kind;
  }

  /** Takes over clock, logger, hooks, middlewares and limits of a container. */
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

  /** What all events share. @throws FrameworkError when `FRAMEWORK_EVENT_SOURCES` is not a JSON object of names */
  get settings(): RouterSettings {
    this.#settings ??= toSettings({ ...NO_OPTIONS, deadlineMarginMs: 500 }, {}, OWN);
    return this.#settings;
  }

  /** The deployed name of a source, by `FRAMEWORK_EVENT_SOURCES`; the name itself where nothing is mapped. */
  physicalName(method: string, name: string): string {
    return physicalName(this.settings.physicalNames, method, name);
  }

  /** Rejects agent invocations where no dispatcher has done so. @throws FrameworkError `dispatch.no_adapter` */
  refuseAgent(lambdaContext: LambdaContext | undefined): void {
    refuseAgent(lambdaContext, this.settings.log);
  }

  /** Writes one `error` line for an event that is rejected before its handler. */
  logRefusal(error: FrameworkError, lambdaContext: LambdaContext | undefined): void {
    logRefusal(this.settings.log, error, lambdaContext, this.#kind.kind);
  }

  /**
   * Runs the records in order and resolves to their results, `undefined` as `null`. A failure ends the run.
   *
   * @throws what the first failed handler threw; with `maskErrors`, or when it is not an error, FrameworkError
   *   `streams.handler_failed`; FrameworkError `streams.deadline_exceeded` past the deadline
   */
  async each(items: readonly Delivered[], lambdaContext: LambdaContext | undefined): Promise<unknown[]> {
    return resultsOf(await this.run(items, lambdaContext), this.settings);
  }

  /**
   * One run of these records.
   *
   * @param groupOf of a run that continues behind a failure: the group of a record, whose failure holds back later ones
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
    const byRecord = new Map<unknown, Delivered>(items.map((item) => [item.record, item]));
    const { kind, maxMs, key } = this.#kind;
    const definition: SourceDefinition = {
      kind,
      noun: kind,
      answer: '',
      ...(maxMs !== undefined && { maxMs }),
      key: key && ((record) => key(byRecord.get(record) as Delivered)),
      recordId: (record) => byRecord.get(record)?.id ?? '',
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
 * Runs the records in order, also behind a failure, and resolves to what became of each; `undefined` for a record that did not
 * start, because one of its group had failed or the deadline had passed.
 *
 * @param groupOf the group within which a failure holds back later records; without it none is held back
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
 * Runs one event and resolves to what its handler returned or threw, unmasked: for services that get an answer in place of an
 * error, or an error that is made for them.
 */
export async function attempt(
  delivery: Delivery,
  item: Delivered,
  lambdaContext: LambdaContext | undefined,
): Promise<Outcome> {
  const [outcome] = await settle(delivery, [item], lambdaContext);
  return outcome ?? { thrown: deadlineExceeded() };
}

/** A handler's error as the service may see it: with `maskErrors` without its text. */
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
  failureText: 'framework: event handler failed',
  middlewares: [],
} as const;
