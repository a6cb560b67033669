import type { Context } from '@sallyport/core';

/** `refused`: credentials are there, and no token can be read from them. */
export type Bearer = { readonly token: string } | 'refused' | 'none';

const AUTHORIZATION = 'authorization';
const SCHEME = /^\s*([^\s,]+)(?:\s+(.*))?$/s;
/** What a JWT in compact form is made of: base64url without padding (RFC 7515 section 2), and dots. */
const TOKEN = /^[A-Za-z0-9_.-]+$/;
const MAX_TOKEN_LENGTH = 16_384;
/** Some gateways join the values of a repeated header. */
const SECOND_BEARER = /,\s*bearer(?:\s|$)/i;

/** The bearer token of a header. Another scheme is no token of ours; two values are nobody's. */
export function readBearer(ctx: Context, header: string): Bearer {
  const values = ctx.headerAll(header);
  if (values.length === 0) return 'none';
  if (values.length > 1) return 'refused';
  const value = values[0] ?? '';
  const [, scheme = '', rest = ''] = SCHEME.exec(value) ?? [];
  if (scheme.toLowerCase() === 'bearer') return toToken(rest);
  if (header !== AUTHORIZATION && rest === '') return toToken(scheme);
  return SECOND_BEARER.test(value) ? 'refused' : 'none';
}

function toToken(text: string): Bearer {
  const token = text.trim();
  return token.length <= MAX_TOKEN_LENGTH && TOKEN.test(token) ? { token } : 'refused';
}
