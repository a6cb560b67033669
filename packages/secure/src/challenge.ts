import { type Context, FrameworkError, isFrameworkError, type OneOrMany } from '@sallyport/core';
import type { Gate } from '@sallyport/http/pipeline';
import { authorize } from './gate.js';
import { readsBearer } from './internal/reads-bearer.js';
import type { SecurePrincipalResolver } from './principal.js';

/**
 * `www-authenticate` of a 401 answer over HTTP (RFC 9110 section 11.6.1): the same text for all routes, or one by route.
 * `false`: no 401 carries the header, not even one that a resolver set.
 */
export type Challenge = string | false | ((ctx: Context) => string | undefined);

const HEADER = 'www-authenticate';
/** A 401 must say how to do better (RFC 9110 section 15.5.2); this says it of bearer tokens (RFC 6750 section 3). */
const BEARER = 'Bearer';

/** The gate as a pipeline's stage, which sets the challenge of its 401 answers over HTTP. */
export function createGate(resolver: SecurePrincipalResolver | undefined, challenge: Challenge | undefined): Gate {
  const fallback = readsBearer(resolver) ? BEARER : undefined;
  const decide = challengeBy(challenge, fallback);
  if (decide === undefined) return ({ registration, ctx }) => authorize(registration, ctx, resolver);
  return ({ registration, ctx }) => {
    try {
      const pending = authorize(registration, ctx, resolver);
      if (pending === undefined) return undefined;
      return pending.catch((thrown: unknown) => Promise.reject(withChallenge(thrown, ctx, decide)));
    } catch (thrown) {
      throw withChallenge(thrown, ctx, decide);
    }
  };
}

/** The challenge of a 401, from the one that the resolver set, `''` for none; `undefined` for none. */
type Decide = (resolvers: string, ctx: Context) => string | undefined;

/** `undefined` when every refusal stays as it is. */
function challengeBy(challenge: Challenge | undefined, fallback: string | undefined): Decide | undefined {
  if (challenge === false) return () => undefined;
  if (challenge === undefined) return fallback === undefined ? undefined : (resolvers) => resolvers || fallback;
  return (resolvers, ctx) => {
    const own = typeof challenge === 'string' ? challenge : askChallenge(challenge, ctx, fallback);
    return own === undefined ? resolvers || undefined : mergeChallenges(own, resolvers);
  };
}

function withChallenge(thrown: unknown, ctx: Context, decide: Decide): unknown {
  if (!isFrameworkError(thrown) || thrown.status !== 401 || ctx.route?.surface !== 'http') return thrown;
  const present = challengeOf(thrown.headers);
  const value = decide(present, ctx);
  if ((value ?? '') === present) return thrown;
  const { code, message, statusCode, details, requestId, traceId, timestamp, stackTrace, headers, cause } = thrown;
  return new FrameworkError(code, message, {
    statusCode,
    details,
    requestId,
    traceId,
    timestamp,
    stackTrace,
    headers: { ...withoutChallenge(headers), ...(value !== undefined && { [HEADER]: value }) },
    cause,
  });
}

/** The fallback for a function that fails or answers what no header can hold: the refusal stands. */
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
  ctx.log.warn('challenge is no header value', { event: 'secure.challenge_failed' });
  return fallback;
}

/** Whether a value can be sent as a challenge. */
export function isChallenge(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && /^[\t\x20-\x7e]+$/.test(value);
}

function withoutChallenge(headers: OneOrMany = {}): OneOrMany {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.trim().toLowerCase() !== HEADER));
}

function challengeOf(headers: OneOrMany = {}): string {
  const value = Object.entries(headers).find(([name]) => name.trim().toLowerCase() === HEADER)?.[1];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

const SCHEME = /^\s*([^\s,=]+)(?:\s+(.*\S))?\s*$/;
const PARAMETER = /([\w-]+)\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s,"]+)/g;

/** The configured challenge, with the parameters that a resolver's own of the same scheme has and it has not. */
function mergeChallenges(configured: string, resolvers: string): string {
  const [, scheme = '', parameters = ''] = SCHEME.exec(configured) ?? [];
  const [, otherScheme = '', others = ''] = SCHEME.exec(resolvers) ?? [];
  if (scheme.toLowerCase() !== otherScheme.toLowerCase()) return configured;
  const names = new Set([...parameters.matchAll(PARAMETER)].map(([, name = '']) => name.toLowerCase()));
  const added = [...others.matchAll(PARAMETER)].filter(([, name = '']) => !names.has(name.toLowerCase()));
  if (added.length === 0) return configured;
  return `${scheme} ${[...(parameters === '' ? [] : [parameters]), ...added.map(([text]) => text)].join(', ')}`;
}
