/**
 * Parts of the framework for its own packages: `appsync`, `secure` and `dispatch/app` build containers from them. Any release can change
 * or remove them.
 *
 * @internal
 * @packageDocumentation
 */

export { createWebSocketSurface, WEBSOCKET_SUPPORT_KIND } from '#websocket';
export { serveDirect } from './doors/direct.js';
export { lookupHeader, rawHeaders } from './doors/internal/event.js';
export {
  canonicalError,
  HTTP_ERROR_FORMAT_NESTED,
  INTERNAL_ERROR,
  toFrameworkError,
} from './pipeline/error-body.js';
export { createKernel, type Kernel, type KernelInit } from './pipeline/kernel.js';
export {
  createOpenKernel,
  OPEN_PIPELINE_OPTION_KINDS,
  PIPELINE_OPTION_KINDS,
  toHttpOptions,
} from './pipeline/options.js';
export type { SurfaceStages } from './pipeline/order.js';
export { createPipeline } from './pipeline/order.js';
export {
  type Decorate,
  type DoorTraits,
  Exchange,
  hasFailed,
  type Observe,
  Pipeline,
  type RenderError,
  reportFailure,
  type Stage,
} from './pipeline/run.js';
export { type Gate, isRequestId } from './pipeline/stages.js';
export {
  addressOf,
  assertBoundParams,
  assertRouteHandler,
  type Registration,
  type RegistrationInit,
  registrationError,
  toRouteRecord,
  USE_USAGE,
  withStatement,
} from './routing/registration.js';
export { type RouteStatement, SCHEMA_MAP, STATEMENT_KINDS } from './routing/statement.js';
export {
  type DescribePosture,
  HttpSurface,
  type HttpSurfaceOptions,
  type RegistrationExtra,
  STREAM_ACCESS,
  type StreamAccess,
} from './surface/http-surface.js';
export type { OpenRest, PathNames } from './surface/http-verbs.js';
export { HttpVerbs } from './surface/http-verbs.js';
export {
  GROUP_KINDS,
  GROUP_USAGE,
  innerScope,
  ROOT_SCOPE,
  RouteGroup,
  type RouteScope,
  runDefine,
  scopedPattern,
  scopedUse,
} from './surface/route-group.js';
export type { WebSocketSurface, WebSocketSurfaceOptions } from './websocket/surface.js';
