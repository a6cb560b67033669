/** Deterministic parts for tests. Never reachable from the root entry. */
export { ManualClock, ManualIdGenerator } from './runtime/manual.js';
