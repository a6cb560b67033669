import type { Context, MaybePromise } from '@sallyport/core';
import { brandError } from '@sallyport/core/internal';

/** The matched route, as functions of the configuration receive it: the pattern and the decoded path parameters of the request. */
export interface MatchedRoute {
  /** The canonical pattern: `/{tenant}/mcp`. */
  readonly pattern: string;
  /** Path parameters, percent-decoded once. */
  readonly params: Readonly<Record<string, string>>;
}

/** Claims of a verified token. */
export interface BearerClaims {
  /** The caller: the `identity` of the principal. Unique over all issuers whose tokens the validator accepts. */
  readonly subject: string;
  /** Audiences of the token; empty if unknown. */
  readonly audience: readonly string[];
  /** Scopes of the caller; the list can be empty. */
  readonly scopes: readonly string[];
  /** Time from which the token is rejected, including the validator's clock tolerance. Default: it is not checked again. */
  readonly expiresAt?: Date;
  /** The issuer of the token. */
  readonly issuer?: string;
  /** The client that the token was issued to. */
  readonly clientId?: string;
  /** All claims. They become the claims of the principal. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Verifies a token and returns its claims, or throws: {@link BearerError} for a wrong token, {@link BearerUnavailable} if the token cannot
 * be verified now. Any other error counts as a wrong token.
 */
export type Validator = (token: string, ctx: Context) => MaybePromise<BearerClaims>;

/** Reason of a rejection. `audience` and `scope`: the rest of the token is valid. */
export type BearerErrorReason = 'invalid' | 'expired' | 'audience' | 'scope';

/**
 * The error of a {@link Validator} for a wrong token. `audience` and `scope` are answered with 403, other reasons with 401. The caller does
 * not receive the reason; `detail` is logged and must not contain any part of the token.
 *
 * @example if (session.revoked) throw new BearerError('invalid', 'revoked');
 */
export class BearerError extends Error {
  static {
    brandError(BearerError, 'sallyport.BearerError');
  }

  override readonly name = 'BearerError';
  /** Reason of the rejection, for programs. */
  readonly reason: BearerErrorReason;
  /** Details for the log. */
  readonly detail: string;

  constructor(reason: BearerErrorReason, detail: string = reason) {
    super(`bearer token rejected: ${reason}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/**
 * The error of a {@link Validator} if a token cannot be verified now, because keys or an introspection endpoint cannot be reached:
 * answered with 503.
 *
 * @example throw new BearerUnavailable('introspection timed out');
 */
export class BearerUnavailable extends Error {
  static {
    brandError(BearerUnavailable, 'sallyport.BearerUnavailable');
  }

  override readonly name = 'BearerUnavailable';
  /** Details for the log. */
  readonly detail: string;

  constructor(detail = 'unknown') {
    super('bearer token cannot be verified now');
    this.detail = detail;
  }
}
