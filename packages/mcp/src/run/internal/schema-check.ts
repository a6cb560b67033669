import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { isJsonObject, own } from '../../protocol/internal/json-rpc.js';
import { draftOf } from '../../protocol/internal/protocol.js';
import type { InputRequest, InputResponse, JsonObject } from '../../protocol/types.js';
import { describeUnits } from './argument-issues.js';

export { describeIssues } from './argument-issues.js';

/** Validates a value with one schema. Returns each problem as path and rule, without any value; empty for a valid value. */
export type Check = (value: unknown) => readonly string[];

/**
 * The most visits of subschemas in one check: a fixed number, plus a number for each nested value. Without a limit, references to
 * `anyOf` of references triple the work with each level, for a value of a few hundred bytes.
 */
const EVALUATIONS = { base: 10_000, perValue: 50, most: 2_000_000 };
/** The same limit for the second check, which lists all problems if the first check fails. */
const MAX_EVALUATIONS_TO_DESCRIBE = 50_000;
/** The most comparisons for `uniqueItems`: the library compares each item with each other. */
const MAX_COMPARISONS = 10_000_000;
const TOO_COMPLEX = ['/: too large to check'];
/** The library reads this member at each visit of a schema, and most schemas do not have it. */
const READ_ONCE = '__absolute_recursive_ref__';

class OverBudget extends Error {}

/** The check of a schema. The library changes the schema, so it gets a copy. */
export function createCheck(schema: JsonObject): Check {
  let left = 0;
  const counted = Object.create(Object.prototype, {
    [READ_ONCE]: {
      get() {
        left -= 1;
        if (left < 0) throw new OverBudget();
      },
    },
  });
  const copy = structuredClone(schema);
  const { refers, compares } = traitsOf(copy);
  // Without references, a check visits each subschema at most once for each value.
  if (refers) count(copy, counted);
  const draft = draftOf(schema) ?? '2020-12';
  const brief = new Validator(copy as Schema, draft, true);
  const whole = new Validator(copy as Schema, draft, false);
  const describe = (errors: readonly OutputUnit[]) => describeUnits(errors, schema);
  return (value) => {
    const size = refers || compares ? sizeOf(value) : NO_SIZE;
    if (compares && size.comparisons > MAX_COMPARISONS) return TOO_COMPLEX;
    const budget = Math.min(EVALUATIONS.base + EVALUATIONS.perValue * size.values, EVALUATIONS.most);
    let first: readonly OutputUnit[] = [];
    try {
      left = budget;
      const { valid, errors } = brief.validate(value);
      if (valid) return [];
      first = errors;
      left = Math.min(budget, MAX_EVALUATIONS_TO_DESCRIBE);
      return describe(whole.validate(value).errors);
    } catch (error) {
      if (error instanceof OverBudget) return first.length > 0 ? describe(first) : TOO_COMPLEX;
      // The library passes its list of errors as arguments; a very long list causes a stack overflow.
      if (error instanceof RangeError && first.length > 0) return describe(first);
      throw error;
    }
  };
}

/** True if a schema has references, and true if it has lists whose items must differ. */
function traitsOf(node: unknown): { readonly refers: boolean; readonly compares: boolean } {
  if (typeof node !== 'object' || node === null) return { refers: false, compares: false };
  let refers = isJsonObject(node) && (own(node, '$ref') !== undefined || own(node, '$recursiveRef') !== undefined);
  let compares = isJsonObject(node) && own(node, 'uniqueItems') === true;
  for (const child of Object.values(node)) {
    const traits = traitsOf(child);
    refers ||= traits.refers;
    compares ||= traits.compares;
  }
  return { refers, compares };
}

/** Counts every visit of a subschema. */
function count(node: unknown, prototype: object): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) Object.setPrototypeOf(node, prototype);
  for (const child of Object.values(node)) count(child, prototype);
}

const NO_SIZE = { values: 0, comparisons: 0 };

/** The number of values inside a value, including itself, and the number of comparisons of the items of its lists. */
function sizeOf(value: unknown): { readonly values: number; readonly comparisons: number } {
  if (typeof value === 'string') return { values: 1 + (value.length >> 6), comparisons: 0 };
  if (typeof value !== 'object' || value === null) return { values: 1, comparisons: 0 };
  const children = Object.values(value);
  let values = 1;
  let comparisons = 0;
  for (const child of children) {
    const size = sizeOf(child);
    values += size.values;
    comparisons += size.comparisons;
  }
  return { values, comparisons: Array.isArray(value) ? comparisons + children.length * values : comparisons };
}

/** A client's answer as a typed value, or `undefined` when it does not match the question. */
export function checkAnswer(request: InputRequest, raw: unknown): InputResponse | undefined {
  if (!isJsonObject(raw)) return undefined;
  switch (request.method) {
    case 'elicitation/create':
      return isElicitResult(raw) && fitsSchema(request.params.requestedSchema as JsonObject | undefined, raw)
        ? cast(raw)
        : undefined;
    case 'sampling/createMessage':
      return isSampleResult(raw) ? cast(raw) : undefined;
    case 'roots/list':
      return isRootsResult(raw) ? cast(raw) : undefined;
  }
}

/** True if a value has the shape of any answer. */
export function isInputResponse(raw: unknown): raw is InputResponse {
  return isJsonObject(raw) && (isElicitResult(raw) || isSampleResult(raw) || isRootsResult(raw));
}

const cast = (raw: JsonObject): InputResponse => raw as unknown as InputResponse;

function isElicitResult(raw: JsonObject): boolean {
  const { content } = raw;
  return (
    ['accept', 'decline', 'cancel'].includes(raw.action as string) && (content === undefined || isJsonObject(content))
  );
}

function isSampleResult({ role, model, content }: JsonObject): boolean {
  return (
    (role === 'user' || role === 'assistant') &&
    typeof model === 'string' &&
    typeof content === 'object' &&
    content !== null
  );
}

function isRootsResult({ roots }: JsonObject): boolean {
  return Array.isArray(roots) && roots.every((root) => isJsonObject(root) && typeof root.uri === 'string');
}

function fitsSchema(schema: JsonObject | undefined, raw: JsonObject): boolean {
  if (raw.action !== 'accept' || schema === undefined) return true;
  return createCheck(schema)(raw.content ?? {}).length === 0;
}
