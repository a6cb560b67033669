/** Ready-made hooks for the option `onCall`. */
export type { CallEnd, CallOutcome, McpCall, OnCall } from './calls/call.js';
export {
  type CallLimiter,
  type LimitCallsOptions,
  type LimitTimeOptions,
  type LogCallsOptions,
  limitCalls,
  limitTime,
  logCalls,
  type MeasureCallsOptions,
  measureCalls,
} from './calls/ready-made.js';
