export { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
export {
  type ContainerOptions,
  createTestEnv,
  type DirectApp,
  type LambdaApp,
  type LambdaContextOptions,
  type TestEnv,
  type TestEnvOptions,
  type TestLambdaContext,
} from './env/env.js';
export type { CapturedSpan, Records } from './env/records.js';
export type { ExportedHandler, StreamedAnswer } from './env/streamed.js';
export type { TestKitErrorCode } from './errors.js';
export * from './events.js';
export {
  type CaptureWriter,
  captureWriter,
  type FakeHandler,
  type FakeHandlerOptions,
  type FakeOptions,
  type FakePublisher,
  type FakeResult,
  type FakeWebSocketClient,
  type FakeWebSocketClientOptions,
  fakeHandler,
  fakePublisher,
  fakeWebSocketClient,
  type WebSocketCall,
} from './fakes/fakes.js';
export type { ParameterValues } from './fakes/internal/parameter-model.js';
export {
  type FakeAwsClient,
  type FakeParameters,
  type FakeParametersOptions,
  fakeParameters,
  type ParameterCall,
} from './fakes/parameters.js';
export { type InterleaveOptions, interleave, type MarkedEvent } from './interleave/interleave.js';
export type { AsyncSimulation } from './simulate/async.js';
export type { BatchJobSimulation } from './simulate/models/batch-job.js';
export type { BlockingSimulation } from './simulate/models/blocking.js';
export { type CustomResourceSimulation, type ResponseFetch, responseFetch } from './simulate/models/custom-resource.js';
export type { FirehoseSimulation } from './simulate/models/firehose.js';
export type { KafkaSimulation } from './simulate/models/kafka.js';
export type { PipeSimulation } from './simulate/models/pipe.js';
export { type JobClient, jobClient, type PipelineJobSimulation } from './simulate/models/pipeline-job.js';
export type { RotationSimulation } from './simulate/models/rotation.js';
export type { WindowSimulation } from './simulate/models/window.js';
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
export {
  type AsyncSource,
  type DataStreamSource,
  type EventBusSource,
  eventBus,
  type QueueSource,
  queue,
  type ScheduleSource,
  type StreamSource,
  stream,
  type TableStreamSource,
  type TopicSource,
  topic,
} from './simulate/source.js';
export type { StreamSimulation } from './simulate/stream.js';
export type { TriggerSimulations } from './simulate/trigger.js';
export {
  type AsynchronousSource,
  type BatchJobSource,
  type BlockingSource,
  type CustomResourceSource,
  type FirehoseSource,
  type KafkaSource,
  type RotationSource,
  type TriggerSource,
  triggers,
} from './simulate/trigger-source.js';
