/** A table in memory, for tests and local runs of a store. */
export { MemoryTable } from './memory/memory-table.js';
