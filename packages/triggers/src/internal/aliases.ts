import type { AliasClaim, LambdaContext, SurfaceHost, TriggerKind, TriggerRecord } from '@sallyport/core';
import { qualifierOf } from '@sallyport/core/internal';
import type { EventHandler } from '@sallyport/streams/delivery';
import { refused, triggersError } from '../errors.js';
import { assertHandler, type HandlerEntry } from './handlers.js';
import { type SurfaceRow, TriggerSurface } from './surface.js';

/** The names of aliases; a name of digits is a version: https://docs.aws.amazon.com/lambda/latest/api/API_AliasConfiguration.html. */
const ALIAS = /^(?!\d+$)[\w-]{1,128}$/;

const TAKEN: unique symbol = Symbol.for('sallyport.triggers.aliases/1') as never;

/** The aliases that the triggers of each container have, of any copy of this package. */
function takenAliases(): WeakMap<object, readonly string[]> {
  const shared = globalThis as { [TAKEN]?: WeakMap<object, readonly string[]> };
  shared[TAKEN] ??= new WeakMap();
  return shared[TAKEN];
}

/**
 * A trigger whose events a device or a client wrote. The alias of an invocation selects the handler, because only AWS Lambda writes the
 * ARN of an invocation. The members of an event select nothing.
 */
export abstract class AliasTrigger extends TriggerSurface {
  readonly #entries = new Map<string, HandlerEntry>();
  #isAttached = false;

  /** No event is detected by its members. */
  override get rows(): readonly SurfaceRow[] {
    return [];
  }

  /** The registered aliases. @throws FrameworkError `app.invalid_configuration` for no registration */
  protected get names(): readonly string[] {
    if (this.#entries.size === 0) throw refused(`${this.kind} has no handler: register one for an alias`);
    return [...this.#entries.keys()];
  }

  /** Claims every invocation of a registered alias, regardless of its event. */
  claims(_kind: TriggerKind | undefined, _event: unknown, lambdaContext: LambdaContext | undefined): boolean {
    return this.#entries.has(qualifierOf(lambdaContext?.invokedFunctionArn) ?? '');
  }

  /** For `explain`: the failed condition, if the invocation used no registered alias. */
  explainClaim(lambdaContext: LambdaContext | undefined): readonly AliasClaim[] {
    const came = qualifierOf(lambdaContext?.invokedFunctionArn);
    const expected = `qualifier ${this.names.join(' or ')}`;
    const miss = {
      path: 'invokedFunctionArn',
      expected,
      found: came === undefined ? 'no qualifier' : `qualifier ${came}`,
    };
    return [[this.kind, this.#entries.has(came ?? '') ? [] : [miss]]];
  }

  override attach(host: SurfaceHost): void {
    const { names } = this;
    // Every surface of a container receives the same list.
    const taken = takenAliases();
    const others = taken.get(host.eventMiddlewares) ?? [];
    const twice = names.find((alias) => others.includes(alias));
    if (twice !== undefined) throw refused(`${this.kind}: another trigger of the container has the alias "${twice}"`);
    taken.set(host.eventMiddlewares, [...others, ...names]);
    this.#isAttached = true;
    super.attach(host);
  }

  /** The registered aliases, in order. */
  override triggers(): readonly TriggerRecord[] {
    return [...this.#entries.keys()].map((name) => ({ kind: this.kind, name, options: { qualifier: name } }));
  }

  /**
   * @throws FrameworkError `app.invalid_configuration` for a name that is not an alias or is taken, a handler that is not a function, or a
   *   registration after the container was created
   */
  protected add(alias: string, handler: EventHandler<never>): this {
    if (typeof alias !== 'string' || !ALIAS.test(alias)) {
      throw refused(
        `${this.kind}: the name must be an alias of the function: letters, digits, - and _, not only digits`,
      );
    }
    assertHandler(handler);
    if (this.#entries.has(alias)) throw refused(`${this.kind}: duplicate handler for the alias "${alias}"`);
    if (this.#isAttached) throw refused(`${this.kind}: register the alias "${alias}" before the container is created`);
    this.#entries.set(alias, { name: alias, handler });
    return this;
  }

  /** The handler of the alias that was invoked. @throws FrameworkError `triggers.foreign_alias` */
  protected entryOf(lambdaContext: LambdaContext | undefined): HandlerEntry {
    const entry = this.#entries.get(qualifierOf(lambdaContext?.invokedFunctionArn) ?? '');
    if (entry) return entry;
    throw triggersError('triggers.foreign_alias', `${this.kind} event: the invocation used no registered alias`);
  }
}
