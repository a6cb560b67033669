import { type Context, FrameworkError, isFrameworkError, type MaybePromise, type OneOrMany } from '@sallyport/core';
import { type ContextState, internalError, isPromise, remainingMs, STAGE, stateOf } from '@sallyport/core/internal';
import type { Gate } from '@sallyport/http/internal';
import { runPassed } from './internal/resolver-marks.js';
import { POSTURES } from './postures/internal/kinds.js';
import { isPosture, type Posture } from './postures/posture.js';
import {
  type NormalPrincipal,
  normalizePrincipal,
  readsBearer,
  runtimeTenant,
  type SecurePrincipalResolver,
  UNKNOWN_KIND,
} from './principal.js';

/** The part of a registration that the gate reads. */
export interface GuardedRecord {
  readonly posture: unknown;
}

/** A rejection of one caller must not be cached for another (RFC 9111 section 5.2.2.5). */
const NO_STORE = { headers: { 'cache-control': 'no-store' } };
/** The gate's own errors; they do not contain the reason. */
const UNAUTHORIZED = new FrameworkError('app.unauthorized', undefined, NO_STORE);
const FORBIDDEN = new FrameworkError('app.forbidden', undefined, NO_STORE);

/**
 * Accepts a request for the registered handler, or throws. The caller is stored in the context only
 * if the caller is accepted.
 *
 * @throws FrameworkError `app.internal` for a broken record or resolver, `app.unauthorized`, `app.forbidden`, `app.timeout`
 *   if the resolver has no result by the deadline, or the error of the resolver
 */
export function authorize(
  record: GuardedRecord | undefined,
  ctx: Context,
  resolver: SecurePrincipalResolver | undefined,
): MaybePromise<undefined> {
  if (!DECISIONS.hasSubscribers) return decideOn(record, ctx, resolver);
  try {
    const pending = decideOn(record, ctx, resolver);
    if (pending === undefined) publish(record, ctx, 'allowed');
    else
      pending.then(
        () => publish(record, ctx, 'allowed'),
        (thrown: unknown) => publish(record, ctx, outcomeOf(thrown)),
      );
    return pending;
  } catch (thrown) {
    publish(record, ctx, outcomeOf(thrown));
    throw thrown;
  }
}

/** The channel for decisions, for tools on a developer's machine. Nothing is built without a subscriber. */
const DECISIONS = process.getBuiltinModule('node:diagnostics_channel').channel('framework.gate');

/** Publishes one decision: kind and scopes of the caller, never the identity. */
function publish(record: GuardedRecord | undefined, ctx: Context, outcome: string): void {
  const posture = isPosture(record?.posture) ? record.posture : undefined;
  const { principal, route } = stateOf(ctx);
  DECISIONS.publish({
    record: route ? `${route.method} ${route.pattern}`.trim() : '',
    posture: posture?.kind ?? '',
    required: posture?.scopes ?? [],
    outcome,
    principalKind: principal?.kind ?? null,
    scopes: principal?.scopes ?? [],
  });
}

function outcomeOf(thrown: unknown): string {
  const status = isFrameworkError(thrown) ? thrown.status : 500;
  return status === 401 ? 'unauthenticated' : status === 403 ? 'forbidden' : 'failed';
}

function decideOn(
  record: GuardedRecord | undefined,
  ctx: Context,
  resolver: SecurePrincipalResolver | undefined,
): MaybePromise<undefined> {
  const posture = record?.posture;
  if (!isPosture(posture)) throw internalError('the operation has no posture');
  if (!POSTURES[posture.kind].asksResolver) return undefined;
  const state = stateOf(ctx);
  state.passed |= STAGE.auth;
  const answer = resolver ? ask(resolver, ctx) : undefined;
  if (!isPromise(answer)) return admit(posture, ctx, state, answer);
  return beforeDeadline(state, answer).then(
    (settled) => admit(posture, ctx, state, settled),
    (thrown: unknown) => Promise.reject(toResolverError(thrown)),
  );
}

/** The resolver's result is untrusted input. */
function ask(resolver: SecurePrincipalResolver, ctx: Context): unknown {
  try {
    return resolver(ctx);
  } catch (thrown) {
    throw toResolverError(thrown);
  }
}

/** A FrameworkError of the resolver is kept; any other error is answered with 500, and only the log contains its message. */
function toResolverError(thrown: unknown): FrameworkError {
  return isFrameworkError(thrown) ? thrown : new FrameworkError('app.internal', undefined, { cause: thrown });
}

