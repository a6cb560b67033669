import { isObject } from '@sallyport/core/internal';
import {
  anythingBut,
  cidr,
  equalsIgnoreCase,
  exists,
  numeric,
  orIgnoringCase,
  prefix,
  suffix,
  wildcard,
} from './operators.js';
import type { Operator, PatternLanguage } from './pattern.js';

/** The largest number in a rule: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#filtering-numeric-matching. */
const MAX_OF_RULES = 5e9;

/** Filters of event source mappings: https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html#filtering-syntax. */
export const MAPPING_FILTERS: PatternLanguage = {
  operators: {
    prefix,
    suffix,
    'equals-ignore-case': equalsIgnoreCase,
    'anything-but': anythingBut({ inside: { prefix, suffix }, takesLists: false, mixes: true }),
    numeric: numeric(),
    exists,
  },
  isAlternatives: () => true,
};

/**
 * Filter policies of subscriptions. Unlike patterns of rules they have no wildcards, and `anything-but` allows only the operator
 * `prefix`.
 *
 * - strings and addresses: https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
 * - numbers: https://docs.aws.amazon.com/sns/latest/dg/numeric-value-matching.html
 * - names: https://docs.aws.amazon.com/sns/latest/dg/attribute-key-matching.html
 * - `$or`: https://docs.aws.amazon.com/sns/latest/dg/and-or-logic.html#or-operator
 */
export const FILTER_POLICIES: PatternLanguage = languageOf({
  prefix,
  suffix,
  'equals-ignore-case': equalsIgnoreCase,
  'anything-but': anythingBut({ inside: { prefix }, takesLists: false, mixes: true }),
  numeric: numeric(),
  exists,
  cidr,
});

/** Event patterns of rules: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html. */
export const EVENT_PATTERNS: PatternLanguage = languageOf({
  prefix: orIgnoringCase(prefix),
  suffix: orIgnoringCase(suffix),
  'equals-ignore-case': equalsIgnoreCase,
  'anything-but': anythingBut({
    inside: { prefix, suffix, 'equals-ignore-case': equalsIgnoreCase, wildcard },
    takesLists: true,
    mixes: false,
  }),
  numeric: numeric(MAX_OF_RULES),
  exists,
  cidr,
  wildcard,
});

/**
 * The value of `$or` is a list of alternatives if it has at least two objects, and no member of them has the name of an operator:
 * https://docs.aws.amazon.com/sns/latest/dg/and-or-logic.html#or-operator for policies,
 * https://github.com/aws/event-ruler#the-or-primitive for rules.
 */
function languageOf(operators: Readonly<Record<string, Operator>>): PatternLanguage {
  const isAlternative = (value: unknown) =>
    isObject(value) && !Object.keys(value).some((name) => Object.hasOwn(operators, name));
  return {
    operators,
    isAlternatives: (value) => Array.isArray(value) && value.length >= 2 && value.every(isAlternative),
  };
}
