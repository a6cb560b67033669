import type { TokenRequest } from '../console/api.js';

/** The local issuer: signs tokens that a service accepts which is set to it by `$issuer` and `$jwks`. */
export interface Identity {
  /** A signed JWT (ES256), valid for an hour. */
  token(request: TokenRequest): Promise<string>;
  /** Puts addresses and the secret of this run in the place of `$issuer`, `$jwks`, `$secret`, `$audience` and `$api`. */
  substitute(value: string): string;
}
