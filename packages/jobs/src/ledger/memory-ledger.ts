import { defineOptions, kind } from '@sallyport/core/options';
import { MemoryTable as Items } from '@sallyport/dynamo';
import type { EventBusStore } from '../event-bus/event-bus.js';
import { createEventStore } from '../event-bus/event-store.js';
import { CompletedKeys } from '../idempotency/internal/completed-keys.js';
import { completedKeysOption, type LedgerPartOptions, PART_OPTIONS, partsOf } from '../internal/input.js';
import { createLedger } from './create-job-ledger.js';
import type { JobLedger } from './ledger.js';

/** Rows that several ledgers of one process share, like function instances share a table. */
export interface MemoryTable {
  /** The number of rows, including expired rows. */
  readonly size: number;
}

/** Options of {@link createMemoryJobLedger} and {@link createMemoryEventBusStore}. */
export interface MemoryLedgerOptions extends LedgerPartOptions {
  /** Rows to share, made by {@link createMemoryTable}. Default: a new, empty table. */
  readonly table?: MemoryTable | undefined;
}

/** Validators and defaults for {@link MemoryLedgerOptions}. */
export const MEMORY_LEDGER_OPTIONS = defineOptions<MemoryLedgerOptions>()({
  ...PART_OPTIONS,
  completedKeys: completedKeysOption,
  table: kind<Items>('a table made by createMemoryTable', (value) => value instanceof Items),
});

/** An empty table. */
export function createMemoryTable(): MemoryTable {
  return new Items();
}

/**
 * Creates a ledger in the memory of one process, for tests and local runs. It behaves like the ledger in DynamoDB.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example const ledger = createMemoryJobLedger();
 */
export function createMemoryJobLedger(options: MemoryLedgerOptions = {}): JobLedger {
  return createLedger(parse(options));
}

/**
 * An event store in the memory of one process, for tests and local runs.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example const events = createMemoryEventBusStore();
 */
export function createMemoryEventBusStore(options: MemoryLedgerOptions = {}): EventBusStore {
  return createEventStore(parse(options));
}

function parse(options: MemoryLedgerOptions) {
  const { table = new Items(), completedKeys, ...parts } = MEMORY_LEDGER_OPTIONS.parse(options);
  return { store: table, ...partsOf(parts), completedKeys: new CompletedKeys(completedKeys) };
}
