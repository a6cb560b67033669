// A local service for durable executions: for tests with a manual clock, and for a development server.
export { createDurableEngine, DURABLE_ENGINE_OPTIONS } from './durable/engine.js';
export type {
  EventDetails,
  EventError,
  EventPayload,
  HistoryEvent,
  HistoryEventType,
  HistoryRequest,
  HistoryResponse,
  RetryDetails,
} from './durable/history-wire.js';
export {
  type CallbackDeadlines,
  createFileStore,
  createMemoryStore,
  type DurableStore,
  type ExecutionRecord,
  type JournalEntry,
} from './durable/store.js';
export type {
  ChainedInvocation,
  DurableEngine,
  DurableEngineOptions,
  DurableInvocation,
  DurableOutcome,
  ExecutionSummary,
  PendingWait,
  StartExecution,
} from './durable/types.js';
export {
  type CheckpointRequest,
  type CheckpointResponse,
  type DurableAnswer,
  type DurableEnvelope,
  type ErrorObject,
  type ExecutionStatus,
  type Operation,
  type OperationAction,
  type OperationStatus,
  type OperationType,
  type OperationUpdate,
  type StateRequest,
  type StateResponse,
  toRestJson,
} from './durable/wire.js';
export type { Outcome } from './engines/engine.js';
