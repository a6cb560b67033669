import { type Context, FrameworkError, isFrameworkError, type OneOrMany } from '@sallyport/core';

/** A rejection of one caller must not be cached for another (RFC 9111 section 5.2.2.5). */
export const NO_STORE = { headers: { 'cache-control': 'no-store' } };

/**
 * `www-authenticate` of a 401 answer over HTTP (RFC 9110 section 11.6.1): one string for all routes, or a function of the route.
 * `false`: no 401 contains the header, even if a resolver set it.
 */
export type Challenge = string | false | ((ctx: Context) => string | undefined);

const CHALLENGE = 'www-authenticate';
/** A 401 must name a way to authenticate (RFC 9110 section 15.5.2): here bearer tokens (RFC 6750 section 3). */
const BEARER = 'Bearer';

/** Returns the challenge of a 401 from the resolver's challenge (`''` if absent); `undefined` for no challenge. */
export type Decide = (resolvers: string, ctx: Context) => string | undefined;

/**
 * @param isBearer true if the resolver reads bearer tokens
 * @returns `undefined` if no rejection is changed
 */
export function challengeBy(challenge: Challenge | undefined, isBearer: boolean): Decide | undefined {
  const fallback = isBearer ? BEARER : undefined;
  if (challenge === false) return () => undefined;
  if (challenge === undefined) return fallback === undefined ? undefined : (resolvers) => resolvers || fallback;
  return (resolvers, ctx) => {
    const own = typeof challenge === 'string' ? challenge : askChallenge(challenge, ctx, fallback);
    return own === undefined ? resolvers || undefined : mergeChallenges(own, resolvers);
  };
}

/** The HTTP form of a 401 or 403 of the gate or of a resolver. */
export function toRefusal(thrown: unknown, ctx: Context, decide: Decide | undefined): unknown {
  if (!isFrameworkError(thrown) || ctx.route?.surface !== 'http') return thrown;
  const { status, headers = {} } = thrown;
  if (status !== 401 && status !== 403) return thrown;
  const present = headerOf(headers, CHALLENGE);
  const value = (status === 401 && decide ? decide(present, ctx) : present) ?? '';
  const isStored = headerOf(headers, 'cache-control') === '';
  if (value === present && !isStored) return thrown;
  return withHeaders(thrown, {
    ...(isStored && NO_STORE.headers),
    ...without(headers, CHALLENGE),
    ...(value !== '' && { [CHALLENGE]: value }),
  });
}

function withHeaders(thrown: FrameworkError, headers: OneOrMany): FrameworkError {
  const { code, message, statusCode, details, requestId, traceId, timestamp, stackTrace, cause } = thrown;
  const init = { statusCode, details, requestId, traceId, timestamp, stackTrace, headers, cause };
  return new FrameworkError(code, message, init);
}

/** If a challenge function fails or returns an invalid header value, the fallback is used, and the answer is still 401. */
function askChallenge(
  challenge: (ctx: Context) => string | undefined,
  ctx: Context,
  fallback: string | undefined,
): string | undefined {
  try {
    const value = challenge(ctx);
    if (value === undefined || isChallenge(value)) return value;
  } catch (error) {
    ctx.log.warn('challenge failed', { event: 'secure.challenge_failed', error });
    return fallback;
  }
  ctx.log.warn('challenge is not a valid header value', { event: 'secure.challenge_failed' });
  return fallback;
}

/** True if a value can be sent as a challenge. */
export function isChallenge(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && /^[\t\x20-\x7e]+$/.test(value);
}

function without(headers: OneOrMany, header: string): OneOrMany {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.trim().toLowerCase() !== header));
}

function headerOf(headers: OneOrMany, header: string): string {
  const value = Object.entries(headers).find(([name]) => name.trim().toLowerCase() === header)?.[1];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

const SCHEME = /^\s*([^\s,=]+)(?:\s+(.*\S))?\s*$/;
const PARAMETER = /([\w-]+)\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s,"]+)/g;

/** The configured challenge, with missing parameters added from the resolver's challenge of the same scheme. */
function mergeChallenges(configured: string, resolvers: string): string {
  const [, scheme = '', parameters = ''] = SCHEME.exec(configured) ?? [];
  const [, otherScheme = '', others = ''] = SCHEME.exec(resolvers) ?? [];
  if (scheme.toLowerCase() !== otherScheme.toLowerCase()) return configured;
  const names = new Set([...parameters.matchAll(PARAMETER)].map(([, name = '']) => name.toLowerCase()));
  const added = [...others.matchAll(PARAMETER)].filter(([, name = '']) => !names.has(name.toLowerCase()));
  if (added.length === 0) return configured;
  return `${scheme} ${[...(parameters === '' ? [] : [parameters]), ...added.map(([text]) => text)].join(', ')}`;
}
