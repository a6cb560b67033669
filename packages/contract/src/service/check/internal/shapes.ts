import { isObject, membersOf } from '@sallyport/core/internal';
import type { JsonSchema, Schemas } from '../../contract.js';
import { canonicalText } from '../../internal/canonical.js';

/** One alternative of a schema: one type with its keywords, or a fixed value. */
export interface Shape {
  /** A JSON type, `value` for a constant, `any`, `never`, or `unknown` for a schema that could not be written. */
  readonly kind: string;
  readonly schema: JsonSchema;
  /** For `value`. */
  readonly value?: unknown;
}

const TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'];

/** The alternatives of a schema. Combinations are resolved: `allOf` is merged, and `anyOf`, `oneOf`, `enum` and lists of types are split. */
export function shapesOf(given: unknown, schemas: Schemas, depth = 0): readonly Shape[] {
  if (given === false) return [];
  if (!isObject(given) || depth > 16) return [{ kind: 'any', schema: {} }];
  if ('x-unknown' in given) return [{ kind: 'unknown', schema: {} }];
  const { $ref, allOf, anyOf, oneOf, ...rest } = given;
  if (typeof $ref === 'string') {
    const target = shapesOf(schemas[$ref.slice('#/schemas/'.length)] ?? {}, schemas, depth + 1);
    return isAnnotation(rest) ? target : crossed(target, shapesOf(rest, schemas, depth + 1));
  }
  const parts = [
    ...(Array.isArray(allOf) ? allOf.map((part) => shapesOf(part, schemas, depth + 1)) : []),
    ...[anyOf, oneOf].flatMap((options) =>
      Array.isArray(options) ? [options.flatMap((option) => shapesOf(option, schemas, depth + 1))] : [],
    ),
  ];
  return parts.reduce((all, part) => crossed(all, part), plainShapes(rest));
}

const isAnnotation = (schema: JsonSchema) =>
  Object.keys(schema).every((key) => ['description', 'default', 'examples', 'deprecated'].includes(key));

function plainShapes(schema: JsonSchema): readonly Shape[] {
  const { const: one, enum: list, type } = schema;
  if ('const' in schema) return [{ kind: 'value', schema, value: one }];
  if (Array.isArray(list)) return list.map((value) => ({ kind: 'value', schema, value: value as unknown }));
  if (type !== undefined) return (Array.isArray(type) ? type : [type]).map((kind) => ({ kind: String(kind), schema }));
  const restricts = Object.keys(schema).some((key) => !isAnnotation({ [key]: true }));
  return restricts ? TYPES.map((kind) => ({ kind, schema })) : [{ kind: 'any', schema }];
}

/** The alternatives that fit both lists. */
function crossed(left: readonly Shape[], right: readonly Shape[]): readonly Shape[] {
  return left.flatMap((a) => right.flatMap((b) => both(a, b)));
}

function both(a: Shape, b: Shape): readonly Shape[] {
  if (a.kind === 'any' || a.kind === 'unknown') return [b];
  if (b.kind === 'any' || b.kind === 'unknown') return [a];
  if (a.kind === 'value') return fitsKind(a.value, b) ? [a] : [];
  if (b.kind === 'value') return fitsKind(b.value, a) ? [b] : [];
  if (a.kind !== b.kind && !(isNumeric(a.kind) && isNumeric(b.kind))) return [];
  const kind = a.kind === 'integer' || b.kind === 'integer' ? 'integer' : a.kind;
  return [{ kind, schema: merged(a.schema, b.schema) }];
}

const isNumeric = (kind: string) => kind === 'number' || kind === 'integer';

function merged(a: JsonSchema, b: JsonSchema): JsonSchema {
  const [left, right] = [membersOf(a.properties), membersOf(b.properties)];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  const property = (name: string) => {
    const [one, two] = [left[name], right[name]];
    return one !== undefined && two !== undefined ? { allOf: [one, two] } : (one ?? two);
  };
  const bound = (name: string, pick: (...values: number[]) => number) => {
    const values = [a[name], b[name]].filter((value): value is number => typeof value === 'number');
    return values.length === 0 ? {} : { [name]: pick(...values) };
  };
  return {
    ...a,
    ...b,
    ...(names.size > 0 && { properties: Object.fromEntries([...names].map((name) => [name, property(name)])) }),
    ...Object.assign({}, ...LEAST.map((name) => bound(name, Math.max)), ...MOST.map((name) => bound(name, Math.min))),
    ...(a.required !== undefined || b.required !== undefined
      ? { required: [...new Set([...requiredOf(a), ...requiredOf(b)])] }
      : {}),
    // Each side closes the object against its own members only: a merged object is open unless both are closed.
    ...((a.additionalProperties === undefined) !== (b.additionalProperties === undefined) && {
      additionalProperties: undefined,
    }),
    ...(a.items !== undefined && b.items !== undefined && { items: { allOf: [a.items, b.items] } }),
  };
}

const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/** The required members of an object. */
export function requiredOf(schema: JsonSchema): readonly string[] {
  return Array.isArray(schema.required) ? (schema.required as readonly string[]) : [];
}

/** The JSON type of a value; whole numbers are `integer`. */
function kindOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** True if a value has the type of an alternative, and keeps the rules for strings and numbers. */
export function fitsKind(value: unknown, { kind, schema, value: only }: Shape): boolean {
  if (kind === 'any' || kind === 'unknown') return true;
  if (kind === 'value') return canonicalText(value) === canonicalText(only);
  const own = kindOfValue(value);
  if (own !== kind && !(own === 'integer' && kind === 'number')) return false;
  if (typeof value === 'number') return fitsNumber(value, schema);
  return typeof value !== 'string' || fitsText(value, schema);
}

function fitsNumber(value: number, schema: JsonSchema): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Readonly<
    Record<string, number | undefined>
  >;
  return (
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum)
  );
}

function fitsText(value: string, { minLength, maxLength, pattern }: JsonSchema): boolean {
  const length = [...value].length;
  if (typeof minLength === 'number' && length < minLength) return false;
  if (typeof maxLength === 'number' && length > maxLength) return false;
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
