import { membersOf } from '@sallyport/core/internal';
import { overlaps, type PhysicalOf, policyValues, textOf } from './patterns.js';

/** One condition of a statement. Its values are patterns, as the names of a template. */
export interface Condition {
  /** `StringEquals`. */
  readonly operator: string;
  /** `aws:SourceAccount`. */
  readonly key: string;
  readonly values: readonly string[];
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition.html */
export function conditionsOf(condition: unknown, physicalOf: PhysicalOf): readonly Condition[] {
  return Object.entries(membersOf(condition)).flatMap(([operator, keys]) =>
    Object.entries(membersOf(keys)).map(([key, values]) => ({
      operator,
      key,
      values: policyValues(values).map((value) =>
        typeof value === 'object' ? textOf(value, physicalOf) : String(value),
      ),
    })),
  );
}

/** The conditions that are not among others. */
export function without(conditions: readonly Condition[], others: readonly Condition[]): readonly Condition[] {
  return conditions.filter((one) => !others.some((other) => isEqual(one, other)));
}

/** Operators and keys are not case-sensitive; the order of values has no meaning. */
function isEqual(a: Condition, b: Condition): boolean {
  const named = ({ operator, key }: Condition) => `${operator} ${key}`.toLowerCase();
  const isIn = (values: readonly string[], value: string) => values.some((other) => overlaps(value, other));
  return (
    named(a) === named(b) &&
    a.values.length === b.values.length &&
    a.values.every((value) => isIn(b.values, value)) &&
    b.values.every((value) => isIn(a.values, value))
  );
}
