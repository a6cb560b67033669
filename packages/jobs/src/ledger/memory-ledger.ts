import { invalidOption } from '@sallyport/core';
import type { EventBusStore } from '../event-bus/event-bus.js';
import { createEventStore } from '../event-bus/internal/event-store.js';
import { PARTS, type PartOptions, parseParts } from '../internal/options.js';
import { createLedger } from './internal/create-ledger.js';
import { MemoryStore } from './internal/memory-store.js';
import type { JobLedger } from './ledger.js';

/** Rows that several ledgers of one process share, as instances of a function share a table. */
export interface MemoryTable {
  /** How many rows there are, expired ones too. */
  readonly size: number;
}

export interface MemoryLedgerOptions extends PartOptions {
  /** One of its own without it. */
  readonly table?: MemoryTable | undefined;
}

/** An empty table. */
export function createMemoryTable(): MemoryTable {
  return new MemoryStore();
}

/**
 * A ledger of one process, for tests and local runs: the same behaviour as the shared one, without a table.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function createMemoryJobLedger(options: MemoryLedgerOptions = {}): JobLedger {
  return createLedger(parse(options));
}

/**
 * An event store of one process, for tests and local runs.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function createMemoryEventBusStore(options: MemoryLedgerOptions = {}): EventBusStore {
  return createEventStore(parse(options));
}

function parse(options: MemoryLedgerOptions) {
  const parts = parseParts(options, [...PARTS, 'table']);
  const { table: store = new MemoryStore() } = options;
  if (!(store instanceof MemoryStore)) throw invalidOption('table', 'made by createMemoryTable');
  return { store, ...parts };
}
