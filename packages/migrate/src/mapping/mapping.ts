import { readFileSync } from 'node:fs';
import { type Schema, Validator } from '@cfworker/json-schema';
import { migrateError, reasonOf } from '../errors.js';
import { BUILT_IN } from './internal/built-in.js';
import { findFaults } from './internal/faults.js';

/** Where a name has gone, or what a person has to do about it. */
export type NameMapping =
  | {
      /** The entry that exports it now: `@sallyport/core`. */
      readonly module: string;
      /** Its name there; left out when it is the same. */
      readonly name?: string;
    }
  | {
      /** A sentence for the manual list; the import stays. */
      readonly manual: string;
    };

/** Where the exports of one module have gone. */
export interface ModuleMapping {
  /** The entry that replaces the whole module, and below which its sub-paths are found. */
  readonly module?: string;
  /** The default export; `null` when it has no successor. */
  readonly default?: NameMapping | null;
  /** Single exports; what is not listed is found in `module`, if that is given. */
  readonly names?: Readonly<Record<string, NameMapping>>;
  /** A sentence for the manual list, for every use of the module and its sub-paths. */
  readonly manual?: string;
}

/** What a mapping file holds. `sallyport-migrate.schema.json` of the package is its JSON Schema. */
export interface Mapping {
  /** The form of the file. */
  readonly version: 1;
  /** Old modules, by their names in imports. */
  readonly modules?: Readonly<Record<string, ModuleMapping>>;
  /** Environment variables: old name to new name. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Beginnings of keys of `ctx.get` and `ctx.set`: old to new. */
  readonly metadataPrefix?: Readonly<Record<string, string>>;
  /** Dependencies of `package.json`: names to remove, and what takes their place. */
  readonly packages?: { readonly remove?: readonly string[]; readonly add?: Readonly<Record<string, string>> };
}

// Beside `src` and `dist`, so that editors can be pointed at it.
const SCHEMA_FILE = new URL('../../sallyport-migrate.schema.json', import.meta.url);

/**
 * Reads the text of a mapping file.
 *
 * @param json the text of the file
 * @throws FrameworkError `migrate.invalid_mapping`: no JSON, an unknown key, an entry that no package of Sallyport has, a circle
 * @example const mapping = parseMapping(readFileSync('sallyport-migrate.json', 'utf8'));
 */
export function parseMapping(json: string): Mapping {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw migrateError('migrate.invalid_mapping', `the mapping file is not JSON: ${reasonOf(error)}`, error);
  }
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as Schema;
  const { valid, errors } = new Validator(schema, '2020-12', false).validate(value);
  if (!valid) {
    const { instanceLocation = '#', error = '' } = errors.at(-1) ?? {};
    throw migrateError('migrate.invalid_mapping', `the mapping file is wrong at ${instanceLocation}: ${error}`);
  }
  const mapping = value as Mapping;
  const [fault] = findFaults(mapping);
  if (fault !== undefined) throw migrateError('migrate.invalid_mapping', `the mapping file is wrong: ${fault}`);
  return mapping;
}

/** The mapping that holds when none is given, with another one over it: a module that both know is the given one's. */
export function withBuiltIn(mapping: Mapping | undefined): Mapping {
  if (mapping === undefined) return BUILT_IN;
  return { ...BUILT_IN, ...mapping, modules: { ...BUILT_IN.modules, ...mapping.modules } };
}
