import type { EventHandler } from './context.js';
import { refused } from './errors.js';
import { type LooseRecord, textOf } from './loose-record.js';
import { type EventBusSelector, matchesSelector, selectorName } from './selectors.js';
import {
  type EventSource,
  parseRegisteredArn,
  parseSourceArn,
  RECORD_SOURCES,
  type RecordKind,
  recordArn,
} from './sources.js';

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

/** Handlers by the source that they serve. */
export class Registry {
  readonly #records = new Map<string, Registration>();
  /** Those with more fields first, of equals the earlier. */
  readonly #selectors: { readonly fields: number; readonly registration: Registration }[] = [];

  /**
   * @param place physical name or ARN
   * @throws FrameworkError for an ARN of another service, or a second handler for one source
   */
  addRecords(kind: RecordKind, place: string, registration: Registration): void {
    const { noun } = RECORD_SOURCES[kind];
    const arn = place.startsWith('arn:');
    const source = arn ? parseRegisteredArn(kind, place) : undefined;
    if (arn && source === undefined) throw refused(`${noun} name is no ${noun} ARN`);
    this.#claim(`${kind} ${source?.arn ?? place}`, noun, registration);
  }

  /** @throws FrameworkError for a second handler of one selector */
  addSelector(selector: EventBusSelector, handler: EventHandler<unknown>): void {
    const registration = { name: selectorName(selector), handler, concurrency: 1, stops: true, selector };
    this.#claim(`event-bus ${JSON.stringify(selector)}`, 'event-bus', registration);
    const fields = Object.keys(selector).length;
    const place = this.#selectors.findIndex((other) => other.fields < fields);
    this.#selectors.splice(place < 0 ? this.#selectors.length : place, 0, { fields, registration });
  }

  #claim(key: string, noun: string, registration: Registration): void {
    if (this.#records.has(key)) throw refused(`duplicate handler for ${noun} "${registration.name}"`);
    this.#records.set(key, registration);
  }

  /** The target of every record, or `undefined` in its place; runs nothing. */
  resolve(kind: string, records: readonly LooseRecord[]): (Target | undefined)[] {
    if (kind === 'event-bus') return records.map((event) => this.#resolveEvent(event));
    let arn: unknown;
    let target: Target | undefined;
    return records.map((record) => {
      const own = recordArn(kind as RecordKind, record);
      // Records of one batch nearly always share their source: it is looked up once.
      if (own !== arn) {
        arn = own;
        target = this.#resolveArn(kind as RecordKind, textOf(own));
      }
      return target;
    });
  }

  #resolveArn(kind: RecordKind, arn: string): Target | undefined {
    const source = parseSourceArn(kind, arn);
    const registration =
      source && (this.#records.get(`${kind} ${source.arn}`) ?? this.#records.get(`${kind} ${source.name}`));
    return registration && { source, registration };
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
