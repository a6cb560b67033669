/** What `appsync`, `secure` and `dispatch/app` build containers from; applications have no use for it. */
export {
  canonicalError,
  errorResponse,
  HTTP_ERROR_FORMAT_NESTED,
  INTERNAL_ERROR,
  toFrameworkError,
} from './error-body.js';
export { type DoorTraits, Exchange } from './exchange.js';
export { createOpenKernel, OPEN_PIPELINE_OPTIONS, registerOpenRoute } from './http-router.js';
export { type DescribePosture, HttpSurface, type HttpSurfaceOptions, type RegistrationExtra } from './http-surface.js';
export { HttpVerbs } from './http-verbs.js';
export { createKernel, type Gate, type Kernel, type KernelInit, legacyTenant } from './kernel.js';
export { isPromise } from './middleware.js';
export { beginSpan, observer } from './observe.js';
export { type Decorate, Pipeline, type PipelineParts, type RenderError, type Stage } from './pipeline.js';
export type { Registration, RegistrationInit } from './registration.js';
export { addressOf, toRouteRecord } from './route-record.js';
export { assertPipelineOptions, PIPELINE_OPTIONS } from './settings.js';
export { validBody } from './stages/body.js';
export { invoke, tracedInvoke } from './stages/invoke.js';
export { policy } from './stages/policy.js';
export { isRequestId } from './stages/request-id.js';
export { requestLimit } from './stages/request-limit.js';
export { STREAM_ACCESS, type StreamAccess } from './surface-access.js';
export { WebSocketSurface, type WebSocketSurfaceOptions } from './websocket-surface.js';
