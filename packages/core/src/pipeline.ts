/** What `http`, `appsync`, `secure` and `streams` build on; applications have no use for it. */
export { BOUND, type BoundContext, type BoundFields, bindLogger, isBoundContext } from './bound-log.js';
export { type Caller, callerKey } from './caller.js';
export { RESERVED_PREFIX, RequestContext, stateOf } from './context.js';
export { type ContextRuntime, ContextState, remainingMs, STAGE } from './context-state.js';
export { encodeSafeValue, sanitizeLogString } from './control-characters.js';
export { LOG_WANTED, parseLog } from './default-logger.js';
export { Deliveries } from './deliveries.js';
export type { Door, DoorRequest, DoorTraits, EncodedBody } from './door.js';
export { internalError } from './errors.js';
export {
  type BatchOutcome,
  batchCompleted,
  type EventFacts,
  type EventOutcome,
  eventCompleted,
  recordCompleted,
  startEventSpan,
} from './event-records.js';
export { bindInvocation, isFailure, logFailure, logRefusal, refuseAgent, writesErrors } from './failure.js';
export { callHook, reportHooks } from './hook-reports.js';
export { emitMetric } from './hooks.js';
export { AGENT_INVOCATIONS, noAdapter } from './invocation.js';
export { append, appendHeader, createAnswerMap, toHeaderMap, toStringList } from './multimap.js';
export { parseObservability } from './observability-options.js';
export { assertNoSurplus } from './options.js';
export { decodePercent, decodeQueryPart } from './percent.js';
export { copyPlain, isPlainObject, snapshotPlain } from './plain.js';
export { bearerOf, copyBearer, copyPrincipal, withBearer } from './principal.js';
export { type RequestOutcome, requestCompleted, startRequestSpan } from './records.js';
export { canonicalMethod, canonicalPath, IncomingRequest, type RequestSource } from './request.js';
export { canonicalizeResponse, closeStream, isHeaderValue, OutgoingResponse, toResponse } from './response.js';
export { objectPart, type ScheduledEvent, type ScheduledRun, scheduledRun, trimmedText } from './scheduled-run.js';
export type { ActiveSpan } from './spans.js';
export type { ContextTransport } from './transport.js';
