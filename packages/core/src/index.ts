// Shapes

export {
  type AuthHook,
  type Context,
  deriveContext,
  type Handler,
  type Middleware,
  type Next,
  type PolicyDecision,
  type PolicyHook,
  type Route,
} from './context/context.js';
export type { PrincipalKind, SecurePrincipal } from './context/principal.js';
export type { AppSyncContext, WebSocketClient, WebSocketConnection, WebSocketContext } from './context/transport.js';
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
export { assertKnownOptions, assertTypes, INVALID_CONFIGURATION, invalidOption } from './options/option-errors.js';
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
export { canonicalIp } from './request/ip.js';
export { createMap, type MultiMap, type OneOrMany } from './request/maps.js';
export { parseProvenance, providerProvenance, type SourceProvenance, unknownProvenance } from './request/provenance.js';
export type { Request, RequestInput } from './request/request.js';
// Trace and provenance
export {
  firstTraceId,
  invocationTraceId,
  onwardTraceHeaders,
  parseTraceparent,
  parseTracestate,
  parseXrayTraceHeader,
} from './request/trace.js';
export type { BodyStream, MaybePromise, Response, ResponseInput, Result } from './response/response.js';
// Time, ids, environment
export { type Clock, completeClock, type FullClock, systemClock } from './runtime/clock.js';
export { type Environment, isLambda } from './runtime/environment.js';
export { type IdGenerator, randomFraction, randomIds } from './runtime/ids.js';
export { type InvocationProvenance, invocationProvenance } from './runtime/invocation.js';
// The seam between packages
export {
  handlerName,
  type Invocation,
  type LambdaContext,
  type Surface,
  type Target,
  TRIGGER_KINDS,
  type TriggerKind,
  type TriggerRecord,
} from './runtime/surface.js';
export type { SurfaceDoor, SurfaceGate, SurfaceHost } from './runtime/surface-host.js';
