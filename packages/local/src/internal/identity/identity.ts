import type { TokenRequest } from '../console/api.js';

/** The local issuer: signs tokens that a service accepts which is set to it by `$issuer` and `$jwks`. */
export interface Identity {
  /** A signed JWT (ES256), valid for an hour. */
  token(request: TokenRequest): Promise<string>;
  /**
   * Checks a token as a JWT authorizer does.
   *
   * @returns its claims
   * @throws Error with the reason, a sentence without the token
   */
  verify(token: string): Promise<Readonly<Record<string, unknown>>>;
  /** Puts addresses and the secret of this run in the place of `$issuer`, `$jwks`, `$secret`, `$audience` and `$api`. */
  substitute(value: string): string;
}
