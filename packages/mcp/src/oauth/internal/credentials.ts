import type { Context } from '@sallyport/core';

/** `refused`: the request has bearer credentials, but no token can be read from them. */
export type Credentials = { readonly token: string } | 'refused' | 'none';

/** Maximum size of a token in bytes. */
const MAX_TOKEN_BYTES = 16_384;
const SCHEME = /^[\t ]*bearer(?:[\t ]|$)/i;
/**
 * The scheme and a `b64token` (RFC 6750 section 2.1). No character matches two neighbouring parts, so every header is matched in linear
 * time.
 */
const BEARER = /^[\t ]*bearer[\t ]+([A-Za-z0-9._~+/-]+=*)[\t ]*$/i;
/** Some proxies join the values of a repeated header. */
const SECOND_BEARER = /,[\t ]*bearer(?:[\t ]|$)/i;

/** The bearer token of the header `authorization`; the query and the body are never read. */
export function readCredentials(ctx: Context): Credentials {
  const values = ctx.headerAll('authorization');
  if (values.length === 0) return 'none';
  const [value = ''] = values;
  if (values.length > 1) return 'refused';
  if (!SCHEME.test(value)) return SECOND_BEARER.test(value) ? 'refused' : 'none';
  const token = BEARER.exec(value)?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_BYTES ? { token } : 'refused';
}
