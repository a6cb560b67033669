import { brandError } from '@sallyport/core/pipeline';
import type { JwtClaims } from './options.js';

/** `audience`: everything but the audience is right. `unavailable`: the keys could not be fetched, so the token was not checked. */
export type JwtErrorReason = 'invalid' | 'expired' | 'audience' | 'unavailable';

/** Why a token is rejected. Holds no part of the token, so that it can be logged. */
export class JwtError extends Error {
  static {
    brandError(JwtError, 'sallyport.JwtError');
  }

  override readonly name = 'JwtError';
  /** Why the token is not accepted, in one word for programs. */
  readonly reason: JwtErrorReason;
  /** A word for logs, for example `ERR_JWT_EXPIRED`. */
  readonly detail: string;

  constructor(reason: JwtErrorReason, detail: string) {
    super(`token refused: ${reason}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** A token that was accepted. */
export interface VerifiedJwt {
  /** The issuer whose key signed it. */
  readonly issuer: string;
  /** What it says. */
  readonly claims: JwtClaims;
}

/** Verifies tokens; made by `createJwtVerifier`. */
export interface JwtVerifier {
  /**
   * Verifies signature, issuer, type, times and, last, the audience.
   *
   * @param audience in the place of the configured one, for those who know it only by request
   * @throws JwtError
   */
  verify(token: string, now: Date, audience?: readonly string[]): Promise<VerifiedJwt>;
}
