import type { Mapping, ModuleMapping, NameMapping } from '../mapping.js';
import { ENTRIES } from './entries.js';

/** A target of the mapping, with its source. */
interface Move {
  readonly place: string;
  /** The export; `*` for a whole module. */
  readonly name: string;
  readonly target: NameMapping | null | undefined;
}

/** Faults that a schema cannot detect: entries that do not exist, and names that would be moved again. */
export function findFaults(mapping: Mapping): readonly string[] {
  return Object.entries(mapping.modules ?? {}).flatMap(([module, entry]) => {
    const whole = entry.module === undefined ? undefined : { module: entry.module };
    const moves: Move[] = [
      { place: module, name: '*', target: whole },
      { place: `the default export of ${module}`, name: 'default', target: entry.default },
      ...Object.entries(entry.names ?? {}).map(([name, target]) => ({ place: `${name} of ${module}`, name, target })),
    ];
    return [
      ...contradiction(module, entry),
      ...moves.flatMap((move) => [...unknownEntry(move), ...movedAgain(move, mapping)]),
    ];
  });
}

function contradiction(module: string, entry: ModuleMapping): readonly string[] {
  const others = [entry.module, entry.default, entry.names].some((part) => part !== undefined);
  return entry.manual !== undefined && others ? [`${module} is both manual and mapped`] : [];
}

function unknownEntry({ place, target }: Move): readonly string[] {
  if (!target || 'manual' in target || ENTRIES.includes(target.module)) return [];
  return [`${place} leads to ${target.module}, which no package of Sallyport exports`];
}

/** A mapped target would be moved again by the next run; a cycle would never end. */
function movedAgain({ place, name, target }: Move, mapping: Mapping): readonly string[] {
  if (!target || 'manual' in target) return [];
  const next = mapping.modules?.[target.module];
  if (next === undefined) return [];
  const isMapped = name === '*' || next.module !== undefined || next.names?.[target.name ?? name] !== undefined;
  return isMapped ? [`${place} leads to ${target.module}, which is mapped as well`] : [];
}
