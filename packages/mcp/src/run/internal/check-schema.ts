import type { OutputUnit, Schema, Validator } from '@cfworker/json-schema';
import { loadSchemaLibrary } from '../../http/internal/lazy.js';
import type { JsonObject } from '../../protocol/types.js';
import { draftOf } from '../../server/internal/json-schema.js';

/** The interpreter of a schema; the library loads at the first one. */
async function createValidator(schema: JsonObject): Promise<Validator> {
  const library = await loadSchemaLibrary();
  // The library writes into the schema that it is given.
  return new library.Validator(structuredClone(schema) as Schema, draftOf(schema) ?? '2020-12', false);
}

/** Checks values against one schema: what is wrong, as path and rule without any value; nothing when all is well. */
export type Check = (value: unknown) => readonly string[];

/** A check of a schema; the interpreter is made when it is asked for. */
export async function createCheck(schema: JsonObject): Promise<Check> {
  const validator = await createValidator(schema);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? [] : describe(errors);
  };
}

/** The library reports a failure at each level; only the innermost says something. */
function describe(errors: readonly OutputUnit[]): string[] {
  const leaves = errors.filter(
    (error) => !error.error.startsWith('A subschema had errors') && !WRAPPERS.has(error.keyword),
  );
  const texts = (leaves.length > 0 ? leaves : errors).map(describeOne);
  return [...new Set(texts)].slice(0, MAX_ISSUES);
}

const MAX_ISSUES = 20;
const WRAPPERS = new Set(['properties', 'items', 'allOf', '$ref', 'additionalProperties']);
const REQUIRED = /property "(.*)"\.$/s;

function describeOne({ instanceLocation, keyword, error }: OutputUnit): string {
  const path = instanceLocation.replace(/^#/, '');
  const missing = keyword === 'required' ? REQUIRED.exec(error)?.[1] : undefined;
  return missing === undefined ? `${path || '/'}: ${keyword}` : `${path}/${missing}: required`;
}
