import type { TriggerRecord } from '@sallyport/core';
import { type EventHandler, payloadMark } from '@sallyport/streams/delivery';
import { refused, triggersError } from '../errors.js';
import { type TriggerDefinition, TriggerSurface } from './surface.js';

/** A handler and the name that it was registered under. */
export interface HandlerEntry {
  readonly name: string;
  readonly handler: EventHandler<never>;
}

/** @throws FrameworkError `app.invalid_configuration` for a value that is not a function */
export function assertHandler(handler: unknown, what = 'handler'): void {
  if (typeof handler !== 'function') throw refused(`${what} must be a function`);
}

/** A trigger with one handler for each name. Names are the names of the deployed sources, or `FRAMEWORK_EVENT_SOURCES` maps them. */
export abstract class NamedTrigger extends TriggerSurface {
  readonly #noun: string;
  readonly #method: string | undefined;
  readonly #entries = new Map<string, HandlerEntry>();
  #byPlace: Map<string, HandlerEntry> | undefined;

  /**
   * @param noun name of a source in error messages
   * @param method the key in `FRAMEWORK_EVENT_SOURCES`; left out if names are not names of deployed sources
   */
  constructor(definition: TriggerDefinition, noun: string, method?: string) {
    super(definition);
    this.#noun = noun;
    this.#method = method;
  }

  /** The registered names, in order. */
  override triggers(): readonly TriggerRecord[] {
    return [...this.#entries.values()].map(({ name, handler }) => ({ kind: this.kind, name, ...payloadMark(handler) }));
  }

  /** The registered names, in order. */
  protected get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** @throws FrameworkError `app.invalid_configuration` for a name that is blank or taken, or a handler that is not a function */
  protected add(name: string, handler: EventHandler<never>): this {
    if (typeof name !== 'string' || name.trim() === '') throw refused(`${this.#noun} name is empty`);
    assertHandler(handler, `the handler of ${this.#noun} "${name}"`);
    if (this.#entries.has(name)) throw refused(`duplicate handler for ${this.#noun} "${name}"`);
    this.#entries.set(name, { name, handler });
    this.#byPlace = undefined;
    return this;
  }

  /** The handler for the first of these names or ARNs that has a registered handler. */
  protected find(...places: readonly string[]): HandlerEntry | undefined {
    this.#byPlace ??= this.#index();
    for (const place of places) {
      const entry = this.#byPlace.get(place);
      if (entry) return entry;
    }
    return undefined;
  }

  /**
   * The handler for the first of these names or ARNs that has a registered handler. The cause of the error, which only logs show, names
   * the received source, which is the last of them, and the registered names.
   *
   * @throws FrameworkError `triggers.no_handler`
   */
  protected handlerOf(came: string, ...places: readonly string[]): HandlerEntry {
    const entry = this.find(...places);
    if (entry) return entry;
    const names = this.names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
    const registered = names.length > 0 ? `registered are ${names.join(', ')}` : 'no handler is registered';
    const cause = new Error(`the ${this.#noun} is ${JSON.stringify(came.slice(0, MAX_SHOWN_NAME))}; ${registered}`);
    throw triggersError('triggers.no_handler', `no handler for ${this.kind}`, { cause });
  }

  /** @throws FrameworkError if two registrations have the same deployed name */
  #index(): Map<string, HandlerEntry> {
    const byPlace = new Map<string, HandlerEntry>();
    for (const entry of this.#entries.values()) {
      const { name } = entry;
      const place = this.#method ? this.delivery.physicalName(this.#method, name) : name;
      if (byPlace.has(place)) throw refused(`duplicate handler for ${this.#noun} "${name}"`);
      byPlace.set(place, entry);
    }
    return byPlace;
  }
}

const MAX_NAMES = 20;
const MAX_SHOWN_NAME = 256;
