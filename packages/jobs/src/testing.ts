/** Deterministic parts for tests. Never reachable from the root entry. */
export { eventBusConformance, jobLedgerConformance } from './testing/conformance.js';
export type { ConformanceCase, EventBusHarness, JobLedgerHarness } from './testing/harness.js';
