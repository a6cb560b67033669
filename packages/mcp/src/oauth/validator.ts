import type { Context, MaybePromise } from '@sallyport/core';
import { brandError } from '@sallyport/core/pipeline';

/** The route that a request reached, as configured functions see it: nothing of the request but its decoded path parameters. */
export interface MatchedRoute {
  /** The canonical pattern: `/{tenant}/mcp`. */
  readonly pattern: string;
  /** Path parameters, percent-decoded once. */
  readonly params: Readonly<Record<string, string>>;
}

/** What a token says that was verified. */
export interface BearerClaims {
  /** Who calls: the `identity` of the principal. Unique over all issuers whose tokens the validator takes. */
  readonly subject: string;
  /** For whom the token is; empty when it does not say. */
  readonly audience: readonly string[];
  /** What the caller may do; empty for nothing in particular. */
  readonly scopes: readonly string[];
  /** From when on the token is rejected, the validator's tolerance for clocks included. Default: it is not checked again. */
  readonly expiresAt?: Date;
  /** Who issued the token. */
  readonly issuer?: string;
  /** The client that the token was issued to. */
  readonly clientId?: string;
  /** All claims. They become those of the principal. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Verifies a token: returns what it says, or throws. {@link BearerError} says why it is wrong, {@link BearerUnavailable} that it
 * could not be verified now; anything else that is thrown counts as a wrong token.
 */
export type Validator = (token: string, ctx: Context) => MaybePromise<BearerClaims>;

/** Why a token is rejected. `audience` and `scope`: everything else is right. */
export type BearerErrorReason = 'invalid' | 'expired' | 'audience' | 'scope';

/**
 * What a {@link Validator} throws for a token that is wrong. `audience` and `scope` are answered 403, the others 401. The caller does not
 * learn the reason; `detail` is logged and must hold no part of the token.
 *
 * @example if (session.revoked) throw new BearerError('invalid', 'revoked');
 */
export class BearerError extends Error {
  static {
    brandError(BearerError, 'sallyport.BearerError');
  }

  override readonly name = 'BearerError';
  /** Why the token is rejected, in one word for programs. */
  readonly reason: BearerErrorReason;
  /** For the log. */
  readonly detail: string;

  constructor(reason: BearerErrorReason, detail: string = reason) {
    super(`bearer token rejected: ${reason}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/**
 * What a {@link Validator} throws when a token cannot be verified now, because keys or an introspection endpoint cannot be reached:
 * answered 503.
 *
 * @example throw new BearerUnavailable('introspection timed out');
 */
export class BearerUnavailable extends Error {
  static {
    brandError(BearerUnavailable, 'sallyport.BearerUnavailable');
  }

  override readonly name = 'BearerUnavailable';
  /** For the log. */
  readonly detail: string;

  constructor(detail = 'unknown') {
    super('bearer token cannot be verified now');
    this.detail = detail;
  }
}
