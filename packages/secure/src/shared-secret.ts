/** Callers with a secret in a header. */
export {
  type SharedSecret,
  type SharedSecretOptions,
  sharedSecretPrincipalResolver,
} from './resolvers/shared-secret.js';
