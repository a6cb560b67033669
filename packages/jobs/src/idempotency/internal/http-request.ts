import { type Context, FrameworkError, type Request } from '@sallyport/core';
import { callerKey, stateOf } from '@sallyport/core/pipeline';
import { sha256 } from '../../internal/keys.js';

const HEADER = 'idempotency-key';
/** A token-like key: visible ASCII, but for the comma at which front doors join repeated headers. */
const BARE = /^[\x21-\x2b\x2d-\x7e]{1,255}$/;
/** A quoted string (RFC 8941 section 3.3.3) of visible ASCII. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,510})"$/;
const MAX_KEY = 255;

/**
 * The key of a request; `undefined` when there is none and none is required.
 *
 * @throws FrameworkError `app.bad_request`
 */
export function idempotencyKeyOf(ctx: Context, required: boolean): string | undefined {
  const values = ctx.headerAll(HEADER);
  if (values.length === 0) {
    if (required) throw new FrameworkError('app.bad_request', 'idempotency key is required');
    return undefined;
  }
  const key = values.length === 1 ? parseKey(values[0] ?? '') : undefined;
  if (key === undefined) throw new FrameworkError('app.bad_request', 'invalid idempotency key');
  return key;
}

function parseKey(value: string): string | undefined {
  const text = value.replace(/^[ \t]+|[ \t]+$/g, '');
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  if (quoted !== undefined) return quoted.length <= MAX_KEY ? quoted : undefined;
  return BARE.test(text) && !text.startsWith('"') ? text : undefined;
}

/**
 * Whose key it is, and of what operation. Hashed: routes and identities may be longer than a scope, and identities have no
 * place in keys of a table.
 *
 * @throws FrameworkError `app.bad_request` for a caller without identity
 */
export function scopeOf(ctx: Context, allowAnonymous: boolean): string {
  if (ctx.authIdentity.trim() === '' && !allowAnonymous) {
    throw new FrameworkError('app.bad_request', 'idempotency key needs an authenticated caller');
  }
  return `http:${sha256(JSON.stringify([ctx.request.method, ctx.route?.pattern ?? '', callerKey(stateOf(ctx))]))}`;
}

/** What a key stands for: everything by which two requests may differ that the operation could see. */
export function fingerprintOf({ method, rawPath, query, headers, body }: Request): string {
  const sortedQuery = Object.keys(query)
    .sort()
    .map((name) => [name, query[name]]);
  const head = JSON.stringify([method, rawPath, sortedQuery, headers['content-type'] ?? []]);
  return sha256(Buffer.concat([Buffer.from(`${head}\n`), body]));
}
