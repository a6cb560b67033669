import { brandError } from '@sallyport/core/internal';
import type { JwtClaims } from './options.js';

/** `audience`: only the audience is wrong. `unavailable`: the keys could not be fetched, so the token was not checked. */
export type JwtErrorReason = 'invalid' | 'expired' | 'audience' | 'unavailable';

/** The rejection of a token. It contains no part of the token, so that it can be logged. */
export class JwtError extends Error {
  static {
    brandError(JwtError, 'sallyport.JwtError');
  }

  override readonly name = 'JwtError';
  /** The reason for the rejection, as one word for programs. */
  readonly reason: JwtErrorReason;
  /** A word for logs, for example `ERR_JWT_EXPIRED`. */
  readonly detail: string;

  constructor(reason: JwtErrorReason, detail: string) {
    super(`token rejected: ${reason}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** A token that was accepted. */
export interface VerifiedJwt {
  /** The issuer whose key signed it. */
  readonly issuer: string;
  /** The claims of the token. */
  readonly claims: JwtClaims;
}

/** Verifies tokens; created by `createJwtVerifier`. */
export interface JwtVerifier {
  /**
   * Verifies signature, issuer, type, times and, last, the audience.
   *
   * @param audience replaces the configured audience, for callers whose audience depends on the request
   * @throws JwtError
   */
  verify(token: string, now: Date, audience?: readonly string[]): Promise<VerifiedJwt>;
}
