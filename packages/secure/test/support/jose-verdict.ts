import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';

/** The verdict of a verifier: the claims, or the reason for the rejection in one word. */
export type Verdict = { readonly claims: unknown } | { readonly refused: string };

/** A verifier that is built with `jose` alone, as its documentation shows for a key set in which several keys fit. */
export function createJoseVerifier(jwks: unknown, options: JWTVerifyOptions): (token: string) => Promise<Verdict> {
  const keys = createLocalJWKSet(structuredClone(jwks) as JSONWebKeySet);
  return async (token) => {
    try {
      return { claims: await verifyWithAnyKey(token, keys, options) };
    } catch (error) {
      return { refused: describe(error) };
    }
  };
}

async function verifyWithAnyKey(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<unknown> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (inner) {
        if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** `unavailable` for a key of the issuer that cannot be used: WebCrypto and `jose` throw other errors then. */
function describe(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return `${error.code} ${error.claim}`;
  return error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid) ? error.code : 'unavailable';
}
