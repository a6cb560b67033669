import type { FrameworkError } from '@sallyport/core';
import type { Delivery, EventHandler } from '@sallyport/streams/delivery';
import { refused, triggersError } from '../errors.js';

/** A handler and the name that it was registered under. */
export interface HandlerEntry {
  readonly name: string;
  readonly handler: EventHandler<never>;
}

/** @throws FrameworkError `app.invalid_configuration` for a value that is not a function */
export function assertHandler(handler: unknown, what = 'handler'): void {
  if (typeof handler !== 'function') throw refused(`${what} must be a function`);
}

/** The handlers of one surface by name. Names are the names of the deployed sources, or `FRAMEWORK_EVENT_SOURCES` maps them. */
export class Handlers {
  readonly #noun: string;
  readonly #method: string | undefined;
  readonly #entries = new Map<string, HandlerEntry>();
  #byPlace: Map<string, HandlerEntry> | undefined;

  /**
   * @param noun name of the source in error messages
   * @param method the key in `FRAMEWORK_EVENT_SOURCES`; left out if names are not names of deployed sources
   */
  constructor(noun: string, method?: string) {
    this.#noun = noun;
    this.#method = method;
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** @throws FrameworkError `app.invalid_configuration` for a name that is blank or taken, or a handler that is not a function */
  add(name: string, handler: EventHandler<never>): void {
    if (typeof name !== 'string' || name.trim() === '') throw refused(`${this.#noun} name is empty`);
    assertHandler(handler);
    if (this.#entries.has(name)) throw refused(`duplicate handler for ${this.#noun} "${name}"`);
    this.#entries.set(name, { name, handler });
    this.#byPlace = undefined;
  }

  /** The handler for the first of these names or ARNs that has a registered handler. */
  find(delivery: Delivery, ...places: readonly string[]): HandlerEntry | undefined {
    this.#byPlace ??= this.#index(delivery);
    for (const place of places) {
      const entry = this.#byPlace.get(place);
      if (entry) return entry;
    }
    return undefined;
  }

  /** @throws FrameworkError if two registrations have the same deployed name */
  #index(delivery: Delivery): Map<string, HandlerEntry> {
    const byPlace = new Map<string, HandlerEntry>();
    for (const entry of this.#entries.values()) {
      const place = this.#method === undefined ? entry.name : delivery.physicalName(this.#method, entry.name);
      if (byPlace.has(place)) throw refused(`duplicate handler for ${this.#noun} "${entry.name}"`);
      byPlace.set(place, entry);
    }
    return byPlace;
  }

  /** The error of an event without a handler. Its cause, which only logs show, names the received source and the registered names. */
  missing(kind: string, came: string): FrameworkError {
    const names = this.names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
    const registered = names.length === 0 ? 'no handler is registered' : `registered are ${names.join(', ')}`;
    const cause = new Error(`the ${this.#noun} is ${JSON.stringify(came.slice(0, MAX_SHOWN_NAME))}; ${registered}`);
    return triggersError('triggers.no_handler', `no handler for ${kind}`, { cause });
  }
}

const MAX_NAMES = 20;
const MAX_SHOWN_NAME = 256;
