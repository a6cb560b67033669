/** Deterministic parts for tests. Never reachable from the root entry. */
export { eventBusConformance, jobLedgerConformance } from './testing/conformance.js';
export { createFakeJobLedger, type FakeCall, type FakeFault, type FakeJobLedger } from './testing/fake.js';
export type { ConformanceCase, EventBusHarness, JobLedgerHarness } from './testing/harness.js';
