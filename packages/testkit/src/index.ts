// Events

// Parts
export { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
// Environment
export {
  type ContainerOptions,
  createTestEnv,
  type DirectApp,
  type LambdaApp,
  type TestEnv,
  type TestEnvOptions,
} from './env/env.js';
export type { LambdaContextOptions, TestLambdaContext } from './env/lambda-context.js';
export type { CapturedSpan, Records } from './env/records.js';
export type { StreamedAnswer } from './env/streamed.js';
export * from './events.js';
// Fakes
export { type CaptureWriter, captureWriter } from './fakes/capture-writer.js';
export { type FakeHandler, type FakeHandlerOptions, type FakeResult, fakeHandler } from './fakes/handler.js';
export { type FakePublisher, fakePublisher } from './fakes/publisher.js';
export {
  type FakeWebSocketClient,
  type FakeWebSocketClientOptions,
  fakeWebSocketClient,
  type WebSocketCall,
} from './fakes/web-socket-client.js';
// Concurrency
export { type InterleaveOptions, interleave, type MarkedEvent } from './interleave/interleave.js';
// Simulation
export type { QueueSimulation } from './simulate/queue.js';
export {
  assertCompletedOnce,
  assertNothingLost,
  assertOrdered,
  type RecordEnd,
  type RecordResult,
  type SimulatedInvocation,
  type SimulationResult,
  type Violation,
} from './simulate/result.js';
export { type SimulationOptions, simulate } from './simulate/simulate.js';
export { type QueueSource, queue, type StreamSource, stream } from './simulate/source.js';
export type { StreamSimulation } from './simulate/stream.js';
