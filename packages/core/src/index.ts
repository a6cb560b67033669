// Shapes

export type {
  AppSyncContext,
  AuthHook,
  Context,
  Handler,
  Middleware,
  Next,
  PolicyDecision,
  PolicyHook,
  Route,
  WebSocketClient,
  WebSocketConnection,
  WebSocketContext,
} from './context/context.js';
export type { PrincipalKind, SecurePrincipal } from './context/principal.js';
export { deriveContext } from './context/request-context.js';
// Errors
export {
  APP_CODES,
  type AppCode,
  defaultMessage,
  FrameworkError,
  type FrameworkErrorInit,
  isFrameworkError,
  statusOfCode,
} from './errors/errors.js';
// Hooks
export {
  type DeclaredMetrics,
  guardHook,
  type Logger,
  type LogLevel,
  type LogRecord,
  type MetricOptions,
  type MetricRecord,
  type MetricUnit,
  type Observability,
  type Span,
  type SpanAttributes,
  type SpanHook,
  type SpanKind,
  type SpanLink,
  silentLogger,
} from './observability/hooks.js';
export { assertKnownOptions, assertTypes, INVALID_CONFIGURATION, invalidOption } from './options/define-options.js';
// Schemas
export type { StandardIssue, StandardJsonSchema, StandardResult, StandardSchema } from './options/standard-schema.js';
// Bytes
export {
  asBuffer,
  base64Size,
  decodeBase64,
  decodeUtf8,
  EMPTY_BYTES,
  encodeUtf8,
  isJsonMediaType,
} from './request/encoding.js';
export {
  canonicalIp,
  firstTraceId,
  invocationTraceId,
  onwardTraceHeaders,
  parseProvenance,
  parseTraceparent,
  parseTracestate,
  parseXrayTraceHeader,
  providerProvenance,
  type SourceProvenance,
  unknownProvenance,
} from './request/provenance.js';
export type { Request, RequestInput } from './request/request.js';
export { createMap, type MultiMap, type OneOrMany } from './request/request.js';
// Trace and provenance
export type { BodyStream, MaybePromise, Response, ResponseInput, Result } from './response/response.js';
// Time, ids, environment
export {
  type Clock,
  completeClock,
  type Environment,
  type FullClock,
  type IdGenerator,
  type Invocation,
  type InvocationProvenance,
  invocationProvenance,
  isLambda,
  type LambdaContext,
  randomFraction,
  randomIds,
  systemClock,
  TRIGGER_KINDS,
  type TriggerKind,
} from './runtime/invocation.js';
// The seam between packages
export {
  handlerName,
  type Surface,
  type SurfaceDoor,
  type SurfaceGate,
  type SurfaceHost,
  type Target,
  type TriggerRecord,
} from './runtime/surface.js';
