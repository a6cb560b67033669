import { FrameworkError } from '@sallyport/core';
import { stringOf } from '@sallyport/core/internal';
import type { EventHandler } from '../batch/handler.js';
import { refused } from '../errors.js';
import { EVENT_SOURCES_ENV } from '../schema.js';
import {
  detailTypeOf,
  type EventBusSelector,
  eventSourceOf,
  matchesSelector,
  parseSelector,
  selectorName,
} from '../sources/event-bus.js';
import {
  type EventSource,
  type LooseRecord,
  parseSourceArn,
  type RecordSource,
  type RunRules,
  type SourceDefinition,
} from '../sources/source.js';
import { type PhysicalNames, physicalName } from './internal/settings.js';

/** One registration, for inventories. Frozen. */
export type Trigger =
  | { readonly kind: 'queue'; readonly name: string; readonly concurrency?: number; readonly failWhole?: boolean }
  | {
      readonly kind: 'table-stream' | 'stream';
      readonly name: string;
      readonly onFailure?: 'continue' | 'stop';
      readonly failWhole?: boolean;
    }
  | { readonly kind: 'topic'; readonly name: string }
  | { readonly kind: 'event-bus'; readonly selector: EventBusSelector };

/** A handler, the name that it was registered under, and how its records run. */
export interface HandlerEntry extends RunRules {
  readonly name: string;
  readonly handler: EventHandler<unknown>;
}

/** The target of a record: its source, and the handler of that source. */
export interface HandlerMatch {
  readonly source: EventSource;
  readonly entry: HandlerEntry;
}

/** Finds the handlers of records. */
export interface HandlerLookup {
  /** The match of every record, or `undefined`; runs no handler. */
  find(source: SourceDefinition, records: readonly LooseRecord[]): readonly (HandlerMatch | undefined)[];
  /** The error of a record without a match. Its cause, which only logs show, names the source and the registrations. */
  noHandler(source: SourceDefinition, record: LooseRecord): FrameworkError;
}

/** @throws FrameworkError for a value that is not a function */
export function assertHandler(handler: unknown, what = 'handler'): void {
  if (typeof handler !== 'function') throw refused(`${what} must be a function`);
}

/** Handlers of sources that have a name. */
export class HandlerRegistry implements HandlerLookup {
  readonly #entries = new Map<string, HandlerEntry>();
  protected readonly physicalNames: PhysicalNames;
  readonly #concurrency: number;

  /** @param concurrency of standard queues without the option `concurrency` */
  constructor(physicalNames: PhysicalNames, concurrency: number) {
    this.physicalNames = physicalNames;
    this.#concurrency = concurrency;
  }

