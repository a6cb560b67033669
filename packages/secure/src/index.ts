// Container

// Principals
export type { PrincipalKind, SecurePrincipal } from '@sallyport/core';
export { SecureApp, type SecureRouteOptions } from './app.js';
export type { Challenge } from './challenge.js';
export type { SecureRouteRecord } from './inventory.js';
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
} from './posture.js';
export type { SecurePrincipalResolver } from './principal.js';
