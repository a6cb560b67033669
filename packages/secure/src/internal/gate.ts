import { type Context, FrameworkError, isFrameworkError, type MaybePromise, type PrincipalKind } from '@sallyport/core';
import {
  BEARER_MARK,
  type ContextState,
  copyBearer,
  internalError,
  isPlainObject,
  isPromise,
  ownOf,
  remainingMs,
  type Scoped,
  STAGE,
  snapshotPlain,
  stateOf,
  trimmedText,
} from '@sallyport/core/internal';
import type { Gate } from '@sallyport/http/internal';
import { type Challenge, challengeBy, NO_STORE, toRefusal } from '../challenge.js';
import { POSTURES } from '../postures/internal/kinds.js';
import { isPosture, normalizeScopes, type Posture } from '../postures/posture.js';
import { type NormalPrincipal, readsBearer, type SecurePrincipalResolver } from '../principal.js';
import { runPassed } from './resolver-marks.js';

/** The part of a registration that the gate reads. */
export interface GuardedRecord {
  readonly posture?: unknown;
}

/** The gate's own errors; they do not contain the reason. */
const UNAUTHORIZED = new FrameworkError('app.unauthorized', undefined, NO_STORE);
const FORBIDDEN = new FrameworkError('app.forbidden', undefined, NO_STORE);

/**
 * Accepts a request for the registered handler, or throws. The caller is stored in the context only
 * if the caller is accepted.
 *
 * @param known the state of the context, for callers that have it
 * @param isPublished true if tools on the developer's machine receive the decision
 * @throws FrameworkError `app.internal` for a broken record or resolver, `app.unauthorized`, `app.forbidden`, `app.timeout`
 *   if the resolver has no result by the deadline, or the error of the resolver
 */
export function authorize(
  record: GuardedRecord | undefined,
  ctx: Context,
  resolver: SecurePrincipalResolver | undefined,
  known?: ContextState,
  isPublished = DECISIONS.hasSubscribers,
): MaybePromise<undefined> {
  if (isPublished) return publishDecision(record, ctx, () => authorize(record, ctx, resolver, known, false));
  const posture = record?.posture;
  if (!isPosture(posture)) throw internalError('the operation has no posture');
  if (!POSTURES[posture.kind].asksResolver) return undefined;
  const state = known ?? stateOf(ctx);
  state.passed |= STAGE.auth;
  state.posture = posture;
  // The resolver's result is untrusted input.
  let answer: unknown;
  try {
    // A durable execution identifies its caller once: a token expires while the execution waits.
    const scope = (state.lambdaContext as Scoped | undefined)?.['sallyport.execution'];
    answer = (scope?.callerOf(resolver) ?? resolver)?.(ctx);
  } catch (thrown) {
    throw toResolverError(thrown);
  }
  if (!isPromise(answer)) return admit(posture, ctx, state, answer);
  return beforeDeadline(state, answer).then(
    (settled) => admit(posture, ctx, state, settled),
    (thrown: unknown) => Promise.reject(toResolverError(thrown)),
  );
}

