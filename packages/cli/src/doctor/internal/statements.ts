import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { referencesOf } from '../../internal/template.js';
import { type Condition, conditionsOf } from './conditions.js';
import { covers, overlaps, type PhysicalOf, policyValues, textOf } from './patterns.js';

/** A statement of a policy of IAM. Names of the template are patterns: `*` is a part that is known only in AWS. */
export interface Statement {
  readonly isAllowed: boolean;
  /** The actions, or with `isExcluding` all others. */
  readonly actions: readonly string[];
  readonly isExcluding: boolean;
  /** The resources; `*` for `NotResource`. */
  readonly resources: readonly string[];
  readonly conditions: readonly Condition[];
  /** The resources for a message. */
  readonly label: string;
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html */
export function statementsOf(document: unknown, physicalOf: PhysicalOf): readonly Statement[] {
  return policyValues(membersOf(document).Statement)
    .filter(isObject)
    .map((statement) => toStatement(statement, physicalOf));
}

function toStatement({ Effect, Action, NotAction, Resource, Condition }: Members, physicalOf: PhysicalOf): Statement {
  const resources = Resource === undefined ? ['*'] : policyValues(Resource).map((one) => textOf(one, physicalOf));
  const ids = [...referencesOf(Resource)];
  return {
    isAllowed: Effect === 'Allow',
    actions: policyValues(NotAction ?? Action)
      .map(stringOf)
      .filter((action) => action !== ''),
    isExcluding: NotAction !== undefined,
    resources,
    conditions: conditionsOf(Condition, physicalOf),
    label: (ids.length > 0 ? ids : resources).join(', '),
  };
}

/**
 * The actions of a statement that no deployed statement allows on one of its resources, or that a deployed statement denies on all of them. Conditions
 * are compared separately.
 */
export function missingActions(wanted: Statement, deployed: readonly Statement[]): readonly string[] {
  if (!wanted.isAllowed || wanted.isExcluding) return [];
  return wanted.actions.filter((action) =>
    wanted.resources.some((resource) => {
      const fitting = deployed.filter((one) => concerns(one, action, [resource]));
      const isDenied = fitting.some(
        ({ isAllowed, conditions, resources }) =>
          !isAllowed && conditions.length === 0 && resources.some((own) => own === '*' || own === resource),
      );
      return isDenied || !fitting.some(({ isAllowed }) => isAllowed);
    }),
  );
}

/** True if a statement has an action, and one of the resources. */
export function concerns(statement: Statement, action: string, resources: readonly string[]): boolean {
  return (
    hasAction(statement, action) &&
    resources.some((resource) => statement.resources.some((own) => overlaps(own, resource)))
  );
}

/** Actions are not case-sensitive: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html */
export function hasAction({ actions, isExcluding }: Statement, action: string): boolean {
  const isNamed = actions.some((own) => covers(own.toLowerCase(), action.toLowerCase()));
  return isNamed !== isExcluding;
}
