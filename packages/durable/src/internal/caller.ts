import type { SecurePrincipal } from '@sallyport/core';
import { isObject, type Members, membersOf } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import type { RecordedCaller } from '../types.js';
import type { LaneScope } from './lane-scope.js';

/** Identifies the caller at the first invocation, and reads it from the history after that. */
export async function recordCaller(
  lane: LaneScope,
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
export async function revalidate(lane: LaneScope, name: string, seconds: number): Promise<void> {
  const { run } = lane;
  const { revalidate: check, revalidateSeconds } = run.host.authority;
  const { caller } = run;
  if (check === undefined || caller === null || seconds <= revalidateSeconds) return;
  if ((await lane.record('framework revalidate', async () => (await check(caller, lane.host)) === true)) === true)
    return;
  run.refusal = new DurableError('durable.unauthorized', `the caller may no longer act after wait "${name}"`);
  throw run.refusal;
}
