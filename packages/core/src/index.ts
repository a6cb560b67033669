export type {
  AppSyncContext,
  AuthHook,
  CallScope,
  Context,
  Handler,
  Middleware,
  Next,
  PolicyDecision,
  PolicyHook,
  WebSocketClient,
  WebSocketConnection,
  WebSocketContext,
} from './context/context.js';
export { type ContextKey, contextKey } from './context/context.js';
export { deriveContext } from './context/request-context.js';
export type { Route } from './context/route.js';
export type { PrincipalKind, SecurePrincipal } from './context/secure-principal.js';
export {
  APP_CODES,
  type AppCode,
  defaultMessage,
  FrameworkError,
  type FrameworkErrorInit,
  isFrameworkError,
  statusOfCode,
} from './errors/errors.js';
export {
  type DeclaredMetrics,
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
  type SpanInvocation,
  type SpanKind,
  type SpanLink,
  type SpanOrigin,
  type SpanScope,
  silentLogger,
} from './observability/hooks.js';
export type { StandardIssue, StandardJsonSchema, StandardResult, StandardSchema } from './options/standard-schema.js';
export {
  decodeBase64,
  decodeUtf8,
  encodeUtf8,
} from './request/encoding.js';
export type { Form, FormFile, FormLimits } from './request/form.js';
export {
  onwardTraceHeaders,
  type SourceProvenance,
} from './request/provenance.js';
export type { MultiMap, OneOrMany, Request, RequestInput } from './request/request.js';
export type { BodyStream, MaybePromise, Response, ResponseInput, Result, WebResponse } from './response/response.js';
export type { DoorsOptions } from './runtime/doors.js';
export {
  type Clock,
  type Environment,
  type FullClock,
  type IdGenerator,
  type Invocation,
  type InvocationProvenance,
  invocationProvenance,
  isLambda,
  type LambdaContext,
  randomIds,
  systemClock,
  TRIGGER_KINDS,
  type TriggerKind,
} from './runtime/invocation.js';
export type {
  AliasClaim,
  Surface,
  SurfaceDoor,
  SurfaceGate,
  SurfaceHost,
  SurfaceMiddleware,
  Target,
  TriggerRecord,
} from './runtime/surface.js';