/** Makes a decision and publishes it. */
function publishDecision(
  record: GuardedRecord | undefined,
  ctx: Context,
  decide: () => MaybePromise<undefined>,
): MaybePromise<undefined> {
  try {
    const pending = decide();
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

/** A FrameworkError of the resolver is kept; any other error is answered with 500, and only the log contains its message. */
function toResolverError(thrown: unknown): FrameworkError {
  return isFrameworkError(thrown) ? thrown : new FrameworkError('app.internal', undefined, { cause: thrown });
}

function admit(posture: Posture, ctx: Context, state: ContextState, answer: unknown): MaybePromise<undefined> {
  let principal: NormalPrincipal | typeof UNKNOWN_KIND | null;
  try {
    principal = normalizePrincipal(answer, (what) => warnOf(ctx, what));
  } catch (thrown) {
    // A getter that the resolver defined can throw.
    throw toResolverError(thrown);
  }
  if (principal === UNKNOWN_KIND) throw UNAUTHORIZED;
  const mayPass = POSTURES[posture.kind].admits(principal, posture.scopes);
  if (principal === null) {
    if (mayPass) return undefined;
    throw UNAUTHORIZED;
  }
  if (!mayPass) throw lacksScopes(posture, state);
  const runtime = trimmedText(state.lambdaContext?.tenantId);
  if (runtime !== '' && principal.tenantId !== '' && runtime !== principal.tenantId) throw FORBIDDEN;
  const pending = state.triggerKind === 'websocket' ? runPassed(state, principal) : undefined;
  if (pending === undefined) return adopt(state, principal);
  return beforeDeadline(state, pending).then(() => adopt(state, principal));
}

/** The error for a caller whom a posture does not accept, with the challenge of the resolver if other scopes could help. */
function lacksScopes({ scopes }: Posture, { scopeChallenge }: ContextState): FrameworkError {
  if (scopes.length === 0 || scopeChallenge === undefined) return FORBIDDEN;
  const headers = { ...NO_STORE.headers, 'www-authenticate': scopeChallenge([]) };
  return new FrameworkError('app.forbidden', undefined, { headers });
}

/** Logs a problem of the resolver's result. */
function warnOf(ctx: Context, what: string): void {
  const text = `principal resolver returned ${what}; return { identity, scopes: [] }, or null for an anonymous caller`;
  ctx.log.warn(text, { event: 'secure.no_principal' });
}

function adopt(state: ContextState, principal: NormalPrincipal): undefined {
  state.principal = principal;
  state.authIdentity = principal.identity;
  if (principal.tenantId !== '') state.tenantId = principal.tenantId;
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

/** Represents a principal with an unknown `kind`; every posture rejects it. */
export const UNKNOWN_KIND = Symbol('unknown kind');

const NO_CLAIMS: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** Controls, formats, lone surrogates, separators, and letters that no font shows (UAX #44, UTR #36 section 2). */
const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800';
let visible: RegExp | undefined;

/** True if a string has a visible character, of any script. Compiling the expression takes 0.7 ms, so callers try ASCII first. */
function isVisible(text: string): boolean {
  visible ??= new RegExp(`[^${INVISIBLE}]`, 'u');
  return visible.test(text);
}

/**
 * Copies the result of a resolver. Each field is read once, own members only, so that a polluted `Object.prototype`
 * cannot add a kind or a scope. `null` when there is no principal.
 *
 * @param complain receives each problem of the result, without values of the input
 */
export function normalizePrincipal(
  input: unknown,
  complain: (what: string) => void = () => {},
): NormalPrincipal | typeof UNKNOWN_KIND | null {
  if (input === undefined || input === null) return null;
  if (typeof input !== 'object') {
    complain('no object');
    return null;
  }
  const given = ownOf(input, 'kind');
  let kind: PrincipalKind = 'external';
  if (given === 'internal') kind = given;
  else if (given !== undefined && given !== 'external' && !(typeof given === 'string' && given.trim() === '')) {
    complain('a kind other than "external" or "internal"');
    return UNKNOWN_KIND;
  }
  const identity = trimmedText(ownOf(input, 'identity'));
  if (!/[!-~]/.test(identity) && !isVisible(identity)) {
    complain('no identity');
    return null;
  }
  const scopes = ownOf(input, 'scopes');
  if (scopes !== undefined && scopes !== null && !Array.isArray(scopes)) complain('scopes that are not a list');
  const claims = ownOf(input, 'claims');
  const principal = {
    identity,
    scopes: normalizeScopes(scopes),
    claims: claims !== undefined && isPlainObject(claims) ? snapshotPlain(claims) : NO_CLAIMS,
    kind,
    tenantId: trimmedText(ownOf(input, 'tenantId')),
  };
  if (BEARER_MARK in input) copyBearer(input, principal);
  return principal;
}

/** The gate as a stage of the pipeline. It sets the challenge of 401 answers over HTTP, and `cache-control` of rejections. */
export function createGate(resolver: SecurePrincipalResolver | undefined, challenge: Challenge | undefined): Gate {
  const decide = challengeBy(challenge, readsBearer(resolver));
  return ({ registration, ctx, state }) => {
    try {
      const pending = authorize(registration, ctx, resolver, state);
      if (pending === undefined) return undefined;
      return pending.catch((thrown: unknown) => Promise.reject(toRefusal(thrown, ctx, decide)));
    } catch (thrown) {
      throw toRefusal(thrown, ctx, decide);
    }
  };
}
