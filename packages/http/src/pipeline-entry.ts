/** What `appsync`, `secure` and `dispatch/app` build containers from; applications have no use for it. */

export { serveDirect } from './doors/direct.js';
export { lookupHeader, rawHeaders } from './doors/header-lookup.js';
export {
  canonicalError,
  errorResponse,
  HTTP_ERROR_FORMAT_NESTED,
  INTERNAL_ERROR,
  toFrameworkError,
} from './error-body.js';
export { type DoorTraits, Exchange } from './exchange.js';
export { reportFailure } from './failure.js';
export { registerOpenRoute } from './http-router.js';
export { type DescribePosture, HttpSurface, type HttpSurfaceOptions, type RegistrationExtra } from './http-surface.js';
export { HANDLE_USAGE, HttpVerbs } from './http-verbs.js';
export {
  createKernel,
  createPipeline,
  type Gate,
  type Kernel,
  type KernelInit,
  legacyTenant,
} from './kernel.js';
export { isPromise } from './middleware.js';
export { createOpenKernel, OPEN_PIPELINE_OPTIONS, toHttpOptions } from './open-kernel.js';
export type { Decorate, Observe, Pipeline, RenderError, Stage } from './pipeline.js';
export { assertRouteHandler, type Registration, type RegistrationInit, registrationError } from './registration.js';
export { addressOf, toRouteRecord } from './route-record.js';
export { assertPipelineOptions, PIPELINE_OPTIONS } from './settings.js';
export { validBody } from './stages/body.js';
export { isRequestId } from './stages/request-id.js';
export { STREAM_ACCESS, type StreamAccess } from './surface-access.js';
export { WebSocketSurface, type WebSocketSurfaceOptions } from './websocket-surface.js';
