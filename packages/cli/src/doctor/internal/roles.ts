import { membersOf } from '@sallyport/core/internal';
import { type Resource, referencesOf, type Template } from '../../internal/template.js';
import { addedConditions, type ConditionChange, lostConditions } from './condition-changes.js';
import type { Finding } from './finding.js';
import type { Live } from './live.js';
import { overlaps, type PhysicalOf, textOf } from './patterns.js';
import { missingActions, type Statement, statementsOf } from './statements.js';

/**
 * Findings about a role: actions of the policies in the template that the policies in IAM do not allow, or only with other conditions, and policies
 * that are not attached.
 */
export async function ofRole(
  { id, properties }: Resource,
  name: string,
  { live, template, physicalOf }: { readonly live: Live; readonly template: Template; readonly physicalOf: PhysicalOf },
): Promise<readonly Finding[]> {
  const policies = template.resources.filter(
    ({ type, properties: { Roles } }) => POLICIES.includes(type) && referencesOf(Roles).has(id),
  );
  const wanted = [properties.Policies, policies.map((policy) => policy.properties)].flatMap((list) =>
    (Array.isArray(list) ? list : []).flatMap((policy) => statementsOf(membersOf(policy).PolicyDocument, physicalOf)),
  );
  const role = await live.role(name);
  const attachments = [
    ...(Array.isArray(properties.ManagedPolicyArns) ? properties.ManagedPolicyArns : []),
    ...policies.filter(({ type }) => type === MANAGED).map((policy) => ({ Ref: policy.id })),
  ].map((arn) => textOf(arn, physicalOf));
  const findings = attachments
    .filter((arn) => !role.attached.some((one) => overlaps(one, arn)))
    .map(
      (arn): Finding => ({
        rule: 'missing-permission',
        resource: id,
        problem: `the policy ${arn} is not attached to ${name}`,
        remedy: attach(name, arn),
      }),
    );
  const inline = role.inline.flatMap((document) => statementsOf(document, physicalOf));
  let changes = missingIn(wanted, inline);
  // Most roles have their permissions in inline policies, so that attached policies are not read.
  if (changes.length > 0) {
    const documents: Statement[] = [];
    for (const arn of role.attached) documents.push(...statementsOf(await role.document(arn), physicalOf));
    changes = missingIn(wanted, [...inline, ...documents]);
  }
  // An attached policy of AWS is wider than a template needs, so only the statements of the role itself are compared.
  const wider = wanted.flatMap((statement) => lostConditions(statement, wanted, inline));
  return [
    ...findings,
    ...[...changes, ...wider].map(({ rule, problem }) => ({
      rule,
      resource: id,
      problem: `${name} ${problem}`,
      remedy: put(name),
    })),
  ];
}

const MANAGED = 'AWS::IAM::ManagedPolicy';
const POLICIES: readonly string[] = ['AWS::IAM::Policy', MANAGED];

/** Actions that a role does not allow, or only with conditions that its template does not have. */
function missingIn(wanted: readonly Statement[], deployed: readonly Statement[]): readonly ConditionChange[] {
  return wanted.flatMap((statement) => {
    const actions = missingActions(statement, deployed);
    const missing: readonly ConditionChange[] =
      actions.length === 0
        ? []
        : [{ rule: 'missing-permission', problem: `does not allow ${actions.join(', ')} on ${statement.label}` }];
    const present = { ...statement, actions: statement.actions.filter((action) => !actions.includes(action)) };
    return [...missing, ...addedConditions(present, wanted, deployed)];
  });
}

/** A deployment does not repair a role whose part of the template is unchanged. */
function put(name: string): string {
  return `aws iam put-role-policy --role-name ${name}, with the policy of the template`;
}

function attach(name: string, arn: string): string {
  return `aws iam attach-role-policy --role-name ${name} --policy-arn ${arn}`;
}
