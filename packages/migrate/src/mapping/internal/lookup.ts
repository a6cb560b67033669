import type { Mapping, ModuleMapping, NameMapping } from '../mapping.js';
import { ENTRIES } from './entries.js';

/** The new place of one export of a mapped module. */
export type Destination =
  | { readonly module: string; readonly name: string }
  /** The reason why it is not moved. */
  | { readonly manual: string };

/** A mapped module, as one import names it. */
export class MappedModule {
  readonly specifier: string;
  readonly #entry: ModuleMapping;
  /** The sub-path after the mapped name: `/jobs` of `legacy/jobs` if `legacy` is mapped. */
  readonly #rest: string;

  constructor(specifier: string, entry: ModuleMapping, rest: string) {
    this.specifier = specifier;
    this.#entry = entry;
    this.#rest = rest;
  }

  /** The destination of an export; `default` for the default export. */
  destinationOf(name: string): Destination {
    const { manual, names = {}, default: standard, module } = this.#entry;
    if (manual !== undefined) return { manual: `'${this.specifier}': ${manual}` };
    const listed = name === 'default' ? standard : Object.hasOwn(names, name) ? names[name] : undefined;
    if (listed === null) return { manual: `the default import of '${this.specifier}' has no successor` };
    if (listed !== undefined && this.#rest === '') return toDestination(listed, name);
    // In a Sallyport module only the listed exports have been renamed.
    if (module === undefined && ENTRIES.includes(this.specifier)) return { module: this.specifier, name };
    if (module === undefined) return { manual: `${name} of '${this.specifier}' is not in the mapping` };
    return this.#whole(module, name);
  }

  /** The single module that replaces the whole module, for imports of the whole module. */
  wholeDestination(use: string): Destination {
    const { manual, names = {}, default: standard, module } = this.#entry;
    if (manual !== undefined) return { manual: `'${this.specifier}': ${manual}` };
    const moved = [...Object.entries(names), ...(standard === undefined ? [] : [['default', standard] as const])];
    const targets = moved.map(([name, target]) => (target === null ? undefined : toDestination(target, name)));
    const modules = new Set(targets.map((target) => (target && 'module' in target ? target.module : undefined)));
    if (module !== undefined) modules.add(module);
    const isRenamed = targets.some((target, at) => target && 'name' in target && target.name !== moved[at]?.[0]);
    const [only] = modules;
    if (modules.size === 1 && only !== undefined && !isRenamed) return this.#whole(only, '*');
    return {
      manual: `${use} of '${this.specifier}' ${isRenamed ? 'meets renamed exports' : 'maps to several modules'}`,
    };
  }

  #whole(module: string, name: string): Destination {
    const target = module + this.#rest;
    if (ENTRIES.includes(target)) return { module: target, name };
    return { manual: `'${this.specifier}' would become '${target}', which does not exist` };
  }
}

function toDestination(target: NameMapping, name: string): Destination {
  return 'manual' in target ? target : { module: target.module, name: target.name ?? name };
}

/** The mapped module of a specifier: the longest mapped name that equals the specifier or is a parent of it. */
export function findModule(mapping: Mapping, specifier: string): MappedModule | undefined {
  const modules = mapping.modules ?? {};
  for (let name = specifier; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
    const entry = Object.hasOwn(modules, name) ? modules[name] : undefined;
    const rest = specifier.slice(name.length);
    if (entry === undefined) continue;
    const isBelow = rest !== '' && entry.module === undefined && entry.manual === undefined;
    return new MappedModule(specifier, isBelow ? {} : entry, rest);
  }
  return undefined;
}
