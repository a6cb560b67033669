// Tests of durable functions: AWS's SDK over a service in memory, kills, and a search for what a replay would break.
export { explore, type Finding, type FindingKind } from './testing/explore.js';
export { type FakeDurableService, fakeDurableService } from './testing/fake-durable-service.js';
export type { Body } from './testing/observer.js';
export { runDurable } from './testing/run-durable.js';
export { type SweepReport, sweep } from './testing/sweep.js';
export type {
  BuildDurable,
  DurableHandler,
  DurableRun,
  ExploreOptions,
  FakeDurableServiceOptions,
  RunDurableOptions,
  StartedRun,
  SweepOptions,
} from './testing/types.js';
