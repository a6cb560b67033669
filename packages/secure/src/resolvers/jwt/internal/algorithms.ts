import type { KeyObject, VerifyKeyObjectInput } from 'node:crypto';

/** The verification of the signatures of one `alg` with a public key. */
export interface Algorithm {
  /** The `kty` of its keys. */
  readonly kty: 'RSA' | 'EC' | 'OKP';
  /** The `crv` of its keys. */
  readonly crv: string | undefined;
  /** The digest; `null` if it is a part of the signature scheme. */
  readonly hash: string | null;
  readonly input: Omit<VerifyKeyObjectInput, 'key'>;
}

/** `RSA_PKCS1_PSS_PADDING` of `node:crypto`, which is not loaded before the first token. */
const PSS_PADDING = 6;

const rsa = (hash: string): Algorithm => ({ kty: 'RSA', crv: undefined, hash, input: {} });
const pss = (hash: string, saltLength: number): Algorithm => ({
  kty: 'RSA',
  crv: undefined,
  hash,
  input: { padding: PSS_PADDING, saltLength },
});
const ecdsa = (hash: string, crv: string): Algorithm => ({
  kty: 'EC',
  crv,
  hash,
  input: { dsaEncoding: 'ieee-p1363' },
});
const eddsa: Algorithm = { kty: 'OKP', crv: 'Ed25519', hash: null, input: {} };

/** The signatures that a public key verifies (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864 section 2.2), by `alg`. */
export const ALGORITHMS: ReadonlyMap<unknown, Algorithm> = /* @__PURE__ */ new Map([
  ['RS256', rsa('sha256')],
  ['RS384', rsa('sha384')],
  ['RS512', rsa('sha512')],
  ['PS256', pss('sha256', 32)],
  ['PS384', pss('sha384', 48)],
  ['PS512', pss('sha512', 64)],
  ['ES256', ecdsa('sha256', 'P-256')],
  ['ES384', ecdsa('sha384', 'P-384')],
  ['ES512', ecdsa('sha512', 'P-521')],
  ['EdDSA', eddsa],
  ['Ed25519', eddsa],
]);

/** False also for a signature of the wrong length, which Node rejects with an error. */
export function hasSignature(algorithm: Algorithm, key: KeyObject, signed: Uint8Array, signature: Uint8Array): boolean {
  try {
    const { verify } = process.getBuiltinModule('node:crypto');
    return verify(algorithm.hash, signed, { key, ...algorithm.input }, signature);
  } catch {
    return false;
  }
}
