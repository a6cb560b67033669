import type { Context } from '@sallyport/core';

/** `refused`: there are credentials for bearer tokens, and no token can be read from them. */
export type Credentials = { readonly token: string } | 'refused' | 'none';

/** Bytes that a token has at most. */
const MAX_TOKEN_BYTES = 16_384;
/** `b64token` (RFC 6750 section 2.1). */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const BEARER = /^[\t ]*bearer(?:[\t ]+(.*?))?[\t ]*$/is;
/** Some proxies join the values of a repeated header. */
const SECOND_BEARER = /,[\t ]*bearer(?:[\t ]|$)/i;

/** The bearer token of a request: of its header `authorization` alone, never of the query or the body. */
export function readCredentials(ctx: Context): Credentials {
  const values = ctx.headerAll('authorization');
  if (values.length === 0) return 'none';
  const [value = ''] = values;
  if (values.length > 1) return 'refused';
  const match = BEARER.exec(value);
  if (!match) return SECOND_BEARER.test(value) ? 'refused' : 'none';
  const token = match[1] ?? '';
  return token.length <= MAX_TOKEN_BYTES && TOKEN.test(token) ? { token } : 'refused';
}
