// Router

// Binding and validation
export {
  type BindingIssue,
  type BindSource,
  type BindSpec,
  type BoundFunction,
  type BoundHandler,
  type BoundInput,
  type BoundValue,
  bind,
  type Contract,
  type FieldMap,
  type FieldSpec,
  type FieldType,
  max,
  maxLength,
  min,
  minLength,
  oneOf,
  pattern,
  type Rule,
  required,
  type Schema,
  type StandardIssue,
  type StandardJsonSchema,
  type StandardResult,
  type StandardSchema,
} from './bind.js';
export {
  type CacheControlOptions,
  cacheControl,
  cacheControlIsr,
  cacheControlSsg,
  cacheControlSsr,
} from './responses/cache-control.js';
export type { CorsOptions } from './pipeline/cors.js';
export { HTTP_ERROR_FORMAT_FLAT_LEGACY, HTTP_ERROR_FORMAT_NESTED, type HttpErrorFormat } from './pipeline/error-body.js';
export type { Feature } from './pipeline/feature.js';
export { authorize, cors, limits, observe, policy } from './pipeline/features.js';
export { createHttpRouter, type HttpRouter, type HttpRouterOptions, serveRequest } from './surface/http-router.js';
export type { RouteOptions } from './surface/http-surface.js';
// Responses
export { binary, created, type HtmlChunks, html, htmlStream, json, noContent, redirect, text } from './responses/responses.js';
export type { RouteRecord } from './routing/route-record.js';
export { safeJsonForHtml } from './responses/safe-json.js';
export type { Limits, OpenPipelineOptions, PipelineOptions, Tier, WebSocketClientFactory } from './pipeline/options.js';
export { type SseStreamOptions, sse, sseEventStream } from './responses/sse.js';
export { encodeSseEvent, type SseEvent } from './responses/sse-event.js';
// Streaming
export {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  type StreamingHandler,
} from './streaming/handler.js';
export type { StreamingApp } from './surface/surface-access.js';
// Timeouts
export { type TimeoutOptions, timeoutMiddleware } from './pipeline/timeout.js';
export { conditional, etag, matchesIfNoneMatch, vary } from './responses/caching.js';
