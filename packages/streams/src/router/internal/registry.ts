import type { EventHandler } from '../../batch/handler.js';
import { refused } from '../../errors.js';
import { type EventBusSelector, matchesSelector, selectorName } from '../../sources/event-bus.js';
import { type LooseRecord, textOf } from '../../sources/internal/loose-record.js';
import {
  type EventSource,
  parseRegisteredArn,
  parseSourceArn,
  type RecordKind,
  type RecordSource,
} from '../../sources/source.js';
import { whyNoEventHandler, whyNoRecordHandler } from './no-handler.js';

/** A handler and the name that it was registered under. */
export interface Registration {
  readonly name: string;
  readonly handler: EventHandler<unknown>;
  /** How many of its records may run at once. */
  readonly concurrency: number;
  /** Whether a failure ends the batch. */
  readonly stops: boolean;
  readonly selector?: EventBusSelector;
}

/** What a record reached: where it came from, and the handler for that. */
export interface Target {
  readonly source: EventSource;
  readonly registration: Registration;
}

/** Finds what records reach. */
export interface Resolver {
  /** The target of every record, or `undefined` in its place; runs nothing. */
  resolve(kind: string, records: readonly LooseRecord[]): (Target | undefined)[];
  /** Why a record or event without a target has none, for logs. */
  whyNoHandler(kind: string, record: LooseRecord): string;
}

/** Handlers of the sources of records. */
export class RecordRegistry implements Resolver {
  readonly #registrations = new Map<string, Registration>();
  readonly #sources = new Map<string, RecordSource>();

  /**
   * @param place physical name or ARN
   * @throws FrameworkError for an ARN of another service, or a second handler for one source
   */
  addRecords(kind: RecordKind, source: RecordSource, place: string, registration: Registration): void {
    const { noun } = source;
    const arn = place.startsWith('arn:');
    const registered = arn ? parseRegisteredArn(source, place) : undefined;
    if (arn && registered === undefined) throw refused(`${noun} name is no ${noun} ARN`);
    this.claim(`${kind} ${registered?.arn ?? place}`, noun, registration);
    this.#sources.set(kind, source);
  }

  protected claim(key: string, noun: string, registration: Registration): void {
    if (this.#registrations.has(key)) throw refused(`duplicate handler for ${noun} "${registration.name}"`);
    this.#registrations.set(key, registration);
  }

  whyNoHandler(kind: string, record: LooseRecord): string {
    const names = this.placesOf(kind).map(([place, { name }]) =>
      place === name ? JSON.stringify(name) : `${JSON.stringify(name)} as ${JSON.stringify(place)}`,
    );
    return whyNoRecordHandler(record, names);
  }

  /** What handlers of a kind are registered for: physical name or ARN of a source, JSON of a selector. */
  protected placesOf(kind: string): [string, Registration][] {
    const prefix = `${kind} `;
    return [...this.#registrations]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, registration]) => [key.slice(prefix.length), registration]);
  }

  resolve(kind: string, records: readonly LooseRecord[]): (Target | undefined)[] {
    const recordSource = this.#sources.get(kind);
    if (recordSource === undefined) return records.map(() => undefined);
    let arn: unknown;
    let target: Target | undefined;
    return records.map((record) => {
      const own = recordSource.arnOf(record);
      // Records of one batch nearly always share their source: it is looked up once.
      if (own !== arn) {
        arn = own;
        const source = parseSourceArn(recordSource, textOf(own));
        const registration =
          source &&
          (this.#registrations.get(`${kind} ${source.arn}`) ?? this.#registrations.get(`${kind} ${source.name}`));
        target = registration && { source, registration };
      }
      return target;
    });
  }
}

/** Handlers of every kind of source. */
export class Registry extends RecordRegistry {
  /** Those with more fields first, of equals the earlier. */
  readonly #selectors: { readonly fields: number; readonly registration: Registration }[] = [];

  /** @throws FrameworkError for a second handler of one selector */
  addSelector(selector: EventBusSelector, handler: EventHandler<unknown>): void {
    const registration = { name: selectorName(selector), handler, concurrency: 1, stops: true, selector };
    this.claim(`event-bus ${JSON.stringify(selector)}`, 'event-bus', registration);
    const fields = Object.keys(selector).length;
    const place = this.#selectors.findIndex((other) => other.fields < fields);
    this.#selectors.splice(place < 0 ? this.#selectors.length : place, 0, { fields, registration });
  }

  override whyNoHandler(kind: string, record: LooseRecord): string {
    if (kind !== 'event-bus') return super.whyNoHandler(kind, record);
    return whyNoEventHandler(
      record,
      this.placesOf(kind).map(([selector]) => selector),
    );
  }

  override resolve(kind: string, records: readonly LooseRecord[]): (Target | undefined)[] {
    return kind === 'event-bus' ? records.map((event) => this.#resolveEvent(event)) : super.resolve(kind, records);
  }

  #resolveEvent(event: LooseRecord): Target | undefined {
    const found = this.#selectors.find(
      ({ registration: { selector } }) => selector && matchesSelector(selector, event),
    );
    const source = {
      name: textOf(event.source),
      arn: '',
      account: textOf(event.account),
      region: textOf(event.region),
    };
    return found && { source, registration: found.registration };
  }
}
