import type { Context } from '@sallyport/core';
import { splitScopes } from '../../oauth/internal/scopes.js';
import { withoutBareSlash } from '../../oauth/internal/urls.js';
import { OAuthError } from '../../oauth/oauth-error.js';
import { isPkceChallenge } from '../../oauth/pkce.js';
import { type Clients, isRegisteredRedirect, type KnownClient } from './clients.js';

/** The client and the redirect URI of a request: both are verified before anything is redirected. */
export interface VerifiedTarget {
  readonly client: KnownClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** The rest of a request. */
export interface AuthorizationRequest {
  readonly scopes: readonly string[];
  readonly codeChallenge: string;
}

const MAX_STATE = 2048;

/** @throws OAuthError; the user sees the error, because an attacker could have chosen the redirect URI (RFC 6749 section 4.1.2.1) */
export async function readTarget(ctx: Context, clients: Clients): Promise<VerifiedTarget> {
  const [clientId, redirectUri] = [single(ctx, 'client_id'), single(ctx, 'redirect_uri')];
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is missing');
  const client = await clients.find(clientId, ctx.now());
  if (redirectUri === undefined || !isRegisteredRedirect(redirectUri, client.redirectUris)) {
    throw new OAuthError('invalid_request', 'redirect_uri is not one of the redirect URIs of the client');
  }
  const state = single(ctx, 'state');
  if (state !== undefined && state.length > MAX_STATE) throw new OAuthError('invalid_request', 'state is too long');
  return { client, redirectUri, state };
}

/** @throws OAuthError; the user can return to the client with it */
export function readRequest(ctx: Context, resource: string, scopes: readonly string[]): AuthorizationRequest {
  if (single(ctx, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code');
  }
  const codeChallenge = single(ctx, 'code_challenge');
  if (single(ctx, 'code_challenge_method') !== 'S256' || !isPkceChallenge(codeChallenge)) {
    throw new OAuthError('invalid_request', 'PKCE with the method S256 is required');
  }
  // Clients of revision 2025-03-26 do not send it.
  if (ctx.queryAll('resource').some((one) => withoutBareSlash(one) !== resource)) {
    throw new OAuthError('invalid_target', 'the resource is not served here');
  }
  const asked = splitScopes(single(ctx, 'scope') ?? '');
  const granted = asked.length === 0 ? scopes : scopes.filter((scope) => asked.includes(scope));
  if (granted.length === 0) throw new OAuthError('invalid_scope', 'none of the scopes is offered');
  return { scopes: granted, codeChallenge };
}

/** The value of a parameter; an empty value counts as absent. @throws OAuthError `invalid_request` if it is repeated */
function single(ctx: Context, name: string): string | undefined {
  const values = ctx.queryAll(name).filter((value) => value !== '');
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} is repeated`);
  return values[0];
}