  /**
   * Registers the handler of one source; a rejected registration has no effect.
   *
   * @throws FrameworkError for a blank or repeated name, an ARN of another service, a handler that is not a function, an option
   *   that is unknown or does not fit
   */
  add(source: RecordSource, name: string, handler: EventHandler<never>, options: object | undefined): void {
    const { noun, method } = source;
    if (stringOf(name).trim() === '') throw refused(`${noun} name is empty`);
    assertHandler(handler);
    const place = physicalName(this.physicalNames, method, name);
    const rules = source.rules(options, place, this.#concurrency);
    const arn = place.startsWith('arn:') ? parseRegisteredArn(source, place) : undefined;
    this.claim(source, arn ?? place, { name, handler: handler as EventHandler<unknown>, ...rules });
  }

  protected claim({ kind, noun }: SourceDefinition, place: string, entry: HandlerEntry): void {
    const key = `${kind} ${place}`;
    if (this.#entries.has(key)) throw refused(`duplicate handler for ${noun} "${entry.name}"`);
    this.#entries.set(key, entry);
  }

  find(source: RecordSource, records: readonly LooseRecord[]): readonly (HandlerMatch | undefined)[] {
    let arn: unknown;
    let match: HandlerMatch | undefined;
    return records.map((record) => {
      const own = source.arnOf(record);
      // Records of one batch nearly always share their source: it is looked up once.
      if (own !== arn) {
        arn = own;
        const parts = parseSourceArn(source, stringOf(own));
        const entry =
          parts &&
          (this.#entries.get(`${source.kind} ${parts.arn}`) ?? this.#entries.get(`${source.kind} ${parts.name}`));
        match = entry && { source: parts, entry };
      }
      return match;
    });
  }

  noHandler(source: SourceDefinition, record: LooseRecord): FrameworkError {
    const what = source.eventNoun ?? source.kind;
    const cause = new Error(this.describeMiss(source, record));
    return new FrameworkError('streams.no_handler', `framework: no handler for ${what}`, { cause });
  }

  /** A hint in the error: handlers are often registered under another name than the deployed one. */
  protected describeMiss({ kind }: SourceDefinition, record: LooseRecord | null): string {
    const names = this.placesOf(kind).map(([place, { name }]) =>
      place === name ? JSON.stringify(name) : `${JSON.stringify(name)} as ${JSON.stringify(place)}`,
    );
    const arn = stringOf(record?.eventSourceARN) || stringOf(record?.Sns?.TopicArn);
    const hint = names.length > 0 ? `; ${EVENT_SOURCES_ENV} maps their names to deployed ones` : '';
    return `the record comes from ${quoted(arn)}; ${registeredFor(names)}${hint}`;
  }

  /** The places that handlers of a kind are registered for: physical name or ARN of a source, JSON of a selector. */
  protected placesOf(kind: string): [string, HandlerEntry][] {
    const prefix = `${kind} `;
    return [...this.#entries]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, entry]) => [key.slice(prefix.length), entry]);
  }
}

/** Handlers of every kind of source: named sources, and event buses. */
export class EventHandlerRegistry extends HandlerRegistry {
  /** Selectors with more fields first, then in the order of registration. */
  readonly #selectors: {
    readonly selector: EventBusSelector;
    readonly fields: number;
    readonly entry: HandlerEntry;
  }[] = [];

  /**
   * Registers the handler of the events that fit a selector, and returns the selector's frozen copy.
   *
   * @throws FrameworkError for a selector that is empty, wrong or registered already, or a handler that is not a function
   */
  addSelector(bus: SourceDefinition, given: EventBusSelector, handler: EventHandler<never>): EventBusSelector {
    const selector = parseSelector(given);
    assertHandler(handler);
    const entry = {
      name: selectorName(selector),
      handler: handler as EventHandler<unknown>,
      concurrency: 1,
      stops: true,
    };
    this.claim(bus, JSON.stringify(selector), entry);
    const fields = Object.keys(selector).length;
    const place = this.#selectors.findIndex((other) => other.fields < fields);
    const deployed = this.#deployed(selector);
    this.#selectors.splice(place < 0 ? this.#selectors.length : place, 0, { selector: deployed, fields, entry });
    return selector;
  }

  /** The selector with the deployed names of its rule and its schedule. */
  #deployed({ ruleName, scheduleName, ...selector }: EventBusSelector): EventBusSelector {
    const names = this.physicalNames;
    return {
      ...selector,
      ...(ruleName !== undefined && { ruleName: physicalName(names, 'rule', ruleName) }),
      ...(scheduleName !== undefined && { scheduleName: physicalName(names, 'schedule', scheduleName) }),
    };
  }

  override find(source: SourceDefinition, records: readonly LooseRecord[]): readonly (HandlerMatch | undefined)[] {
    if (isRecordSource(source)) return super.find(source, records);
    return records.map((event) => {
      const found = this.#selectors.find(({ selector }) => matchesSelector(selector, event));
      return found && { source: eventSourceOf(event), entry: found.entry };
    });
  }

  protected override describeMiss(source: SourceDefinition, record: LooseRecord): string {
    if (isRecordSource(source)) return super.describeMiss(source, record);
    const selectors = this.placesOf(source.kind).map(([selector]) => selector);
    const detailType = quoted(detailTypeOf(record));
    return `the event has source ${quoted(stringOf(record.source))} and detail type ${detailType}; ${registeredFor(selectors)}`;
  }
}

function isRecordSource(source: SourceDefinition): source is RecordSource {
  return 'arnOf' in source;
}

const MAX_NAME = 256;
const MAX_NAMES = 20;

/** Names of handlers for error messages, at most twenty. */
function registeredFor(names: readonly string[]): string {
  if (names.length === 0) return 'no handler of this kind is registered';
  return `handlers are registered for ${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`;
}

/** A name from an event for error messages, cut after 256 characters. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME));
}

/** The ARN that a handler is registered for, without its tail; a table's ARN may lack the stream's label. */
function parseRegisteredArn(source: RecordSource, arn: string): string {
  const parts = parseSourceArn(source, arn) ?? parseSourceArn(source, `${arn}/stream/*`);
  if (parts === undefined) throw refused(`${source.noun} name is not the ARN of a ${source.noun}`);
  return parts.arn;
}
