import type { Mapping, ModuleMapping, NameMapping } from '../mapping.js';
import { ENTRIES } from './entries.js';

/** What becomes of one export of a mapped module. */
export type Destination =
  | { readonly module: string; readonly name: string }
  /** Why it stays. */
  | { readonly manual: string };

/** A mapped module, as one import names it. */
export class MappedModule {
  readonly specifier: string;
  readonly #entry: ModuleMapping;
  /** What stands behind the mapped name: `/jobs` of `legacy/jobs` where `legacy` is mapped. */
  readonly #rest: string;

  constructor(specifier: string, entry: ModuleMapping, rest: string) {
    this.specifier = specifier;
    this.#entry = entry;
    this.#rest = rest;
  }

  /** Where an export has gone; `default` for the default one. */
  destinationOf(name: string): Destination {
    const { manual, names = {}, default: standard, module } = this.#entry;
    if (manual !== undefined) return { manual: `'${this.specifier}': ${manual}` };
    const listed = name === 'default' ? standard : Object.hasOwn(names, name) ? names[name] : undefined;
    if (listed === null) return { manual: `the default import of '${this.specifier}' has no successor` };
    if (listed !== undefined && this.#rest === '') return toDestination(listed, name);
    // Of a module of ours only what is listed has been renamed.
    if (module === undefined && ENTRIES.includes(this.specifier)) return { module: this.specifier, name };
    if (module === undefined) return { manual: `${name} of '${this.specifier}' is not in the mapping` };
    return this.#whole(module, name);
  }

  /** The one module that stands for the whole one, for imports that take all of it. */
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

/** The mapped module that a specifier names, by the longest name that it is or stands below of. */
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