function admit(posture: Posture, ctx: Context, state: ContextState, answer: unknown): MaybePromise<undefined> {
  const principal = normalize(ctx, answer);
  if (principal === UNKNOWN_KIND) throw UNAUTHORIZED;
  const mayPass = POSTURES[posture.kind].admits(principal, posture.scopes);
  if (principal === null) {
    if (mayPass) return undefined;
    throw UNAUTHORIZED;
  }
  if (!mayPass) throw FORBIDDEN;
  const runtime = runtimeTenant(state);
  if (runtime !== '' && principal.tenantId !== '' && runtime !== principal.tenantId) throw FORBIDDEN;
  const pending = runPassed(state, principal);
  if (pending === undefined) return adopt(state, principal);
  return beforeDeadline(state, pending).then(() => adopt(state, principal));
}

function adopt(state: ContextState, principal: NormalPrincipal): undefined {
  state.principal = principal;
  state.authIdentity = principal.identity;
  if (principal.tenantId !== '') state.tenantId = principal.tenantId;
}

function normalize(ctx: Context, answer: unknown): NormalPrincipal | typeof UNKNOWN_KIND | null {
  if (answer === undefined || answer === null) return null;
  try {
    return normalizePrincipal(answer, (what) =>
      ctx.log.warn(
        `principal resolver returned ${what}; return { identity, scopes: [] }, or null for an anonymous caller`,
        {
          event: 'secure.no_principal',
        },
      ),
    );
  } catch (thrown) {
    // A getter that the resolver defined can throw.
    throw toResolverError(thrown);
  }
}

/** Milliseconds kept free at the end of the invocation, so that the answer can still be sent. */
const MARGIN_MS = 100;

/** Waits for a promise, at most until the invocation's deadline, if known: then it rejects with `app.timeout`. */
function beforeDeadline<T>(state: ContextState, pending: PromiseLike<T>): Promise<T> {
  // A foreign thenable may settle more than once; this promise settles once.
  const settled = Promise.resolve(pending);
  if (typeof state.lambdaContext?.getRemainingTimeInMillis !== 'function') return settled;
  const budget = Math.max(remainingMs(state.lambdaContext) - MARGIN_MS, 1);
  return new Promise<T>((resolve, reject) => {
    const stop = state.runtime.clock.after(budget, () => {
      const error = new FrameworkError('app.timeout');
      reject(error);
      state.abort(error);
    });
    settled.then(resolve, reject).finally(stop);
  });
}

/**
 * `www-authenticate` of a 401 answer over HTTP (RFC 9110 section 11.6.1): one string for all routes, or a function of the route.
 * `false`: no 401 contains the header, even if a resolver set it.
 */
export type Challenge = string | false | ((ctx: Context) => string | undefined);

const CHALLENGE = 'www-authenticate';
/** A 401 must name a way to authenticate (RFC 9110 section 15.5.2): here bearer tokens (RFC 6750 section 3). */
const BEARER = 'Bearer';

/** The gate as a stage of the pipeline. It sets the challenge of 401 answers over HTTP, and `cache-control` of rejections. */
export function createGate(resolver: SecurePrincipalResolver | undefined, challenge: Challenge | undefined): Gate {
  const fallback = readsBearer(resolver) ? BEARER : undefined;
  const decide = challengeBy(challenge, fallback);
  return ({ registration, ctx }) => {
    try {
      const pending = authorize(registration, ctx, resolver);
      if (pending === undefined) return undefined;
      return pending.catch((thrown: unknown) => Promise.reject(toRefusal(thrown, ctx, decide)));
    } catch (thrown) {
      throw toRefusal(thrown, ctx, decide);
    }
  };
}

/** Returns the challenge of a 401 from the resolver's challenge (`''` if absent); `undefined` for no challenge. */
type Decide = (resolvers: string, ctx: Context) => string | undefined;

/** `undefined` if no rejection is changed. */
function challengeBy(challenge: Challenge | undefined, fallback: string | undefined): Decide | undefined {
  if (challenge === false) return () => undefined;
  if (challenge === undefined) return fallback === undefined ? undefined : (resolvers) => resolvers || fallback;
  return (resolvers, ctx) => {
    const own = typeof challenge === 'string' ? challenge : askChallenge(challenge, ctx, fallback);
    return own === undefined ? resolvers || undefined : mergeChallenges(own, resolvers);
  };
}

/** The HTTP form of a 401 or 403 of the gate or of a resolver. */
function toRefusal(thrown: unknown, ctx: Context, decide: Decide | undefined): unknown {
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
