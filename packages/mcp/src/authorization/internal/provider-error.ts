import { type Context, FrameworkError } from '@sallyport/core';
import { brandError, logFailure } from '@sallyport/core/internal';

/**
 * Reason of a failure of the identity provider.
 *
 * `timeout`: no complete response within the time limit. `unreachable`: no connection. `status`: an unexpected HTTP status. `not_json`: a
 * response that is not a JSON object, such as an HTML page. `too_large`: a response over the limit. `issuer`: the metadata or the
 * authorization response names another issuer. `metadata`: the metadata has no usable endpoint. `keys`: the signing keys are not available.
 * `token`: an access token that is missing, invalid, or for another issuer. `audience`: an access token for another resource. `refused`: an
 * OAuth error.
 */
export type ProviderFailureReason =
  | 'timeout'
  | 'unreachable'
  | 'status'
  | 'not_json'
  | 'too_large'
  | 'issuer'
  | 'metadata'
  | 'keys'
  | 'token'
  | 'audience'
  | 'refused';

/** Failures after which the same request can succeed later. */
const TRANSIENT: readonly ProviderFailureReason[] = ['timeout', 'unreachable', 'status', 'keys'];

/** The identity provider failed. Its text is for the log; clients receive the OAuth error. */
export class ProviderFailure extends FrameworkError {
  static {
    brandError(ProviderFailure, 'sallyport.ProviderFailure');
  }

  readonly reason: ProviderFailureReason;
  /** The `error` of the provider's response; only for `refused`. */
  readonly oauthError: string | undefined;

  constructor(reason: ProviderFailureReason, detail: string, init: { cause?: unknown; oauthError?: string } = {}) {
    super('mcp.identity_provider', `framework: mcp: the identity provider failed: ${detail}`, {
      statusCode: 503,
      ...(init.cause !== undefined && { cause: init.cause }),
    });
    this.reason = reason;
    this.oauthError = init.oauthError;
  }

  /** The OAuth error that the client receives. */
  get clientError(): 'temporarily_unavailable' | 'server_error' {
    return TRANSIENT.includes(this.reason) ? 'temporarily_unavailable' : 'server_error';
  }
}

/** The name of an OAuth error that a provider sent; empty for any other value, which may quote data. */
export function oauthErrorName(value: unknown): string {
  return typeof value === 'string' && /^[a-z_]{1,64}$/.test(value) ? value : '';
}

/** Writes the one log line of a failure. It contains the reason, and no token, code or secret. */
export function logProviderFailure(ctx: Context, failure: ProviderFailure): void {
  logFailure(() => ctx.log, 'the identity provider failed', failure, {
    event: 'mcp.identity_provider_failed',
    code: failure.code,
    reason: failure.reason,
    ...(failure.oauthError !== undefined && { oauth_error: failure.oauthError }),
  });
}
