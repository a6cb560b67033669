import { isObject, isScalar } from '@sallyport/core/internal';
import { usageError } from '../../errors.js';

/** A parsed pattern: returns true if a value matches. `undefined` is a missing member. */
export type Matcher = (value: unknown) => boolean;

/** A JSON value that is not an object or a list. */
export type Scalar = string | number | boolean | null;

/** One rule for a value; `undefined` is a missing member. */
export type Rule = (value: Scalar | undefined) => boolean;

/**
 * Parses the operand of a comparison operator.
 *
 * @throws PatternError for an operand that the service rejects
 */
export type Operator = (operand: unknown, place: string) => Rule;

/** The pattern syntax that one service accepts. */
export interface PatternLanguage {
  /** The comparison operators by name. */
  readonly operators: Readonly<Record<string, Operator>>;
  /** True if the value of `$or` is a list of alternatives; otherwise `$or` is an ordinary name. */
  readonly isAlternatives: (value: unknown) => boolean;
}

/** An error in a pattern; the message names the place in the pattern. */
export class PatternError extends Error {}

/**
 * Parses the patterns of a source.
 *
 * @param source the place of the patterns: `queues.orders`
 * @throws FrameworkError `local.usage` with the message of a {@link PatternError}
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
 * Parses a pattern: an object, nested as the value is, whose members are lists of rules or `$or`. All members must match; one rule of a
 * list is enough. If the value is a list of objects, one object must match all members of the pattern.
 *
 * @throws PatternError for a pattern that the service rejects
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
 * Parses a list of rules. If the value is a list, one matching element is enough. Rules compare single values: an object is treated as
 * missing.
 *
 * @throws PatternError for a rule that the service rejects
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
    throw new PatternError(`${place} must be a string, a number, true, false, null, or { one of ${names}: … }`);
  }
  return operator(operand, `${place}.${name}`);
}

/** The elements of a list, including nested lists; any other value as a list with one element. */
function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) && value.length > 0 ? (value.flat(Number.POSITIVE_INFINITY) as unknown[]) : [value];
}
