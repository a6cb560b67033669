export type { PrincipalKind, SecurePrincipal } from '@sallyport/core';
export { withBearer } from '@sallyport/core/internal';
export type { Challenge } from './challenge.js';
export { SecureApp, type SecureRouteRecord } from './container.js';
export type { SecureErrorCode } from './errors.js';
export type { SecureOpenApiSpec } from './openapi/document.js';
export type { SecureOptions } from './options.js';
export {
  Authenticated,
  AuthenticatedAnyOf,
  InternalOnly,
  Optional,
  type Posture,
  type PostureKind,
  Public,
} from './postures/posture.js';
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
