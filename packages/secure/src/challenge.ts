import { type Context, FrameworkError, isFrameworkError, type OneOrMany } from '@sallyport/core';
import type { Gate } from '@sallyport/http/pipeline';
import { authorize } from './gate.js';
import type { SecurePrincipalResolver } from './principal.js';

/** What a refused caller may try (RFC 9110 section 11.6.1): the same for all routes, or by route. */
export type Challenge = string | ((ctx: Context) => string | undefined);

const HEADER = 'www-authenticate';

/** The gate as a pipeline's stage, which adds the challenge to its 401 answers over HTTP. */
export function createGate(resolver: SecurePrincipalResolver | undefined, challenge: Challenge | undefined): Gate {
  if (challenge === undefined) return ({ registration, ctx }) => authorize(registration, ctx, resolver);
  return ({ registration, ctx }) => {
    try {
      const pending = authorize(registration, ctx, resolver);
      if (pending === undefined) return undefined;
      return pending.catch((thrown: unknown) => Promise.reject(withChallenge(thrown, ctx, challenge)));
    } catch (thrown) {
      throw withChallenge(thrown, ctx, challenge);
    }
  };
}

function withChallenge(thrown: unknown, ctx: Context, challenge: Challenge): unknown {
  if (!isFrameworkError(thrown) || thrown.status !== 401 || ctx.route?.surface !== 'http') return thrown;
  const own = typeof challenge === 'string' ? challenge : askChallenge(challenge, ctx);
  if (own === undefined) return thrown;
  const { code, message, statusCode, details, requestId, traceId, timestamp, stackTrace, headers, cause } = thrown;
  const value = mergeChallenges(own, challengeOf(headers));
  return new FrameworkError(code, message, {
    statusCode,
    details,
    requestId,
    traceId,
    timestamp,
    stackTrace,
    headers: { ...withoutChallenge(headers), [HEADER]: value },
    cause,
  });
}

/** A function that fails, or answers what no header can hold, gives no challenge; the refusal stands. */
function askChallenge(challenge: (ctx: Context) => string | undefined, ctx: Context): string | undefined {
  try {
    const value = challenge(ctx);
    if (value === undefined || isChallenge(value)) return value;
  } catch (error) {
    ctx.log.warn('challenge failed', { event: 'secure.challenge_failed', error });
    return undefined;
  }
  ctx.log.warn('challenge is no header value', { event: 'secure.challenge_failed' });
  return undefined;
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
