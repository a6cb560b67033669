import type { Guarded } from '../../contract.js';

/** A tightened access rule. */
export interface GuardChange {
  readonly change: 'posture-tightened' | 'scope-added';
  readonly old: string;
  readonly next: string;
}

const RANKS: Readonly<Record<string, number>> = {
  public: 0,
  optional: 0,
  authenticated: 1,
  authenticated_any_of: 1,
  internal_only: 2,
};

/** Access rules that reject callers which the old rule accepts. */
export function guardChanges(old: Guarded, next: Guarded): readonly GuardChange[] {
  const [from, to] = [RANKS[old.posture ?? 'public'] ?? 0, RANKS[next.posture ?? 'public'] ?? 0];
  const words = { old: wordsOf(old), next: wordsOf(next) };
  if (to > from) return [{ change: 'posture-tightened', ...words }];
  return isAccepted(old, next) ? [] : [{ change: 'scope-added', ...words }];
}

/** True if each caller that the old scopes accept has the new scopes. */
function isAccepted(old: Guarded, next: Guarded): boolean {
  const [held, needed] = [old.scopes ?? [], next.scopes ?? []];
  if (needed.length === 0) return true;
  const holdsOne = isAnyOf(old) ? held.map((scope) => [scope]) : [held];
  const isEnough = (scopes: readonly string[]) =>
    isAnyOf(next) ? needed.some((scope) => scopes.includes(scope)) : needed.every((scope) => scopes.includes(scope));
  return holdsOne.length > 0 && holdsOne.every(isEnough);
}

const isAnyOf = ({ posture }: Guarded) => posture === 'authenticated_any_of';

const wordsOf = ({ posture = 'no posture', scopes = [] }: Guarded) =>
  scopes.length === 0 ? posture : `${posture}(${scopes.join(', ')})`;
