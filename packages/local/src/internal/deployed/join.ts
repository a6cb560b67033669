import type { ManifestSource } from '../../manifest/parse-manifest.js';
import type { DeployedDoor, DeployedFunction } from './deployed.js';

/** Settings of a source that each function has for itself. */
const OF_ONE_FUNCTION = ['filters', 'filterPolicy', 'filterPolicyScope'];

/**
 * The sources of several functions. A source of more than one function has no filters: it delivers every record, and each function has
 * its own filters.
 */
export function joinSources(functions: readonly DeployedFunction[]): readonly ManifestSource[] {
  const owners = new Map<string, number>();
  const keyOf = ({ kind, name }: ManifestSource) => `${kind} ${name}`;
  for (const { sources } of functions) {
    for (const key of new Set(sources.map(keyOf))) owners.set(key, (owners.get(key) ?? 0) + 1);
  }
  return functions.flatMap(({ sources }) =>
    sources.map((source) => {
      if ((owners.get(keyOf(source)) ?? 0) < 2) return source;
      const shared = Object.entries(source.settings).filter(([name]) => !OF_ONE_FUNCTION.includes(name));
      return { ...source, settings: Object.fromEntries(shared) };
    }),
  );
}

/** One door for each kind, with the routes of all functions. */
export function joinDoors(functions: readonly DeployedFunction[]): readonly DeployedDoor[] {
  const doors = new Map<string, DeployedDoor>();
  for (const door of functions.flatMap((one) => one.doors)) {
    const known = doors.get(door.kind);
    const types = [...(known?.binaryMediaTypes ?? []), ...(door.binaryMediaTypes ?? [])];
    doors.set(door.kind, {
      ...known,
      ...door,
      routes: [...new Set([...(known?.routes ?? []), ...door.routes])],
      ...(types.length > 0 && { binaryMediaTypes: [...new Set(types)] }),
      ...((known?.jwt ?? door.jwt) && { jwt: { ...door.jwt, ...known?.jwt } }),
    });
  }
  return [...doors.values()];
}

/**
 * Functions with the same entry, such as the functions of `split`, as one function: it has all their sources and routes, and the largest timeout
 * and memory.
 */
export function joinFunctions(
  functions: readonly [DeployedFunction, ...(readonly DeployedFunction[])],
): DeployedFunction {
  const [first, ...others] = functions;
  if (others.length === 0) return first;
  const largest = (member: 'timeoutMs' | 'memoryMb') => {
    const known = functions.flatMap((one) => one[member] ?? []);
    return known.length === 0 ? {} : { [member]: Math.max(...known) };
  };
  return {
    ...first,
    ...largest('timeoutMs'),
    ...largest('memoryMb'),
    sources: joinSources(functions),
    doors: joinDoors(functions),
  };
}
