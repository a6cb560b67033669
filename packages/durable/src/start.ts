/**
 * Starts durable executions and answers their callbacks: from any function, program or test.
 *
 * @packageDocumentation
 */

export {
  type CallbackAnswer,
  type CallbackFailure,
  completeCallback,
  failCallback,
  heartbeatCallback,
} from './start/callbacks.js';
export { type CancelledExecution, cancelExecution } from './start/cancel-execution.js';
export { EXECUTION_SERVICE_CODES, type ExecutionServiceCode, ExecutionServiceError } from './start/errors.js';
export type { ExecutionCallOptions, LambdaSender } from './start/internal/lambda.js';
export {
  beginExecution,
  executionName,
  type StartExecutionInput,
  type StartedExecution,
  startExecution,
} from './start/start-execution.js';
export { stopExecution } from './start/stop-execution.js';
