import type { TokenRequest } from '../console/api.js';

/** The local issuer: signs tokens for services that are configured with `$issuer` and `$jwks`. */
export interface Identity {
  /** A signed JWT (ES256), valid for an hour. */
  token(request: TokenRequest): Promise<string>;
  /**
   * Checks a token as a JWT authorizer does.
   *
   * @returns its claims
   * @throws Error with the reason, a message without the token
   */
  verify(token: string): Promise<Readonly<Record<string, unknown>>>;
  /** Replaces `$issuer`, `$jwks`, `$secret`, `$audience` and `$api` with the addresses and the secret of this run. */
  substitute(value: string): string;
}
