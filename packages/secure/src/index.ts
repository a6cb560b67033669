export type { PrincipalKind, SecurePrincipal } from '@sallyport/core';
export { withBearer } from '@sallyport/core/pipeline';
export { SecureApp, type SecureRouteRecord } from './container.js';
export type { SecureErrorCode } from './errors.js';
export type { Challenge } from './gate.js';
export type { SecureOpenApiSpec } from './openapi/document.js';
export type { SecureOptions } from './options.js';
export { Authenticated, AuthenticatedAnyOf } from './postures/authenticated.js';
export { InternalOnly } from './postures/internal-only.js';
export { Optional } from './postures/optional.js';
export type { Posture, PostureKind } from './postures/posture.js';
export { Public } from './postures/public.js';
export { firstPrincipal, markBearerReader, type SecurePrincipalResolver } from './principal.js';
export {
  defineRoutes,
  type GroupPosture,
  type SecureGroupOptions,
  type SecureRest,
  type SecureRouteOptions,
  type SecureRoutes,
  type StatedPosture,
} from './routes.js';
