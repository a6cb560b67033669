/**
 * Parts of the framework for its own packages. Any release can change or remove them.
 *
 * @internal
 * @packageDocumentation
 */

export { type ContextTransport, isContextKey } from './context/context.js';
export { type ContextRuntime, ContextState, STAGE } from './context/context-state.js';
export { parseJsonBody } from './context/json-body.js';
export {
  BEARER_MARK,
  bearerOf,
  type Caller,
  callerKey,
  copyBearer,
  copyPlain,
  copyPrincipal,
  isPlainObject,
  snapshotPlain,
  withBearer,
} from './context/principal.js';
export { RESERVED_PREFIX, RequestContext, stateOf } from './context/request-context.js';
export {
  brandError,
  clientErrorOf,
  type ErrorClass,
  internalError,
  MISSING_PACKAGE,
  missingPackage,
  throwMissing,
  toClientError,
} from './errors/errors.js';
export { registerCopy } from './errors/internal/register.js';
export { type ActiveSpan, channelOf } from './observability/active-span.js';
export {
  BOUND,
  type BoundContext,
  type BoundFields,
  bindInvocation,
  bindLogger,
  Deliveries,
  type DeliveryHolder,
  deliveriesOf,
  logRefusal,
  refuseAgent,
} from './observability/bound-log.js';
export { countIn, hasMetricHook } from './observability/context-metric.js';
export { createDefaultLogger, LOG_WANTED, parseLog, parseObservability } from './observability/default-logger.js';
export { endOf, type InvocationEnd, isEndHolder } from './observability/ending.js';
export {
  type BatchOutcome,
  batchCompleted,
  type EventFacts,
  type EventOutcome,
  eventCompleted,
  recordCompleted,
  startEventSpan,
} from './observability/event-records.js';
export {
  callHook,
  emitMetric,
  guardHook,
  HANDLER_FAILED,
  isFailure,
  logFailure,
  NO_SPAN,
  reportHooks,
  writesErrors,
} from './observability/hooks.js';
export {
  BoundedValues,
  COLD_START,
  groupOf,
  isColdStart,
  METRIC_GROUPS,
  type MetricDetail,
  type MetricGroup,
  pointsOf,
} from './observability/metric-table.js';
export {
  type RequestOutcome,
  requestCompleted,
  startRequestSpan,
  startSurfaceSpan,
} from './observability/records.js';
export { LEFT_OUT, type LeftOutCondition, leftOut, leftOutOption } from './options/left-out.js';
export {
  asBuffer,
  base64Size,
  decodePercent,
  decodeQueryPart,
  EMPTY_BYTES,
  isJsonMediaType,
} from './request/encoding.js';
export { parseForm } from './request/form.js';
export {
  canonicalIp,
  firstTraceId,
  invocationTraceId,
  parseProvenance,
  parseTraceparent,
  parseTracestate,
  parseXrayTraceHeader,
  providerProvenance,
  unknownProvenance,
} from './request/provenance.js';
export {
  append,
  appendHeader,
  canonicalMethod,
  canonicalPath,
  createFastMap,
  createMap,
  IncomingRequest,
  type RequestSource,
  toHeaderMap,
  toStringList,
} from './request/request.js';
export {
  canonicalizeResponse,
  closeStream,
  isHeaderValue,
  isOutgoingResponse,
  isWebResponse,
  OutgoingResponse,
  toResponse,
} from './response/response.js';
export { Breaker, type BreakerOptions } from './runtime/breaker.js';
export { describeCopies, otherCopy, otherCopyText } from './runtime/copies.js';
export {
  abortAfter,
  type DeadlineOptions,
  isPassing,
  isTransient,
  pause,
  type StoreCall,
  StoreTimeout,
  withDeadline,
} from './runtime/deadline.js';
export { createDoorGuard, DOORS_KIND, type DoorGuard, qualifierOf } from './runtime/doors.js';
export { markNeedsEventKey, rejectWithoutEventKey } from './runtime/event-key.js';
export {
  DURABLE_MARK,
  type DurableMark,
  durableMark,
  type ExecutionScope,
  type Marked,
  type Scoped,
  type SuspensionGlobal,
} from './runtime/execution-scope.js';
export {
  AGENT_INVOCATIONS,
  completeClock,
  type FullClock,
  noAdapter,
  randomFraction,
  remainingMs,
  type ScheduledEvent,
  type ScheduledRun,
  scheduledRun,
} from './runtime/invocation.js';
export { createLateSurface, type LateSurface, leftOutSurface } from './runtime/late-surface.js';
export { lazily } from './runtime/lazily.js';
export type { Door, DoorRequest, DoorTraits, EncodedBody } from './runtime/surface.js';
export { createSurfaceContext, handlerName, type SurfaceContext, type SurfaceEvent } from './runtime/surface.js';
export { cleanText } from './sanitize/internal/light.js';
export { encodeSafeValue, REDACTED, sanitizeLogString } from './sanitize/log-text.js';
export { type Around, type Command, type CommandFlag, EXIT } from './values/command.js';
export { sha256, sha256Url } from './values/digests.js';
export { escapeHtml } from './values/html.js';
export { bytesOfJson, canonicalJson } from './values/json.js';
export {
  KINESIS_MAX_RECORD_BYTES,
  LAMBDA_MAX_ANSWER_BYTES,
  LAMBDA_MAX_EVENT_BYTES,
  LAMBDA_MAX_TIMEOUT_MS,
  LOAD_BALANCER_MAX_BYTES,
  MAX_TIMER_MS,
  SQS_MAX_VISIBILITY_SECONDS,
  WEBSOCKET_MAX_MESSAGE_BYTES,
} from './values/limits.js';
export { Lru } from './values/lru.js';
export { didYouMean } from './values/nearest.js';
export {
  decodeEscapes,
  fromJson,
  isObject,
  isPromise,
  isScalar,
  isStringMap,
  isText,
  isWhole,
  type Members,
  membersOf,
  objectPart,
  ownOf,
  stringOf,
  trimmedText,
} from './values/read.js';
export { keepStated, statedOf } from './values/stated.js';
