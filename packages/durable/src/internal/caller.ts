import type { MaybePromise, SecurePrincipal } from '@sallyport/core';
import { isObject, type Members, membersOf } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import type { Lane } from './lane.js';

/** The caller of an execution, as the history has it: never a token. */
export interface RecordedCaller {
  readonly identity: string;
  readonly scopes: readonly string[];
  readonly kind: 'external' | 'internal';
  readonly tenantId: string;
  /** The claims that the option `claims` names. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The options about callers. */
export interface Authority {
  readonly claims: readonly string[];
  readonly revalidate: ((caller: RecordedCaller, ctx: object) => MaybePromise<boolean>) | undefined;
  /** Seconds of a wait after which the caller is checked again. */
  readonly revalidateSeconds: number;
}

/** Identifies the caller at the first invocation, and reads it from the history after that. */
export async function recordCaller(
  lane: Lane,
  context: object,
  identify: () => unknown,
): Promise<SecurePrincipal | null> {
  const { run } = lane;
  lane.bind(context);
  run.caller = await lane.record('framework caller', async () => toCaller(await identify(), run.host.authority.claims));
  return run.caller;
}

function toCaller(principal: unknown, names: readonly string[]): RecordedCaller | null {
  if (!isObject(principal)) return null;
  const { identity, scopes, kind, tenantId, claims } = principal as Members & Partial<SecurePrincipal>;
  const known = membersOf(claims);
  return {
    identity: identity ?? '',
    scopes: scopes ?? [],
    kind: kind ?? 'external',
    tenantId: tenantId ?? '',
    claims: Object.fromEntries(names.filter((name) => Object.hasOwn(known, name)).map((name) => [name, known[name]])),
  };
}

/**
 * Checks the caller again after a long wait; the decision is recorded.
 *
 * @throws DurableError `durable.unauthorized`: no operation starts after it
 */
export async function revalidate(lane: Lane, name: string, seconds: number): Promise<void> {
  const { run } = lane;
  const { revalidate: check, revalidateSeconds } = run.host.authority;
  const { caller } = run;
  if (check === undefined || caller === null || seconds <= revalidateSeconds) return;
  if ((await lane.record('framework revalidate', async () => (await check(caller, lane.host)) === true)) === true)
    return;
  run.refusal = new DurableError('durable.unauthorized', `the caller may no longer act after wait "${name}"`);
  throw run.refusal;
}
