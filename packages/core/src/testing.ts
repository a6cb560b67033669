/** Deterministic parts for tests. Never reachable from the root entry. */
export { ManualClock } from './manual-clock.js';
export { ManualIdGenerator } from './manual-ids.js';
