import { usageError } from '../../config/file.js';

/** A pattern that was checked: whether a value satisfies it. `undefined` is a member that is not there. */
export type Matcher = (value: unknown) => boolean;

/** One value of JSON that holds no others. */
export type Scalar = string | number | boolean | null;

/** One rule for a value; `undefined` is a member that is not there. */
export type Rule = (value: Scalar | undefined) => boolean;

/**
 * Reads the operand of a comparison operator.
 *
 * @throws PatternError for an operand that the service does not accept
 */
export type Operator = (operand: unknown, place: string) => Rule;

/** What one service accepts in its patterns. */
export interface PatternLanguage {
  /** The comparison operators by name. */
  readonly operators: Readonly<Record<string, Operator>>;
  /** True if the value of `$or` stands for alternatives; otherwise `$or` is a name like any other. */
  readonly isAlternatives: (value: unknown) => boolean;
}

/** What a pattern may be wrong about; the strings name the place in the pattern. */
export class PatternError extends Error {}

/**
 * Reads the patterns of a source.
 *
 * @param source where they stand: `queues.orders`
 * @throws FrameworkError `local.usage` with the text of a {@link PatternError}
 */
export function readPatterns<T>(source: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw usageError(`${source}: ${error.message}`);
  }
}

/**
 * Reads a pattern: members whose values are lists of rules, nested as the value is, and `$or`. All members must match; of a list of
 * rules one is enough. Of a list of objects one must match with all members of the pattern.
 *
 * @throws PatternError for what the service does not accept
 * @see https://github.com/aws/event-ruler#json-array-matching
 */
export function parsePattern(language: PatternLanguage, pattern: unknown, place: string): Matcher {
  if (!isObject(pattern)) throw new PatternError(`${place} must be an object`);
  const members = Object.entries(pattern).map(([key, wanted]) =>
    key === '$or' && language.isAlternatives(wanted)
      ? parseOr(language, wanted, `${place}.$or`)
      : parseMember(language, key, wanted, `${place}.${key}`),
  );
  if (members.length === 0) throw new PatternError(`${place} must have members`);
  return (value) => elementsOf(value).some((element) => members.every((matches) => matches(element)));
}

function parseOr(language: PatternLanguage, alternatives: unknown, place: string): Matcher {
  if (!Array.isArray(alternatives) || alternatives.length === 0) {
    throw new PatternError(`${place} must be a list of patterns`);
  }
  const parsed = alternatives.map((one, index) => parsePattern(language, one, `${place}[${index}]`));
  return (value) => parsed.some((matches) => matches(value));
}

function parseMember(language: PatternLanguage, key: string, wanted: unknown, place: string): Matcher {
  const matches = Array.isArray(wanted) ? parseRules(language, wanted, place) : parsePattern(language, wanted, place);
  return (owner) => matches(isObject(owner) && Object.hasOwn(owner, key) ? owner[key] : undefined);
}

/**
 * Reads a list of rules; of a value that is a list one member is enough. Rules are for values, not for what holds them: an object is
 * as if it were not there.
 *
 * @throws PatternError for what the service does not accept
 */
export function parseRules(language: PatternLanguage, rules: readonly unknown[], place: string): Matcher {
  if (rules.length === 0) throw new PatternError(`${place} must have at least one rule`);
  const parsed = rules.map((rule, index) => parseRule(language, rule, `${place}[${index}]`));
  return (value) => {
    const scalars = elementsOf(value).filter(isScalar);
    const found = scalars.length > 0 ? scalars : [undefined];
    return found.some((scalar) => parsed.some((matches) => matches(scalar)));
  };
}

function parseRule({ operators }: PatternLanguage, rule: unknown, place: string): Rule {
  if (isScalar(rule)) return (value) => value === rule;
  const [[name = '', operand] = [], ...more] = Object.entries(isObject(rule) ? rule : {});
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (!operator || more.length > 0) {
    const names = Object.keys(operators).join(', ');
    throw new PatternError(`${place} must be a text, a number, true, false, null, or { one of ${names}: … }`);
  }
  return operator(operand, `${place}.${name}`);
}

/** The members of a list, those of lists in it too; any other value alone. */
function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) && value.length > 0 ? (value.flat(Number.POSITIVE_INFINITY) as unknown[]) : [value];
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
