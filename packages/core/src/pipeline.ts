/** What `http`, `appsync`, `secure` and `streams` build on; applications have no use for it. */

export { type Caller, callerKey } from './context/caller.js';
export { RESERVED_PREFIX, RequestContext, stateOf } from './context/context.js';
export { type ContextRuntime, ContextState, remainingMs, STAGE } from './context/context-state.js';
export { bearerOf, copyBearer, copyPrincipal, withBearer } from './context/principal.js';
export type { ContextTransport } from './context/transport.js';
export { internalError } from './errors/errors.js';
export { BOUND, type BoundContext, type BoundFields, bindLogger, isBoundContext } from './observability/bound-log.js';
export { LOG_WANTED, parseLog } from './observability/default-logger.js';
export { Deliveries } from './observability/deliveries.js';
export {
  type BatchOutcome,
  batchCompleted,
  type EventFacts,
  type EventOutcome,
  eventCompleted,
  recordCompleted,
  startEventSpan,
} from './observability/event-records.js';
export { isFailure, logFailure, writesErrors } from './observability/failure.js';
export { callHook, reportHooks } from './observability/hook-reports.js';
export { emitMetric } from './observability/hooks.js';
export { parseObservability } from './observability/observability-options.js';
export { type RequestOutcome, requestCompleted, startRequestSpan } from './observability/records.js';
export type { ActiveSpan } from './observability/spans.js';
export { assertNoSurplus } from './options/option-errors.js';
export { append, appendHeader, createAnswerMap, toHeaderMap, toStringList } from './request/maps.js';
export { decodePercent, decodeQueryPart } from './request/percent.js';
export { copyPlain, isPlainObject, snapshotPlain } from './request/plain.js';
export { canonicalMethod, canonicalPath, IncomingRequest, type RequestSource } from './request/request.js';
export { canonicalizeResponse, closeStream, isHeaderValue, OutgoingResponse, toResponse } from './response/response.js';
export type { Door, DoorRequest, DoorTraits, EncodedBody } from './runtime/door.js';
export { AGENT_INVOCATIONS, noAdapter, refuseAgent } from './runtime/invocation.js';
export {
  objectPart,
  type ScheduledEvent,
  type ScheduledRun,
  scheduledRun,
  trimmedText,
} from './runtime/scheduled-run.js';
export { encodeSafeValue, sanitizeLogString } from './sanitize/log-text.js';
