import { createMap } from '@sallyport/core/internal';
import {
  type Condition,
  type Item,
  type ItemTable,
  type Key,
  TTL_ATTRIBUTE,
  WRITER_ATTRIBUTE,
} from '@sallyport/dynamo';
import type {
  Address,
  Check,
  ConditionalWrite,
  CounterStore,
  Counters,
  CounterValue,
  WriteOutcome,
} from '../../strategies/internal/definition.js';
import { assertItems, guardOf, newWriter } from './layout.js';

/** The counters of a limiter in a DynamoDB table. */
export class DynamoStore implements CounterStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /**
   * A write has its own id, and one of its conditions is that the last write of the item has another id. If a write
   * was applied and its answer was lost, the repetition is rejected, and recognized by its id. After a rejection without an item,
   * the item is read only if the checks would be true for an absent item.
   *
   * @throws OtherItems if the key is spread over another number of items
   */
  async write(address: Address, write: ConditionalWrite, signal?: AbortSignal): Promise<WriteOutcome> {
    const { checks, adds, sets, removes, expiresAt, keepsExpiry, once } = write;
    const { part } = address;
    const guard = guardOf(part);
    const expiry = { [TTL_ATTRIBUTE]: expiresAt };
    const changes = {
      set: { ...toItem(sets), ...guard.set, ...(keepsExpiry ? {} : expiry) },
      setIfAbsent: keepsExpiry ? expiry : {},
      add: toItem(adds),
      remove: removes,
    };
    const writer = newWriter();
    const condition = { all: [...guard.condition, ...checks.map(toCondition), notWrittenBy(writer)] };
    const reread = checks.every(({ above }) => above === undefined) && (part.isFirst || part.isVerified === true);
    const options = { condition, writer, signal, reread, once };
    const { applied, item } = await this.#table.update(keyOf(address), changes, options);
    if (!applied) assertItems(part, item);
    return { applied, counters: item && toCounters(item) };
  }

  async read(address: Address, signal?: AbortSignal): Promise<Counters> {
    const item = await this.#table.get(keyOf(address), { consistent: true, signal });
    if (address.part.isFirst) assertItems(address.part, item);
    return toCounters(item ?? {});
  }

  async glance(address: Address, signal?: AbortSignal): Promise<Counters | undefined> {
    try {
      return toCounters((await this.#table.get(keyOf(address), { signal })) ?? {});
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  }

  /** @throws OtherItems if the key is spread over another number of items */
  async remove(address: Address, signal?: AbortSignal): Promise<void> {
    const { part } = address;
    const condition = part.isFirst ? { all: guardOf(part).condition } : undefined;
    const { applied, item } = await this.#table.remove(keyOf(address), { condition, signal, once: true });
    if (!applied) assertItems(part, item);
  }
}

function keyOf({ pk, sk }: Address): Key {
  return { pk, sk };
}

function notWrittenBy(writer: string): Condition {
  return { any: [{ absent: WRITER_ATTRIBUTE }, { attribute: WRITER_ATTRIBUTE, is: '<>', value: writer }] };
}

function toItem(values: readonly CounterValue[]): Record<string, number> {
  return Object.fromEntries(values.map(({ counter, value }) => [counter, value]));
}

function toCondition({ counter: attribute, above, max }: Check): Condition {
  const most = { attribute, is: '<=', value: max } as const;
  if (above === undefined) return { any: [{ absent: attribute }, most] };
  return { all: [{ attribute, is: '>', value: above }, most] };
}

/** The counters of an item: its numbers, except for the expiry. */
function toCounters(item: Item): Counters {
  const counters = createMap<number>();
  for (const [name, value] of Object.entries(item)) {
    if (typeof value === 'number' && name !== TTL_ATTRIBUTE) counters[name] = value;
  }
  return counters;
}
