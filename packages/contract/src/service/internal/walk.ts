import { isObject } from '@sallyport/core/internal';
import type { JsonSchema } from '../contract.js';

/** Keywords of JSON Schema 2020-12 that contain schemas, by their shape. */
const ONE = new Set([
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAP = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** A copy of a schema in which each schema is replaced, the innermost first. Values that only look like schemas are not changed. */
export function mapSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: unknown): unknown => (isObject(value) ? mapSchema(value, change) : value);
  const member = ([key, value]: [string, unknown]): [string, unknown] => {
    if (ONE.has(key)) return [key, inner(value)];
    if (LIST.has(key) && Array.isArray(value)) return [key, value.map(inner)];
    if (!MAP.has(key) || !isObject(value)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]))];
  };
  return change(Object.fromEntries(Object.entries(schema).map(member)));
}

/** Each schema inside a schema, with itself. */
export function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const found: JsonSchema[] = [];
  mapSchema(schema, (part) => {
    found.push(part);
    return part;
  });
  return found;
}
