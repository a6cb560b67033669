/** Deterministic parts for tests. The root entry does not import them. */
export { eventBusConformance, jobLedgerConformance } from './testing/conformance.js';
export { createFakeJobLedger, type FakeCall, type FakeFault, type FakeJobLedger } from './testing/fake.js';
export type { ConformanceCase, EventBusHarness, JobLedgerHarness } from './testing/harness.js';
