import { type Condition, without } from './conditions.js';
import type { Finding } from './finding.js';
import { concerns, hasAction, type Statement } from './statements.js';

/** A difference in the conditions of a permission; `problem` is the end of the sentence `<role> …`. */
export type ConditionChange = Pick<Finding, 'rule' | 'problem'>;

/** Conditions that a role has and its template does not: calls that do not meet them are denied. */
export function addedConditions(
  wanted: Statement,
  template: readonly Statement[],
  deployed: readonly Statement[],
): readonly ConditionChange[] {
  const limited = grouped(wanted, (action) => {
    const allowing = deployed.filter((one) => one.isAllowed && concerns(one, action, wanted.resources));
    const added = allowing.map(({ conditions }) => without(conditions, wanted.conditions));
    return added.every((one) => one.length > 0) ? added[0] : undefined;
  });
  const denied = grouped(wanted, (action) => {
    const isStated = ({ conditions }: Statement) =>
      template.some(
        (own) => !own.isAllowed && hasAction(own, action) && without(conditions, own.conditions).length === 0,
      );
    const denying = deployed.filter((one) => !one.isAllowed && concerns(one, action, wanted.resources));
    return denying.find((one) => one.conditions.length > 0 && !isStated(one))?.conditions;
  });
  return [
    ...limited.map(([what, text]) => change('missing-permission', `allows ${what} only with ${text}`)),
    ...denied.map(([what, text]) => change('missing-permission', `denies ${what} with ${text}`)),
  ];
}

/** Conditions of the template that a statement of the role lacks: the role allows more than its template. */
export function lostConditions(
  wanted: Statement,
  template: readonly Statement[],
  deployed: readonly Statement[],
): readonly ConditionChange[] {
  const lost = grouped(wanted, (action) => {
    const allowing = (one: Statement) => one.isAllowed && concerns(one, action, wanted.resources);
    const isStated = ({ conditions }: Statement) =>
      template.some((own) => allowing(own) && without(own.conditions, conditions).length === 0);
    const wider = deployed.find((one) => allowing(one) && !isStated(one));
    return wider && without(wanted.conditions, wider.conditions);
  });
  return lost.map(([what, text]) => change('drift', `allows ${what} without ${text}`));
}

const change = (rule: Finding['rule'], problem: string): ConditionChange => ({ rule, problem });

/** The actions of a statement with the same conditions, and these conditions as a string. */
function grouped(
  { isAllowed, isExcluding, actions, label }: Statement,
  conditionsOfAction: (action: string) => readonly Condition[] | undefined,
): readonly (readonly [what: string, conditions: string])[] {
  const groups = new Map<string, string[]>();
  for (const action of isAllowed && !isExcluding ? actions : []) {
    const conditions = conditionsOfAction(action) ?? [];
    if (conditions.length === 0) continue;
    const text = conditions
      .map(({ operator, key, values }) => `${operator} ${key} ${values.join(' or ')}`)
      .join(' and ');
    groups.set(text, [...(groups.get(text) ?? []), action]);
  }
  return [...groups].map(([text, names]) => [`${names.join(', ')} on ${label}`, `the condition ${text}`]);
}
