import type { FrameworkError } from '@sallyport/core';
import { invalidConfiguration } from '@sallyport/core/options';

export interface RequiredRule {
  readonly rule: 'required';
}
export interface MinRule {
  readonly rule: 'min';
  readonly value: number;
}
export interface MaxRule {
  readonly rule: 'max';
  readonly value: number;
}
export interface MinLengthRule {
  readonly rule: 'minLength';
  readonly value: number;
}
export interface MaxLengthRule {
  readonly rule: 'maxLength';
  readonly value: number;
}
export interface PatternRule {
  readonly rule: 'pattern';
  /** Source of a regular expression with the `u` flag. */
  readonly value: string;
}
export interface OneOfRule {
  readonly rule: 'oneOf';
  readonly value: readonly (string | number)[];
}

/** A rule for a field. It is plain data, so that an OpenAPI document can be generated from it. */
export type Rule = RequiredRule | MinRule | MaxRule | MinLengthRule | MaxLengthRule | PatternRule | OneOfRule;

/** The field must be present, as in JSON Schema. An empty string or list is present; `minLength(1)` rejects it. */
export function required(): RequiredRule {
  return Object.freeze({ rule: 'required' });
}

/** The smallest allowed number, or duration in milliseconds. */
export function min(value: number): MinRule {
  return Object.freeze({ rule: 'min', value: finite('min', value) });
}

/** The greatest allowed number, or duration in milliseconds. */
export function max(value: number): MaxRule {
  return Object.freeze({ rule: 'max', value: finite('max', value) });
}

/** The least number of characters of a string or entries of a list; 1 rejects an empty value. */
export function minLength(value: number): MinLengthRule {
  return Object.freeze({ rule: 'minLength', value: count('minLength', value) });
}

/** The greatest number of characters of a string or entries of a list. */
export function maxLength(value: number): MaxLengthRule {
  return Object.freeze({ rule: 'maxLength', value: count('maxLength', value) });
}

/** The value must contain a match; use anchors to match all of it. A regular expression may only have the flag `u`. */
export function pattern(expression: string | RegExp): PatternRule {
  const value = expression instanceof RegExp ? expression.source : expression;
  const flags = expression instanceof RegExp ? expression.flags.replace('u', '') : '';
  if (flags !== '' || typeof value !== 'string' || !compiles(value))
    throw badRule('pattern', 'a regular expression without flags');
  return Object.freeze({ rule: 'pattern', value });
}

/** The value must be one of these. */
export function oneOf(...values: readonly (string | number)[]): OneOfRule {
  const scalar = (value: unknown) => typeof value === 'string' || Number.isFinite(value);
  if (values.length === 0 || !values.every(scalar)) throw badRule('oneOf', 'given strings or numbers');
  return Object.freeze({ rule: 'oneOf', value: Object.freeze([...values]) });
}

const NAMES: readonly Rule['rule'][] = ['required', 'min', 'max', 'minLength', 'maxLength', 'pattern', 'oneOf'];
const ruleNameOf = (rule: unknown) => String((rule as { rule?: unknown } | null | undefined)?.rule);

/** Checks a rule that was written as data, with the checks of the rule's function. */
export function parseRule(rule: Rule): Rule {
  switch (rule?.rule) {
    case 'required':
      return required();
    case 'min':
      return min(rule.value);
    case 'max':
      return max(rule.value);
    case 'minLength':
      return minLength(rule.value);
    case 'maxLength':
      return maxLength(rule.value);
    case 'pattern':
      return pattern(rule.value);
    case 'oneOf':
      return oneOf(...(Array.isArray(rule.value) ? rule.value : []));
    default:
      throw invalidConfiguration(`unknown rule "${ruleNameOf(rule)}"; known are ${NAMES.join(', ')}`);
  }
}

/** The error for a rule with an invalid value. */
export function badRule(rule: string, wanted: string): FrameworkError {
  return invalidConfiguration(`rule "${rule}" must be ${wanted}`);
}

function finite(rule: string, value: number): number {
  if (!Number.isFinite(value)) throw badRule(rule, 'a number');
  return value;
}

function count(rule: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw badRule(rule, 'a whole number, 0 or more');
  return value;
}

function compiles(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== '';
  } catch {
    return false;
  }
}
