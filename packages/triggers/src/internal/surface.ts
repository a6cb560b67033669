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
import { handlerName, registerCopy } from '@sallyport/core/internal';
import { type Delivered, Delivery, type DeliveryKind } from '@sallyport/streams/delivery';
import { VERSION } from '../internal/version.js';

registerCopy('@sallyport/triggers', VERSION, new Error());

/** One condition on an event, as in the detection table. */
export interface SurfaceCondition {
  /** Names and list indexes from the event down: `Records[0].eventSource`. */
  readonly path: string;
  /** Condition on the value at the path. */
  readonly test: 'equals' | 'present' | 'absent' | 'string' | 'text' | 'object';
  /** Operand of `equals`. */
  readonly value?: string;
}

/** Detection of a surface's events: all conditions of one alternative must be true. */
export interface SurfaceRow {
  /** The kind of the events. */
  readonly kind: TriggerKind;
  /** Alternatives; an event matches if one of them matches. */
  readonly anyOf: readonly (readonly SurfaceCondition[])[];
}

/** Detection of the events of one kind. */
export interface TriggerShape {
  readonly kind: TriggerKind;
  readonly anyOf: SurfaceRow['anyOf'];
  /** An event that matches a row. */
  readonly sample: unknown;
}

/** The half of a trigger that runs; a file in `catalogue/` has the other half, for tests and tools. */
export interface TriggerDefinition extends TriggerShape, DeliveryKind {
  /** Description of the answer to the service, for `explain`. */
  readonly answer: string;
}

/** Defines the half of a trigger that runs; its file in `kinds/` reads and answers the events. */
export function defineTrigger<const D extends TriggerShape>(definition: D): D {
  return definition;
}

/** A surface for the option `surfaces` of a container or for `createDispatcher`; it can also be deployed alone. */
export abstract class TriggerSurface implements Surface {
  /** The kind of its events. */
  readonly serves: readonly [TriggerKind];
  /** Accepted invocations: by default only invocations by services. */
  readonly accepts: readonly InvocationProvenance[] = ['provider'];
  /**
   * A Lambda handler for a function with only this trigger. It can be detached from its object, and rejects agent
   * invocations. Without a container it uses the machine's clock and `process.env`.
   */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
  /** Runs handlers. */
  protected readonly delivery: Delivery;
  readonly #definition: TriggerDefinition;

  constructor(definition: TriggerDefinition) {
    const { kind } = definition;
    this.#definition = definition;
    this.serves = [kind];
    this.delivery = new Delivery(definition);
    this.handleLambda = async (event, lambdaContext) => {
      this.delivery.refuseAgent(lambdaContext);
      return this.serve(kind, event, { lambdaContext });
    };
  }

  /** An event of this kind, which the container tests its rows with. */
  get sample(): unknown {
    return this.#definition.sample;
  }

  /** Detection rows of its events. */
  get rows(): readonly SurfaceRow[] {
    return [{ kind: this.kind, anyOf: this.#definition.anyOf }];
  }

  /** Called by the container that the surface is passed to. */
  attach(host: SurfaceHost): void {
    this.delivery.attach(host);
  }

  /** Answers one event as its service expects. Rejects with the failure for the service. */
  async serve(_kind: TriggerKind, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    let items: readonly Delivered[];
    try {
      items = this.read(event, lambdaContext);
    } catch (error) {
      if (isFrameworkError(error)) this.delivery.logRefusal(error, lambdaContext);
      throw error;
    }
    return this.answer(items, lambdaContext, event);
  }

  /** The target of the event. Runs no handler. @throws the errors that `serve` throws before it runs a handler */
  explainTarget(_kind: TriggerKind, event: unknown, lambdaContext?: LambdaContext): Target {
    const items = this.read(event, lambdaContext);
    const sources = new Map<string, { name: string; records: number; handler: string | null }>();
    for (const { source, handler } of items) {
      const { name } = source;
      const counted = sources.get(name) ?? { name, records: 0, handler: handlerName(handler) };
      sources.set(name, { ...counted, records: counted.records + 1 });
    }
    return {
      sources: [...sources.values()],
      handler: items[0] ? handlerName(items[0].handler) : null,
      posture: null,
      outcome: 'handled',
      projection: this.#definition.answer,
    };
  }

  /** The registrations, for inventories; by default one record without a name. */
  triggers(): readonly TriggerRecord[] {
    return [{ kind: this.kind }];
  }

  /** The kind of its events. */
  protected get kind(): TriggerKind {
    return this.#definition.kind;
  }

  /**
   * The records of an event with their handlers.
   *
   * @throws FrameworkError `triggers.invalid_event`, `triggers.no_handler`
   */
  protected abstract read(event: unknown, lambdaContext?: LambdaContext): readonly Delivered[];

  /** Runs the records and builds the answer. By default it runs them in order, throws the first failure and answers `null`. */
  protected async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    _event: unknown,
  ): Promise<unknown> {
    await this.delivery.each(items, lambdaContext);
    return null;
  }
}
