// Container

// Principals
export type { PrincipalKind, SecurePrincipal } from '@sallyport/core';
export { withBearer } from '@sallyport/core/pipeline';
export type { Challenge } from './challenge.js';
export { SecureApp, type SecureRouteOptions } from './container.js';
export { firstPrincipal } from './first-principal.js';
export type { SecureRouteRecord } from './inventory.js';
// OpenAPI
export type { SecureOpenApiSpec } from './openapi/document.js';
export type { SecureOptions } from './options.js';
// Postures
export {
  Authenticated,
  AuthenticatedAnyOf,
  InternalOnly,
  Optional,
  type Posture,
  type PostureKind,
  Public,
} from './postures/posture.js';
export type { SecurePrincipalResolver } from './principal.js';
