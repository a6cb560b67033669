// Queues alone, for a function that serves only queues.

// Handlers
export type { EventContext, EventHandler, EventMiddleware } from './batch/handler.js';
export { type PayloadHandler, type PayloadRecord, payload } from './payload/payload.js';
// Router
export {
  createQueueRouter,
  observeRecords,
  QueueRouter,
  type QueueRouterOptions,
  type RecordObservability,
} from './router/queue-router.js';
export { recordBytes, recordJson } from './sources/queue.js';
