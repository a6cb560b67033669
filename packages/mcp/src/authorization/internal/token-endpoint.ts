import type { Context, Handler } from '@sallyport/core';
import type { AuthorizationCodeStore } from '../../oauth/codes.js';
import { jsonAnswer } from '../../oauth/internal/answers.js';
import { OAuthError } from '../../oauth/oauth-error.js';
import type { Grant, RefreshTokenStore } from '../../oauth/refresh-tokens.js';
import { createTokenHandler, type IssuedAccessToken } from '../../oauth/token-handler.js';
import type { Provider } from './provider.js';
import { logProviderFailure, ProviderFailure } from './provider-error.js';
import type { SignedIn, SignIns, StoredSignIn } from './sign-ins.js';

/** The parts of the token endpoint. */
export interface TokenEndpointParts {
  readonly provider: Provider;
  readonly signIns: SignIns;
  readonly codes: AuthorizationCodeStore;
  readonly refreshTokens: RefreshTokenStore;
  readonly timeoutMs: number;
}

/**
 * The token endpoint: this server issues codes and refresh tokens, each for one client; the provider issues access tokens. The `subject` of
 * a grant is the handle of its sign-in.
 */
export function createTokenEndpoint(parts: TokenEndpointParts): Handler {
  const handler = createTokenHandler({
    codes: parts.codes,
    refreshTokens: parts.refreshTokens,
    issueAccessToken: (grant, ctx) => issueAccessToken(grant, ctx, parts),
  });
  return async (ctx) => {
    try {
      return await handler(ctx);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      logProviderFailure(ctx, error);
      const body = { error: error.clientError, error_description: 'the identity provider failed' };
      return jsonAnswer(JSON.stringify(body), { status: 503, secret: true });
    }
  };
}

async function issueAccessToken(grant: Grant, ctx: Context, parts: TokenEndpointParts): Promise<IssuedAccessToken> {
  const { signIns } = parts;
  const stored = await signIns.read(grant.subject);
  if (!stored) throw signInAgain();
  const { accessToken, expiresAt = 0, ...kept } = stored.signedIn;
  if (accessToken === undefined) return refresh(grant, ctx, stored, parts);
  if (!(await signIns.replace(grant.subject, stored, kept))) throw signInAgain();
  return { accessToken, expiresIn: Math.max(1, Math.floor((expiresAt - ctx.now().getTime()) / 1000)) };
}

/** One request at a time uses the provider's refresh token: many providers accept each token once. */
async function refresh(
  grant: Grant,
  ctx: Context,
  stored: StoredSignIn,
  { provider, signIns, timeoutMs }: TokenEndpointParts,
): Promise<IssuedAccessToken> {
  const { refreshToken, busyUntil = 0, scopes } = stored.signedIn;
  const now = ctx.now().getTime();
  if (refreshToken === undefined) throw signInAgain();
  if (grant.scopes.length < scopes.length) {
    throw new OAuthError('invalid_scope', 'a refreshed token has all scopes of its sign-in');
  }
  if (busyUntil > now) throw busy();
  const idle: SignedIn = { scopes, refreshToken };
  const claimed = await signIns.replace(grant.subject, stored, { ...idle, busyUntil: now + 2 * timeoutMs });
  if (!claimed) throw busy();
  try {
    const tokens = await provider.refresh(refreshToken, ctx);
    await signIns.replace(grant.subject, claimed, { ...idle, refreshToken: tokens.refreshToken ?? refreshToken });
    return { accessToken: tokens.accessToken, expiresIn: tokens.expiresIn };
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.oauthError !== 'invalid_grant') {
      await signIns.replace(grant.subject, claimed, idle);
      throw error;
    }
    await signIns.forget(grant.subject);
    throw signInAgain();
  }
}

function busy(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'another request is refreshing this sign-in');
}

function signInAgain(): OAuthError {
  return new OAuthError('invalid_grant', 'the sign-in has ended');
}
