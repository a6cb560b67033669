/** Deterministic parts for tests. Never reachable from the root entry. */
export { ManualClock, ManualIdGenerator, SettableClock } from './runtime/manual.js';
