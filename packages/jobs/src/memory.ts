export {
  createMemoryEventBusStore,
  createMemoryJobLedger,
  createMemoryTable,
  type MemoryLedgerOptions,
  type MemoryTable,
} from './ledger/memory-ledger.js';
