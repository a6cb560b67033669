import { FrameworkError } from '@sallyport/core';
import { normalizeScopes } from '../principal.js';
import { type Posture, type PostureDefinition, sealPosture } from './posture.js';

export const AUTHENTICATED: PostureDefinition = {
  factory: 'Authenticated',
  asksResolver: true,
  admits: (principal, scopes) => principal !== null && countHeld(scopes, principal.scopes) === scopes.length,
  schemes: 'authenticated',
  security: (schemes, scopes) => schemes.map((scheme) => ({ [scheme]: [...scopes] })),
};

export const AUTHENTICATED_ANY_OF: PostureDefinition = {
  factory: 'AuthenticatedAnyOf',
  asksResolver: true,
  admits: (principal, scopes) => principal !== null && countHeld(scopes, principal.scopes) > 0,
  schemes: 'authenticated',
  security: (schemes, scopes) => schemes.flatMap((scheme) => scopes.map((scope) => ({ [scheme]: [scope] }))),
};

/**
 * Allows callers that the principal resolver identified and that have all of these scopes; without arguments, any identified caller. An
 * anonymous caller gets 401, a caller without the scopes 403. Scopes are trimmed and compared exactly.
 *
 * @throws FrameworkError `app.bad_request` when a scope is not a string, or when all of them are blank
 * @example app.get('/notes/{id}', getNote, Authenticated('notes:read'));
 */
export function Authenticated(...scopes: readonly string[]): Posture {
  return sealPosture('authenticated', scopes.length === 0 ? [] : requireScopes(scopes));
}

/**
 * Allows callers that the principal resolver identified and that have at least one of these scopes. An anonymous caller gets 401, a caller
 * without the scopes 403. Scopes are trimmed and compared exactly.
 *
 * @throws FrameworkError `app.bad_request` without scopes, when a scope is not a string, or when all of them are blank
 * @example app.get('/reports', listReports, AuthenticatedAnyOf('reports:read', 'admin'));
 */
export function AuthenticatedAnyOf(...scopes: readonly string[]): Posture {
  return sealPosture('authenticated_any_of', requireScopes(scopes));
}

/** A scope that is not a string is rejected: without it the posture would admit more callers. */
function requireScopes(scopes: readonly unknown[]): readonly string[] {
  if (scopes.some((scope) => typeof scope !== 'string')) {
    throw new FrameworkError('app.bad_request', 'framework: authenticated scopes must be strings');
  }
  const normal = normalizeScopes(scopes);
  if (normal.length === 0) {
    throw new FrameworkError('app.bad_request', 'framework: authenticated scopes normalize to empty');
  }
  return normal;
}

/** The number of required scopes that the caller has, compared exactly. */
function countHeld(wanted: readonly string[], held: readonly string[]): number {
  let count = 0;
  for (const scope of wanted) if (held.includes(scope)) count += 1;
  return count;
}
