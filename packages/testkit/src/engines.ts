// AWS's treatment of a function's answers, on any clock: a manual clock in tests, a real clock in a development server.
export {
  ASYNC_SETTINGS,
  type AsyncEngineOptions,
  type AsyncEvent,
  type AsyncSettings,
  createAsyncEngine,
} from './engines/async.js';
export type {
  Delivery,
  EndState,
  Engine,
  EngineChange,
  EngineOptions,
  EngineRecord,
  EngineSnapshot,
  Outcome,
  RecordState,
  UnclearAnswer,
} from './engines/engine.js';
export type { ShardRecordOptions } from './engines/internal/stream-entry.js';
export {
  createQueueEngine,
  QUEUE_SETTINGS,
  type QueueEngine,
  type QueueEngineOptions,
  type QueueSettings,
} from './engines/queue.js';
export { createShardEngine, SHARD_SETTINGS, type ShardEngineOptions, type ShardSettings } from './engines/shard.js';
