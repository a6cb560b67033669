import type { JsonSchema } from './field-schema.js';

/** Keywords of JSON Schema 2020-12 by what they hold; in no other is a `$ref` a reference. */
const SINGLE = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** A copy of a schema with every reference moved; values that only look like schemas are left as they are. */
export function rewriteRefs(schema: JsonSchema, move: (ref: string) => string): JsonSchema {
  const member = (key: string, value: unknown): unknown => {
    if (key === '$ref' && typeof value === 'string') return move(value);
    if (SINGLE.has(key)) return rewriteAny(value, move);
    if (LISTS.has(key) && Array.isArray(value)) return value.map((entry) => rewriteAny(entry, move));
    return MAPS.has(key) && isObject(value) ? rewriteMap(value, move) : value;
  };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, member(key, value)]));
}

function rewriteMap(map: JsonSchema, move: (ref: string) => string): JsonSchema {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, rewriteAny(value, move)]));
}

/** `true` and `false` are schemas too. */
function rewriteAny(value: unknown, move: (ref: string) => string): unknown {
  return isObject(value) ? rewriteRefs(value, move) : value;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
