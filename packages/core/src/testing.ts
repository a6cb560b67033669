/** Deterministic parts for tests. Never reachable from the root entry. */
export { ManualClock } from './runtime/manual.js';
export { ManualIdGenerator } from './runtime/manual-ids.js';
