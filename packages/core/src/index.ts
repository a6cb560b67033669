// Shapes

// Bytes
export { asBuffer, base64Size, decodeBase64, decodeUtf8, EMPTY_BYTES, encodeUtf8, isJsonMediaType } from './body.js';
// Time, ids, environment
export { type Clock, completeClock, type FullClock, systemClock } from './clock.js';
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
} from './context.js';
export { type Environment, isLambda } from './environment.js';
// Errors
export {
  APP_CODES,
  type AppCode,
  defaultMessage,
  FrameworkError,
  type FrameworkErrorInit,
  isFrameworkError,
  statusOfCode,
} from './errors.js';
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
} from './hooks.js';
export { type IdGenerator, randomFraction, randomIds } from './ids.js';
export { type InvocationProvenance, invocationProvenance } from './invocation.js';
export { canonicalIp } from './ip.js';
export { createMap, type MultiMap, type OneOrMany } from './multimap.js';
export { assertKnownOptions, assertTypes, INVALID_CONFIGURATION, invalidOption } from './options.js';
export type { PrincipalKind, SecurePrincipal } from './principal.js';
export { parseProvenance, providerProvenance, type SourceProvenance, unknownProvenance } from './provenance.js';
export type { Request, RequestInput } from './request.js';
export type { BodyStream, MaybePromise, Response, ResponseInput, Result } from './response.js';

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
} from './surface.js';
export type { SurfaceDoor, SurfaceGate, SurfaceHost } from './surface-host.js';
// Trace and provenance
export {
  firstTraceId,
  invocationTraceId,
  onwardTraceHeaders,
  parseTraceparent,
  parseTracestate,
  parseXrayTraceHeader,
} from './trace.js';
export type { AppSyncContext, WebSocketClient, WebSocketConnection, WebSocketContext } from './transport.js';
