import { readFileSync } from 'node:fs';
import { type Schema, Validator } from '@cfworker/json-schema';
import { migrateError, reasonOf } from '../errors.js';
import { BUILT_IN } from './internal/built-in.js';
import { findFaults } from './internal/faults.js';
import type { Mapping } from './mapping.js';

// Next to `src` and `dist`, so editors can refer to it.
const SCHEMA_FILE = new URL('../../sallyport-migrate.schema.json', import.meta.url);

/**
 * Parses a mapping file.
 *
 * @param json the content of the file
 * @throws FrameworkError `migrate.invalid_mapping`: invalid JSON, an unknown key, an entry that no Sallyport package has, a cycle
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

/** Merges a mapping over the built-in mapping: modules of the given mapping take precedence. */
export function withBuiltIn(mapping: Mapping | undefined): Mapping {
  if (mapping === undefined) return BUILT_IN;
  return { ...BUILT_IN, ...mapping, modules: { ...BUILT_IN.modules, ...mapping.modules } };
}
