/** A filter pattern that was checked: whether a value satisfies it. `undefined` is a member that is not there. */
export type Matcher = (value: unknown) => boolean;

type Rule = (value: string | number | boolean | null | undefined) => boolean;

/** What a pattern may be wrong about; the texts name the place in the pattern. */
export class PatternError extends Error {}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** The comparison operators of Lambda's filters by name. */
const OPERATORS: Readonly<Record<string, (operand: unknown, place: string) => Rule>> = {
  prefix: (operand, place) => textRule(operand, place, (value, wanted) => value.startsWith(wanted)),
  suffix: (operand, place) => textRule(operand, place, (value, wanted) => value.endsWith(wanted)),
  'equals-ignore-case': (operand, place) =>
    textRule(operand, place, (value, wanted) => value.toLowerCase() === wanted.toLowerCase()),
  'anything-but': anythingBut,
  numeric: numericRule,
  exists: (operand, place) => {
    if (typeof operand !== 'boolean') throw new PatternError(`${place} must be true or false`);
    return (value) => (value !== undefined) === operand;
  },
};

/**
 * Reads a filter pattern: members whose values are lists of rules, nested as the value is, and `$or`. All members must match; of a
 * list one rule is enough.
 *
 * @throws PatternError for what Lambda does not accept
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html#filtering-syntax
 */
export function parsePattern(pattern: unknown, place: string): Matcher {
  if (!isObject(pattern)) throw new PatternError(`${place} must be an object`);
  const members = Object.entries(pattern).map(([key, wanted]) =>
    key === '$or' ? parseOr(wanted, `${place}.$or`) : parseMember(key, wanted, `${place}.${key}`),
  );
  if (members.length === 0) throw new PatternError(`${place} must have members`);
  return (value) => members.every((matches) => matches(value));
}

function parseOr(alternatives: unknown, place: string): Matcher {
  if (!Array.isArray(alternatives) || alternatives.length === 0) {
    throw new PatternError(`${place} must be a list of patterns`);
  }
  const parsed = alternatives.map((one, index) => parsePattern(one, `${place}[${index}]`));
  return (value) => parsed.some((matches) => matches(value));
}

function parseMember(key: string, wanted: unknown, place: string): Matcher {
  const matches = Array.isArray(wanted) ? parseRules(wanted, place) : parsePattern(wanted, place);
  return (value) => {
    // Of a list of objects one is enough.
    const owners = Array.isArray(value) && value.length > 0 ? value : [value];
    return owners.some((owner) => matches(isObject(owner) && Object.hasOwn(owner, key) ? owner[key] : undefined));
  };
}

/** A list of rules; of a value that is a list one member is enough. */
export function parseRules(rules: readonly unknown[], place: string): Matcher {
  if (rules.length === 0) throw new PatternError(`${place} must have at least one rule`);
  const parsed = rules.map((rule, index) => parseRule(rule, `${place}[${index}]`));
  return (value) => {
    const members = Array.isArray(value) && value.length > 0 ? value : [value];
    // `exists` is for values, not for what holds them.
    const scalars = members.map((member) => (isScalar(member) ? member : undefined));
    return scalars.some((scalar) => parsed.some((matches) => matches(scalar)));
  };
}

function parseRule(rule: unknown, place: string): Rule {
  if (isScalar(rule)) return (value) => value === rule;
  const [[name = '', operand] = [], ...more] = Object.entries(isObject(rule) ? rule : {});
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (!operator || more.length > 0) {
    throw new PatternError(`${place} must be a text, a number, true, false, null, or { one of ${NAMES}: … }`);
  }
  return operator(operand, `${place}.${name}`);
}

const NAMES = Object.keys(OPERATORS).join(', ');

function textRule(operand: unknown, place: string, compare: (value: string, wanted: string) => boolean): Rule {
  if (typeof operand !== 'string' || operand === '') throw new PatternError(`${place} must be a text`);
  return (value) => typeof value === 'string' && compare(value, operand);
}

/** Everything but one value, some values, or what a prefix or suffix takes. A member that is not there does not match. */
function anythingBut(operand: unknown, place: string): Rule {
  const excluded = isObject(operand) ? [parseRule(operand, place)] : listOf(operand, place);
  return (value) => value !== undefined && !excluded.some((matches) => matches(value));
}

function listOf(operand: unknown, place: string): readonly Rule[] {
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const isAllowed = (value: unknown) => typeof value === 'string' || typeof value === 'number';
  if (values.length === 0 || !values.every(isAllowed)) {
    throw new PatternError(`${place} must be a text, a number, a list of them, or { prefix or suffix: … }`);
  }
  return values.map((excluded) => (value) => value === excluded);
}

/** `["=", 100]`, or a range: `[">", 10, "<=", 20]`. */
function numericRule(operand: unknown, place: string): Rule {
  const parts: readonly unknown[] = Array.isArray(operand) ? operand : [];
  const bounds = [parts.slice(0, 2), parts.slice(2)].filter(({ length }) => length > 0);
  const rules = bounds.map(([sign, bound]) => {
    const compare = Object.hasOwn(COMPARE, String(sign)) ? COMPARE[String(sign)] : undefined;
    return compare && typeof bound === 'number' ? (value: number) => compare(value, bound) : undefined;
  });
  if (rules.length === 0 || parts.length > 4 || rules.includes(undefined)) {
    throw new PatternError(
      `${place} must be [sign, number] or [sign, number, sign, number], a sign one of = < <= > >=`,
    );
  }
  return (value) => typeof value === 'number' && rules.every((holds) => holds?.(value));
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
