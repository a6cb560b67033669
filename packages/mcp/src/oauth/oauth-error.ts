import { FrameworkError, type ResponseInput } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';
import { jsonAnswer } from './internal/answers.js';

/** Errors of token requests (RFC 6749 section 5.2, RFC 8707 section 2), authorization requests (section 4.1.2.1) and registrations (RFC 7591 section 3.2.2). */
export type OAuthErrorName =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'server_error'
  | 'temporarily_unavailable';

/**
 * The error that an authorization server returns for an invalid request. Handlers of this entry send it as JSON; clients see the message.
 *
 * @example throw new OAuthError('invalid_scope', 'the scope was not granted');
 */
export class OAuthError extends FrameworkError {
  static {
    brandError(OAuthError, 'sallyport.OAuthError');
  }

  override readonly name: string = 'OAuthError';
  /** The error code of the protocol. */
  readonly error: OAuthErrorName;

  constructor(error: OAuthErrorName, description: string, init: { readonly cause?: unknown } = {}) {
    super('mcp.oauth_refused', description, { ...init, statusCode: error === 'invalid_client' ? 401 : 400 });
    this.error = error;
    Object.freeze(this);
  }
}

/** The challenge that a 401 for a client must have (RFC 6749 section 5.2, RFC 9110 section 15.5.2). */
const BASIC = 'Basic realm="token"';

/** The error as JSON, which must not be cached. */
export function toErrorAnswer({ error, message, status }: OAuthError): ResponseInput {
  const body = JSON.stringify({ error, error_description: message });
  return jsonAnswer(body, { status, secret: true, ...(status === 401 && { challenge: BASIC }) });
}
