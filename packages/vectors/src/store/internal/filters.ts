import { isPlainObject } from '@sallyport/core/internal';
import { invalidInput } from '../../errors.js';
import { VECTOR_LIMITS } from '../../schema.js';
import type { Filter, Metadata, Primitive } from '../store.js';
import { isPrimitive, nameProblem } from '../validators.js';

type Value = Metadata[string] | undefined;

/** A filter in canonical form: lists of conditions, each with one key and one operator. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly key: string; readonly operator: string; readonly operand: unknown };

interface Operator {
  /** Description of the operand for errors. */
  readonly wanted: string;
  readonly accepts: (operand: unknown) => boolean;
  readonly holds: (value: Value, operand: never) => boolean;
}

const isNumber = (operand: unknown) => typeof operand === 'number' && Number.isFinite(operand);
const isBoolean = (operand: unknown) => typeof operand === 'boolean';
const isList = (operand: unknown) =>
  Array.isArray(operand) && operand.length > 0 && Array.from(operand).every(isPrimitive);

function equals(value: Value, operand: Primitive): boolean {
  return Array.isArray(value) ? value.includes(operand) : value === operand;
}

function isIn(value: Value, operands: readonly Primitive[]): boolean {
  return operands.some((operand) => equals(value, operand));
}

function comparison(holds: (value: number, operand: number) => boolean): Operator {
  return {
    wanted: 'a finite number',
    accepts: isNumber,
    holds: (value, operand) => typeof value === 'number' && holds(value, operand),
  };
}

const PRIMITIVE = 'a text, a finite number or a boolean';
const LIST = 'a list of texts, finite numbers and booleans that is not empty';

/**
 * The operators of filters, as in the service. One rule is not documented: a missing key matches `$ne` and `$nin`.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-metadata-filtering.html
 */
const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: { wanted: PRIMITIVE, accepts: isPrimitive, holds: equals },
  $ne: { wanted: PRIMITIVE, accepts: isPrimitive, holds: (value, operand) => !equals(value, operand) },
  $gt: comparison((value, operand) => value > operand),
  $gte: comparison((value, operand) => value >= operand),
  $lt: comparison((value, operand) => value < operand),
  $lte: comparison((value, operand) => value <= operand),
  $in: { wanted: LIST, accepts: isList, holds: isIn },
  $nin: { wanted: LIST, accepts: isList, holds: (value, operands) => !isIn(value, operands) },
  $exists: {
    wanted: 'true or false',
    accepts: isBoolean,
    holds: (value, operand) => (value !== undefined) === operand,
  },
};

/**
 * A filter in canonical form. The result shares no object with the caller's filter.
 *
 * @throws VectorStoreError `vectorstore.invalid_input` for a filter that the service would reject or that is ambiguous
 */
export function parseFilter(filter: Filter | undefined, nonFilterableKeys: readonly string[]): Condition | undefined {
  if (filter === undefined) return undefined;
  const budget = { left: VECTOR_LIMITS.filterConditions };
  return parseLevel(filter, { nonFilterableKeys, budget, depth: 1 });
}

interface Place {
  readonly nonFilterableKeys: readonly string[];
  readonly budget: { left: number };
  readonly depth: number;
}

function parseLevel(filter: unknown, place: Place): Condition {
  if (place.depth > VECTOR_LIMITS.filterDepth) throw invalidInput(`filter is deeper than ${VECTOR_LIMITS.filterDepth}`);
  if (!isPlainObject(filter)) throw invalidInput('filter must be an object');
  // `undefined` is rejected like any wrong operand: if a tenant is `undefined`, the query must not run without that filter.
  const parts = Object.entries(filter).flatMap(([key, operand]) => parseMember(key, operand, place));
  const [only] = parts;
  if (only === undefined) throw invalidInput('filter must name at least one condition');
  return parts.length === 1 ? only : { all: parts };
}

function parseMember(key: string, operand: unknown, place: Place): Condition[] {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(operand) || operand.length === 0) {
      throw invalidInput(`filter "${key}" must be a list of filters that is not empty`);
    }
    const parts = Array.from(operand, (part: unknown) => parseLevel(part, { ...place, depth: place.depth + 1 }));
    return [key === '$and' ? { all: parts } : { any: parts }];
  }
  if (key.startsWith('$')) throw invalidInput(`filter has the unknown operator "${key}"`);
  const problem = nameProblem(key);
  if (problem !== undefined) throw invalidInput(`filter key ${problem}`);
  if (place.nonFilterableKeys.includes(key)) throw invalidInput(`filter names "${key}", which is not filterable`);
  return parseOperators(key, isPlainObject(operand) ? operand : { $eq: operand }, place.budget);
}

function parseOperators(
  key: string,
  operators: Readonly<Record<string, unknown>>,
  budget: { left: number },
): Condition[] {
  const given = Object.entries(operators);
  if (given.length === 0) throw invalidInput(`filter of "${key}" must name at least one operator`);
  return given.map(([operator, operand]) => {
    const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (!known) throw invalidInput(`filter of "${key}" has an unknown operator; known are ${NAMES}`);
    if (!known.accepts(operand)) throw invalidInput(`filter of "${key}": ${operator} must be ${known.wanted}`);
    budget.left -= 1;
    if (budget.left < 0) throw invalidInput(`filter has more than ${VECTOR_LIMITS.filterConditions} conditions`);
    return { key, operator, operand: Array.isArray(operand) ? [...operand] : operand };
  });
}

const NAMES = Object.keys(OPERATORS).join(', ');

/** A filter in the format of the service, with all operators, and with `$and` for several conditions. */
export function toWireFilter(condition: Condition): Record<string, unknown> {
  if ('all' in condition) return { $and: condition.all.map(toWireFilter) };
  if ('any' in condition) return { $or: condition.any.map(toWireFilter) };
  return { [condition.key]: { [condition.operator]: condition.operand } };
}

/** True if a vector's metadata passes a filter. */
export function matches(condition: Condition | undefined, metadata: Metadata | undefined): boolean {
  if (condition === undefined) return true;
  if ('all' in condition) return condition.all.every((part) => matches(part, metadata));
  if ('any' in condition) return condition.any.some((part) => matches(part, metadata));
  const { key, operator, operand } = condition;
  const value = metadata && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return OPERATORS[operator]?.holds(value, operand as never) ?? false;
}
