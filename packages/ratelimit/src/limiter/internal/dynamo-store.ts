import { createMap } from '@sallyport/core/pipeline';
import { type Condition, type Item, type ItemTable, TTL_ATTRIBUTE } from '@sallyport/dynamo';
import type {
  Address,
  Check,
  ConditionalWrite,
  CounterStore,
  Counters,
  CounterValue,
  WriteOutcome,
} from '../../strategies/internal/definition.js';

/** The counters of a limiter in a DynamoDB table. */
export class DynamoStore implements CounterStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** A refusal without an item is not read again: the decider reads where it needs to. */
  async write(address: Address, write: ConditionalWrite, signal?: AbortSignal): Promise<WriteOutcome> {
    const { checks, adds, sets, removes, expiresAt, keepsExpiry } = write;
    const expiry = { [TTL_ATTRIBUTE]: expiresAt };
    const changes = {
      set: { ...toItem(sets), ...(keepsExpiry ? {} : expiry) },
      setIfAbsent: keepsExpiry ? expiry : {},
      add: toItem(adds),
      remove: removes,
    };
    const condition = checks.length === 0 ? undefined : { all: checks.map(toCondition) };
    const { applied, item } = await this.#table.update(address, changes, { condition, signal, reread: false });
    return { applied, counters: item && toCounters(item) };
  }

  async read(address: Address, signal?: AbortSignal): Promise<Counters> {
    return toCounters((await this.#table.get(address, { consistent: true, signal })) ?? {});
  }

  async remove(address: Address, signal?: AbortSignal): Promise<void> {
    await this.#table.remove(address, { signal });
  }
}

function toItem(values: readonly CounterValue[]): Record<string, number> {
  return Object.fromEntries(values.map(({ counter, value }) => [counter, value]));
}

function toCondition({ counter: attribute, above, max }: Check): Condition {
  const most = { attribute, is: '<=', value: max } as const;
  if (above === undefined) return { any: [{ absent: attribute }, most] };
  return { all: [{ attribute, is: '>', value: above }, most] };
}

/** The counters of an item: its numbers, but for the expiry. */
function toCounters(item: Item): Counters {
  const counters = createMap<number>();
  for (const [name, value] of Object.entries(item)) {
    if (typeof value === 'number' && name !== TTL_ATTRIBUTE) counters[name] = value;
  }
  return counters;
}
