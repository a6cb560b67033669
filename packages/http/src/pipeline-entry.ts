/** What `appsync`, `secure` and `dispatch/app` build containers from; applications have no use for it. */

export { serveDirect } from './doors/direct.js';
export { lookupHeader, rawHeaders } from './doors/internal/header-lookup.js';
export {
  canonicalError,
  errorResponse,
  HTTP_ERROR_FORMAT_NESTED,
  INTERNAL_ERROR,
  toFrameworkError,
} from './pipeline/error-body.js';
export { type DoorTraits, Exchange } from './pipeline/exchange.js';
export { reportFailure } from './pipeline/failure.js';
export { registerOpenRoute } from './surface/http-router.js';
export { type DescribePosture, HttpSurface, type HttpSurfaceOptions, type RegistrationExtra } from './surface/http-surface.js';
export { HANDLE_USAGE, HttpVerbs } from './surface/http-verbs.js';
export {
  createKernel,
  createPipeline,
  type Gate,
  type Kernel,
  type KernelInit,
  legacyTenant,
} from './pipeline/kernel.js';
export { isPromise } from './routing/middleware.js';
export { createOpenKernel, OPEN_PIPELINE_OPTIONS, toHttpOptions } from './pipeline/open-kernel.js';
export type { Decorate, Observe, Pipeline, RenderError, Stage } from './pipeline/run.js';
export { assertRouteHandler, type Registration, type RegistrationInit, registrationError } from './routing/registration.js';
export { addressOf, toRouteRecord } from './routing/route-record.js';
export { assertPipelineOptions, PIPELINE_OPTIONS } from './pipeline/options.js';
export { validBody } from './pipeline/stages/body.js';
export { isRequestId } from './pipeline/stages/request-id.js';
export { STREAM_ACCESS, type StreamAccess } from './surface/surface-access.js';
export { WebSocketSurface, type WebSocketSurfaceOptions } from './websocket/surface.js';
