export type { StandardIssue, StandardJsonSchema, StandardResult, StandardSchema } from '@sallyport/core';
export { cors } from '#cors';
export { hooks } from '#hooks';
export { observe } from '#observability';
export { bind } from './bind/bind.js';
export type {
  BindingIssue,
  BindSource,
  BindSpec,
  BoundFunction,
  BoundHandler,
  BoundInput,
  BoundValue,
  Contract,
  Schema,
} from './bind/contract.js';
export type { FieldMap, FieldSpec, FieldType } from './bind/fields.js';
export { max, maxLength, min, minLength, oneOf, pattern, type Rule, required } from './bind/rules.js';
export type { HttpErrorCode } from './errors.js';
export type { CorsOptions, CorsStages } from './pipeline/cors.js';
export {
  HTTP_ERROR_FORMAT_FLAT_LEGACY,
  HTTP_ERROR_FORMAT_NESTED,
  HTTP_ERROR_FORMAT_PROBLEM,
  type HttpErrorFormat,
} from './pipeline/error-body.js';
export type {
  ErrorHook,
  FinalResponse,
  HookStages,
  HttpHooks,
  NotFoundHook,
  ResponseHook,
} from './pipeline/hooks.js';
export type { Limits, Tier } from './pipeline/kernel.js';
export { type NamedDoors, namedDoors } from './pipeline/named-doors.js';
export type { Observation } from './pipeline/observation.js';
export type { OpenPipelineOptions, PipelineOptions } from './pipeline/options.js';
export { type TimeoutOptions, timeoutMiddleware } from './pipeline/timeout.js';
export {
  type CacheControlOptions,
  cacheControl,
  cacheControlIsr,
  cacheControlSsg,
  cacheControlSsr,
  conditional,
  etag,
  matchesIfNoneMatch,
  vary,
} from './responses/caching.js';
export { type HealthCheck, type HealthOptions, health } from './responses/health.js';
export {
  type AwaitTheValueFirst,
  binary,
  created,
  type HtmlChunks,
  html,
  htmlStream,
  json,
  noContent,
  redirect,
  safeJsonForHtml,
  text,
} from './responses/responses.js';
export { type SecureHeadersOptions, secureHeaders } from './responses/secure-headers.js';
export { type CookieOptions, setCookie } from './responses/set-cookie.js';
export { encodeSseEvent, type SseEvent, type SseStreamOptions, sse, sseEventStream } from './responses/sse.js';
export type { RouteRecord } from './routing/registration.js';
export type { RouteStatement } from './routing/statement.js';
export {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  type StreamingHandler,
} from './streaming/handler.js';
export {
  createHttpRouter,
  HttpRouter,
  type HttpRouterOptions,
  serveRequest,
} from './surface/http-router.js';
export type { StreamingApp } from './surface/http-surface.js';
export type { PathNames, RouteOptions } from './surface/http-verbs.js';
export { defineRoutes, type GroupOptions, group, type RouteGroup } from './surface/route-group.js';
export type { WebSocketClientFactory } from './websocket/internal/transport.js';
export { type MessageOptions, message } from './websocket/message.js';
