import type { Mapping, ModuleMapping, NameMapping } from '../mapping.js';

/** The renames of one release of Sallyport. */
export interface Upgrade {
  /** The number of the release: `0.2`. */
  readonly release: string;
  readonly modules: Readonly<Record<string, ModuleMapping>>;
}

/** The versions of all packages in one release. */
export interface ReleaseSet {
  /** The number of the release, from the version of create-sallyport: `0.2`. */
  readonly release: string;
  /** Every package with its range: `^0.2.0`. */
  readonly ranges: Readonly<Record<string, string>>;
}

/** Every release that renamed something, oldest first. No published name has been renamed yet. */
export const UPGRADES: readonly Upgrade[] = [];

/**
 * The mapping for a service that moves from one release to another: the renames of every release between them, and the ranges of the last.
 *
 * @returns a sentence for an invalid pair of releases
 */
export function upgradeMapping(
  from: string,
  to: string,
  upgrades: readonly Upgrade[],
  set: ReleaseSet,
): Mapping | string {
  if (to !== set.release)
    return `-to must be ${set.release}, the release of this command (got ${to}): npx @sallyport/migrate@latest`;
  if (!/^\d+\.\d+$/.test(from)) return `-from must be the number of a release, such as 0.1 (got ${from})`;
  if (compareReleases(from, to) >= 0) return `-from must be before -to (got ${from} and ${to})`;
  const between = upgrades.filter(
    ({ release }) => compareReleases(release, from) > 0 && compareReleases(release, to) <= 0,
  );
  const modules = between.reduce((earlier, { modules: later }) => moveOn(earlier, later), {});
  return { version: 1, modules, packages: { raise: set.ranges } };
}

function compareReleases(a: string, b: string): number {
  const [left = [], right = []] = [a, b].map((one) => one.split('.').map(Number));
  return (left[0] ?? 0) - (right[0] ?? 0) || (left[1] ?? 0) - (right[1] ?? 0);
}

type Modules = Readonly<Record<string, ModuleMapping>>;

/** The renames of two releases in one: a name that both renamed goes to its last place. */
function moveOn(earlier: Modules, later: Modules): Modules {
  const moved = Object.entries(earlier).map(([module, entry]): [string, ModuleMapping] => {
    const names = Object.entries(entry.names ?? {}).map(([name, target]) => [name, follow(name, target, later)]);
    const next = entry.module === undefined ? undefined : (later[entry.module]?.module ?? entry.module);
    return [module, { ...entry, ...(next && { module: next }), names: Object.fromEntries(names) }];
  });
  const all = new Map<string, ModuleMapping>(moved);
  for (const [module, entry] of Object.entries(later)) {
    const before = all.get(module);
    all.set(module, { ...before, ...entry, names: { ...before?.names, ...entry.names } });
  }
  return Object.fromEntries(all);
}

function follow(name: string, target: NameMapping, later: Modules): NameMapping {
  if ('manual' in target) return target;
  const now = target.name ?? name;
  const next = later[target.module];
  const further = next?.names?.[now];
  if (further) return 'manual' in further ? further : { ...further, name: further.name ?? now };
  return next?.module === undefined ? target : { ...target, module: next.module };
}
