import type { Context } from '@sallyport/core';
import { OAuthError } from '../oauth-error.js';

/** The parameters of a form. An empty value counts as absent (RFC 6749 section 3.2). */
export interface Form {
  /** @throws OAuthError `invalid_request` if it is missing or repeated */
  required(name: string): string;
  /** @throws OAuthError `invalid_request` if it is repeated */
  optional(name: string): string | undefined;
  all(name: string): readonly string[];
}

const MAX_BODY_BYTES = 65_536;

/** @throws OAuthError `invalid_request` for a body that is not a form, or too large */
export function readForm(ctx: Context): Form {
  const [type = ''] = (ctx.header('content-type') ?? '').split(';');
  const body = ctx.bodyText();
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded' || body.length > MAX_BODY_BYTES) {
    throw new OAuthError('invalid_request', 'the body must be a form');
  }
  const parameters = new URLSearchParams(body);
  const all = (name: string) => parameters.getAll(name).filter((value) => value !== '');
  const optional = (name: string) => {
    const values = all(name);
    if (values.length > 1) throw new OAuthError('invalid_request', `${name} is repeated`);
    return values[0];
  };
  const required = (name: string) => {
    const value = optional(name);
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
    return value;
  };
  return { all, optional, required };
}
