import type { ResponseInput } from '@sallyport/core';
import { defineOptions, invalidOption, kind, type OptionKind, string, text } from '@sallyport/core/options';
import { isRedirectUri } from './internal/redirect-uri.js';
import { identifier } from './internal/urls.js';
import type { OAuthErrorName } from './oauth-error.js';

/** Options of {@link createAuthorizeResponse}; an unknown key is rejected. */
export interface AuthorizeResponseOptions {
  /** One of the client's registered redirect URIs; compare it before the call. */
  readonly redirectUri: string;
  /** The issuer of the authorization server, exactly as in its metadata. */
  readonly issuer: string;
  /** The unchanged `state` of the request. Default: left out. */
  readonly state?: string;
  /** The code, if the user has agreed. Pass either `code` or `error`. */
  readonly code?: string;
  /** Reason why there is no code. */
  readonly error?: OAuthErrorName;
  /** Description of the error for the developer of the client. */
  readonly errorDescription?: string;
}

/** Validators and defaults for {@link AuthorizeResponseOptions}. */
export const AUTHORIZE_RESPONSE_OPTIONS = defineOptions<AuthorizeResponseOptions>()({
  redirectUri: kind<string>('a redirect URI', (value) => isRedirectUri(value, true)).required(),
  issuer: identifier.required(),
  state: string,
  code: text(),
  error: text('an error of OAuth') as OptionKind<string> as OptionKind<OAuthErrorName>,
  errorDescription: string,
});

/**
 * The redirect back to the client. Adds `code` or `error`, `state` and `iss` (RFC 9207) to the query of the redirect URI.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example createAuthorizeResponse({ redirectUri, issuer, state, code: await codes.put(grant) });
 */
export function createAuthorizeResponse(options: AuthorizeResponseOptions): ResponseInput {
  const { redirectUri, issuer, state, code, error, errorDescription } = AUTHORIZE_RESPONSE_OPTIONS.parse(
    options ?? null,
  );
  if ((code === undefined) === (error === undefined)) throw invalidOption('code', 'given, or error, and not both');
  const added = new URLSearchParams();
  const members = { code, error, error_description: errorDescription, state, iss: issuer };
  for (const [name, value] of Object.entries(members)) if (value !== undefined) added.set(name, value);
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${added}`;
  // The page after the redirect must not receive the code in a referrer (RFC 9700 section 4.2.4).
  return { status: 302, headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } };
}
