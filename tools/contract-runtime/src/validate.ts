import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonObject, Validate } from '@sallyport/contract';

const VALIDATORS = new WeakMap<JsonObject, Validator>();

/** JSON Schema 2020-12 for the fixture loader: one sentence for each problem. */
export const validate: Validate = (schema, value) => {
  let validator = VALIDATORS.get(schema);
  if (!validator) {
    validator = new Validator(schema as Schema, '2020-12', false);
    VALIDATORS.set(schema, validator);
  }
  const { valid, errors } = validator.validate(value);
  if (valid) return [];
  const [last] = errors.filter(({ keyword }) => !['properties', '$ref', 'items', 'allOf'].includes(keyword)).slice(-1);
  return [`${last?.instanceLocation ?? '#'}: ${last?.error ?? 'does not fit the schema'}`];
};
