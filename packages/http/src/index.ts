// Router

export type { CorsOptions } from './cors.js';
export { HTTP_ERROR_FORMAT_FLAT_LEGACY, HTTP_ERROR_FORMAT_NESTED, type HttpErrorFormat } from './error-body.js';
export { createHttpRouter, type HttpRouter } from './http-router.js';
export type { RouteOptions } from './http-surface.js';
// Responses
export { binary, created, type HtmlChunks, html, htmlStream, json, noContent, redirect, text } from './responses.js';
export type { RouteRecord } from './route-record.js';
export type { Limits, OpenPipelineOptions, PipelineOptions, Tier, WebSocketClientFactory } from './settings.js';
// Streaming
export {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  type StreamingHandler,
} from './streaming/handler.js';
export type { StreamingApp } from './surface-access.js';
