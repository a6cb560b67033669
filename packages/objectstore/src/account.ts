// Assuming a role first
export {
  type AssumedCredentials,
  type AssumeFirstResult,
  type AssumeRoleAPI,
  type AssumeRoleInput,
  type AssumeRoleOutput,
  type AssumeRoleRequest,
  assumeFirst,
  type CallerIdentityFactory,
} from './account/assume.js';
// Asking whose credentials these are
export {
  ACCOUNT_CODES,
  type AccountAssertion,
  type AccountAssertionState,
  AccountError,
  type AccountErrorCode,
  type AccountFailure,
  type AccountOptions,
  assertAccount,
  type CallerIdentityAPI,
  type StsCallOptions,
} from './account/identity.js';
