import { type Context, FrameworkError, isFrameworkError, type MaybePromise } from '@sallyport/core';
import { type ContextState, internalError, STAGE, stateOf } from '@sallyport/core/pipeline';
import { isPromise } from '@sallyport/http/pipeline';
import { beforeDeadline } from './internal/deadline.js';
import { runPassed } from './internal/resolver-marks.js';
import { isPosture, type Posture } from './postures/posture.js';
import { type NormalPrincipal, normalizePrincipal, type SecurePrincipalResolver, UNKNOWN_KIND } from './principal.js';
import { runtimeTenant } from './tenant.js';

/** What the gate reads of a registration. */
export interface GuardedRecord {
  readonly posture: unknown;
}

/** The gate's own refusals; they say nothing of the reason. */
const UNAUTHORIZED = new FrameworkError('app.unauthorized');
const FORBIDDEN = new FrameworkError('app.forbidden');

/**
 * Lets a request through to what was registered, or throws. What it finds out about the caller is put on the context only
 * when the caller may pass.
 *
 * @throws FrameworkError `app.internal` for a broken record or resolver, `app.unauthorized`, `app.forbidden`, `app.timeout`
 *   when the resolver has no answer by the deadline, or the resolver's own
 */
export function authorize(
  record: GuardedRecord | undefined,
  ctx: Context,
  resolver: SecurePrincipalResolver | undefined,
): MaybePromise<undefined> {
  const posture = record?.posture;
  if (!isPosture(posture)) throw internalError('the operation has no posture');
  if (posture.kind === 'public') return undefined;
  const state = stateOf(ctx);
  state.passed |= STAGE.auth;
  const answer = resolver ? ask(resolver, ctx) : undefined;
  if (!isPromise(answer)) return admit(posture, ctx, state, answer);
  return beforeDeadline(state, answer).then(
    (settled) => admit(posture, ctx, state, settled),
    (thrown: unknown) => Promise.reject(toResolverError(thrown)),
  );
}

/** Untyped from here on: what a resolver gives is as untrusted as what it was made from. */
function ask(resolver: SecurePrincipalResolver, ctx: Context): unknown {
  try {
    return resolver(ctx);
  } catch (thrown) {
    throw toResolverError(thrown);
  }
}

/** A code that the resolver chose is kept; anything else that it throws is a failure of ours, and its text for logs. */
function toResolverError(thrown: unknown): FrameworkError {
  return isFrameworkError(thrown) ? thrown : new FrameworkError('app.internal', undefined, { cause: thrown });
}

function admit(posture: Posture, ctx: Context, state: ContextState, answer: unknown): MaybePromise<undefined> {
  const principal = normalize(ctx, answer);
  if (principal === UNKNOWN_KIND) throw UNAUTHORIZED;
  if (principal === null) {
    if (posture.kind === 'optional') return undefined;
    throw UNAUTHORIZED;
  }
  if (!suffices(posture, principal)) throw FORBIDDEN;
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
  if (typeof answer !== 'object') ctx.log.warn('principal resolver gave no object', { event: 'secure.no_principal' });
  try {
    return normalizePrincipal(answer);
  } catch (thrown) {
    // A getter of the resolver's own.
    throw toResolverError(thrown);
  }
}

function suffices({ kind, scopes }: Posture, principal: NormalPrincipal): boolean {
  if (kind === 'authenticated') return countHeld(scopes, principal.scopes) === scopes.length;
  if (kind === 'authenticated_any_of') return countHeld(scopes, principal.scopes) > 0;
  return kind === 'internal_only' ? principal.kind === 'internal' : kind === 'optional';
}

/** How many of the wanted scopes are among those held; exact texts. */
function countHeld(wanted: readonly string[], held: readonly string[]): number {
  let count = 0;
  for (const scope of wanted) if (held.includes(scope)) count += 1;
  return count;
}
