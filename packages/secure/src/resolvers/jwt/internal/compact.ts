import { isObject, type Members, membersOf } from '@sallyport/core/internal';
import { JwtError } from '../jwt-error.js';

/** The parts of a token in compact form (RFC 7515 section 7.1), decoded and not yet verified. */
export interface CompactToken {
  readonly header: Members;
  readonly claims: Members;
  /** The bytes that the issuer signed. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** The encoded parts of a token whose spelling is valid, and its claims. */
export interface EncodedToken {
  readonly header: string;
  readonly payload: string;
  readonly signature: Buffer;
  readonly claims: Members;
}

/**
 * Splits three parts of base64url without padding (RFC 7515 section 2). The signature itself is not signed, so it could be
 * spelled in several ways: the bits that its last character does not need must be zero (RFC 4648 section 3.5).
 *
 * @throws JwtError `invalid`
 */
export function decodeToken(token: string): EncodedToken {
  const [, header = '', payload = '', encoded = ''] = COMPACT.exec(token) ?? [];
  const signature = Buffer.from(encoded, 'base64url');
  const claims = decodeObject(payload);
  if (claims === undefined || signature.toString('base64url') !== encoded) throw new JwtError('invalid', 'malformed');
  return { header, payload, signature, claims };
}

/** The claims of a token that {@link decodeToken} accepted before. */
export function claimsOf(token: string): Members {
  return membersOf(decodeObject(token.slice(token.indexOf('.') + 1, token.lastIndexOf('.'))));
}

/**
 * Decodes and checks the header.
 *
 * @param algorithms the accepted values of `alg`
 * @throws JwtError `invalid`
 */
export function withHeader(token: EncodedToken, algorithms: readonly string[]): CompactToken {
  const { claims, signature, payload } = token;
  const header = decodeObject(token.header);
  if (header === undefined) throw new JwtError('invalid', 'ERR_JWS_INVALID');
  checkCritical(header);
  if (typeof header.alg !== 'string' || header.alg === '') throw new JwtError('invalid', 'ERR_JWS_INVALID');
  if (!algorithms.includes(header.alg)) throw new JwtError('invalid', 'ERR_JOSE_ALG_NOT_ALLOWED');
  return { header, claims, signature, signed: Buffer.from(`${token.header}.${payload}`, 'latin1') };
}

/** Extensions that a recipient must understand (RFC 7515 section 4.1.11): the only one is `b64` (RFC 7797), which must not change a JWT. */
function checkCritical({ crit, b64 }: Members): void {
  if (crit === undefined) return;
  const isList =
    Array.isArray(crit) && crit.length > 0 && crit.every((name) => typeof name === 'string' && name !== '');
  if (!isList) throw new JwtError('invalid', 'ERR_JWS_INVALID');
  if (crit.some((name) => name !== 'b64')) throw new JwtError('invalid', 'ERR_JOSE_NOT_SUPPORTED');
  if (b64 === false) throw new JwtError('invalid', 'ERR_JWT_INVALID');
  if (b64 !== true) throw new JwtError('invalid', 'ERR_JWS_INVALID');
}

/** Rejects bytes that are not UTF-8, which a replacement character would hide. */
const UTF8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true });

/** The JSON object of a part; `undefined` if it is not base64url, UTF-8 or an object. One character alone encodes no byte. */
function decodeObject(part: string): Members | undefined {
  if (part.length % 4 === 1) return undefined;
  try {
    const value: unknown = JSON.parse(UTF8.decode(Buffer.from(part, 'base64url')));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
