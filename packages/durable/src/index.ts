export { compensate } from './compensate.js';
export { durable } from './durable.js';
export { DURABLE_ERROR_CODES, DurableError, type DurableErrorCode } from './errors.js';
export { type Branches, type RaceResult, race } from './race.js';
export { type DurableExecutionsOptions, durableExecutions } from './surface.js';
export type {
  CallbackOptions,
  Durable,
  DurableOptions,
  DurablePart,
  Duration,
  Execution,
  ExecutionClient,
  FailedExecution,
  FailedOperation,
  Json,
  MapOptions,
  RecordedCaller,
  Retry,
  StepContext,
  StepOptions,
  Storable,
  Stored,
} from './types.js';
export { version } from './version.js';
