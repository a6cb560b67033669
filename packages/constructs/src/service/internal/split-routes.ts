import type { IConstruct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { ofRoute } from '../../wiring/internal/registrations.js';
import type { InventoryRoute } from '../../wiring/inventory.js';
import { callFor, type Routes } from '../routes.js';
import type { ServicePart } from './parts.js';

const MOST_SHOWN = 20;

/**
 * Compares the operations in `include` with the applications: each operation of a separate file and each entry of `include` has a function, and only one.
 *
 * @param includes the operations in `include`, by the names in `split`
 * @throws ConstructError `constructs.not_registered`, `constructs.conflict`
 */
export function checkSplitRoutes(
  at: IConstruct,
  parts: readonly ServicePart[],
  includes: ReadonlyMap<string, readonly Routes[]>,
): void {
  const taken = new Map<string, { readonly name: string; readonly by: Routes }>();
  for (const { name, entry, inventory, isKnown } of parts) {
    const include = includes.get(name);
    if (include === undefined || !isKnown) continue;
    const empty = include.find(({ covers }) => !inventory.routes.some(covers));
    if (empty) throw notRegistered(at, `split.${name}.include has ${empty.call}`, parts);
    for (const route of inventory.routes) {
      const by = include.find(({ covers }) => covers(route));
      const { key, label } = ofRoute(route);
      if (by === undefined && route.surface !== 'appsync') {
        throw misuse(at, {
          what: `${entry} registers ${label}, which no function includes`,
          expected: `${callFor(route)} in split.${name}.include`,
          code: 'constructs.not_registered',
        });
      }
      if (by === undefined) continue;
      const first = taken.get(key);
      if (first !== undefined) throw takenTwice(at, label, [first, { name, by }], parts);
      taken.set(key, { name, by });
    }
  }
}

function notRegistered(at: IConstruct, what: string, parts: readonly ServicePart[]): Error {
  const known = parts.flatMap(({ inventory }) => inventory.routes).map((route) => ofRoute(route).label);
  const shown = known.length === 0 ? 'none' : [...new Set(known)].slice(0, MOST_SHOWN).join(', ');
  return misuse(at, {
    what: `${what}, which the application does not register`,
    expected: `one of its operations: ${shown}`,
    code: 'constructs.not_registered',
  });
}

type Taker = { readonly name: string; readonly by: Routes };

/** The remedy replaces the wider entry with its other operations. */
function takenTwice(
  at: IConstruct,
  label: string,
  [first, second]: readonly [Taker, Taker],
  parts: readonly ServicePart[],
): Error {
  const covered = ({ name, by }: Taker): readonly InventoryRoute[] =>
    parts.find((part) => part.name === name)?.inventory.routes.filter(by.covers) ?? [];
  const [wider, other] = covered(first).length >= covered(second).length ? [first, second] : [second, first];
  const rest = covered(wider).filter((route) => !other.by.covers(route));
  const calls = rest.slice(0, MOST_SHOWN).map(callFor).join(', ');
  const instead = rest.length === 0 ? `no ${wider.by.call}` : `${calls} instead of ${wider.by.call}`;
  return misuse(at, {
    what: `${label} is taken by split.${first.name} with ${first.by.call} and by split.${second.name} with ${second.by.call}`,
    expected: `one function: in split.${wider.name}.include ${instead}`,
    code: 'constructs.conflict',
  });
}
