/**
 * Messages to an execution by the key of its business object, and the status that an execution reports. Both are in the jobs table.
 *
 * @packageDocumentation
 */

export type { DurableLedger } from './internal/write-once.js';
export type { ServiceSender } from './signals/internal/sender.js';
export { type ReceivedSignal, type ReceiveOptions, receive } from './signals/receive.js';
export { type SentSignal, type SignalOptions, signalExecution } from './signals/signal-execution.js';
export {
  type ExecutionStatusOptions,
  type QueryOptions,
  queryExecution,
  type StatusRow,
  status,
} from './signals/status.js';
