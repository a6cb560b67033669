import {
  type Invocation,
  type InvocationProvenance,
  isFrameworkError,
  type LambdaContext,
  type Surface,
  type SurfaceHost,
  type Target,
  type TriggerKind,
  type TriggerRecord,
} from '@sallyport/core';
import { handlerName, registerCopy } from '@sallyport/core/pipeline';
import { type Delivered, Delivery, type DeliveryKind } from '@sallyport/streams/delivery';
import { VERSION } from '../internal/version.js';

registerCopy('@sallyport/triggers', VERSION, new Error());

/** One question about an event, as the detection table asks them. */
export interface SurfaceCondition {
  /** Names and list indexes from the event down: `Records[0].eventSource`. */
  readonly path: string;
  /** What the value behind the path must be. */
  readonly test: 'equals' | 'present' | 'absent' | 'string' | 'text' | 'object';
  /** What `equals` compares with. */
  readonly value?: string;
}

/** How events of a surface are told from others: all conditions of one alternative hold. */
export interface SurfaceRow {
  /** The kind of the events. */
  readonly kind: TriggerKind;
  /** Alternatives; one suffices. */
  readonly anyOf: readonly (readonly SurfaceCondition[])[];
}

/** What a surface is made of. */
export interface SurfaceDefinition {
  readonly kind: TriggerKind;
  readonly anyOf: SurfaceRow['anyOf'];
  /** An event that fulfils a row. */
  readonly sample: unknown;
  /**
   * The natural key of a record: equal for every delivery of the same event, and different for different events. Required: a kind
   * whose events have none says so, with the reason.
   */
  readonly key: DeliveryKind['key'];
  /** What the service gets back, as `explain` says it. */
  readonly answer: string;
  /** The longest time that the service waits, in milliseconds. */
  readonly maxMs?: number;
  /** Milliseconds that the answer needs before the end of the invocation. */
  readonly marginMs?: number;
}

/** What can be passed to the option `surfaces` of a container, to `createDispatcher`, or deployed on its own. */
export abstract class TriggerSurface implements Surface {
  /** The kind of its events. */
  readonly serves: readonly [TriggerKind];
  /** An event of this kind, which the container tests its rows with. */
  readonly sample: unknown;
  /** Whose invocations it takes: those of triggers alone, where it does not say otherwise. */
  readonly accepts: readonly InvocationProvenance[] = ['provider'];
  /**
   * A Lambda handler for a function that has this trigger alone. It may be taken out of its object, and rejects agent
   * invocations. Without a container it uses the machine's clock and `process.env`.
   */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
  /** Runs handlers. */
  protected readonly delivery: Delivery;
  readonly #definition: SurfaceDefinition;

  constructor(definition: SurfaceDefinition) {
    const { kind, key, maxMs, marginMs } = definition;
    this.#definition = definition;
    this.serves = [kind];
    this.sample = definition.sample;
    this.delivery = new Delivery({ kind, key, maxMs, marginMs });
    this.handleLambda = async (event, lambdaContext) => {
      this.delivery.refuseAgent(lambdaContext);
      return this.serve(kind, event, { lambdaContext });
    };
  }

  /** How its events are told from others. */
  get rows(): readonly SurfaceRow[] {
    return [{ kind: this.kind, anyOf: this.#definition.anyOf }];
  }

  /** Called by the container that the surface is passed to. */
  attach(host: SurfaceHost): void {
    this.delivery.attach(host);
  }

  /** Answers one event as its service expects. Rejects with what the service is to see as a failure. */
  async serve(_kind: TriggerKind, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    let items: readonly Delivered[];
    try {
      items = this.read(event);
    } catch (error) {
      if (isFrameworkError(error)) this.delivery.logRefusal(error, lambdaContext);
      throw error;
    }
    return this.answer(items, lambdaContext, event);
  }

  /** What the event would reach. Runs nothing. @throws what `serve` would reject with before it runs anything */
  explainTarget(_kind: TriggerKind, event: unknown): Target {
    const items = this.read(event);
    const sources = new Map<string, { name: string; records: number; handler: string | null }>();
    for (const { source, handler } of items) {
      const counted = sources.get(source.name) ?? { name: source.name, records: 0, handler: handlerName(handler) };
      counted.records += 1;
      sources.set(source.name, counted);
    }
    return {
      sources: [...sources.values()],
      handler: items[0] ? handlerName(items[0].handler) : null,
      posture: null,
      outcome: 'handled',
      projection: this.#definition.answer,
    };
  }

  /** The registrations, for inventories. */
  abstract triggers(): readonly TriggerRecord[];

  /** The kind of its events. */
  protected get kind(): TriggerKind {
    return this.#definition.kind;
  }

  /**
   * The records of an event with their handlers.
   *
   * @throws FrameworkError `triggers.invalid_event`, `triggers.no_handler`
   */
  protected abstract read(event: unknown): readonly Delivered[];

  /** Runs the records and makes the answer. By default each in order, the first failure thrown, and `null` answered. */
  protected async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    _event: unknown,
  ): Promise<unknown> {
    await this.delivery.each(items, lambdaContext);
    return null;
  }
}
