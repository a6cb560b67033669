import { membersOf } from '@sallyport/core/internal';
import { type Resource, referencesOf, type Template } from '../../internal/template.js';
import type { Finding } from './finding.js';
import type { Live } from './live.js';
import { missingActions, overlaps, type PhysicalOf, type Statement, statementsOf, textOf } from './statements.js';

/** Findings about a role: actions of the policies in the template that the policies in IAM do not allow, and policies that are not attached. */
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
    .map((arn) => toFinding(id, `the policy ${arn} is not attached to ${name}`, attach(name, arn)));
  let deployed = role.inline.flatMap((document) => statementsOf(document, physicalOf));
  let lost = lostOf(wanted, deployed);
  // Most roles have their permissions in inline policies, so that attached policies are not read.
  if (lost.length > 0) {
    for (const arn of role.attached) deployed = [...deployed, ...statementsOf(await role.document(arn), physicalOf)];
    lost = lostOf(wanted, deployed);
  }
  return [...findings, ...lost.map((problem) => toFinding(id, `${name} does not allow ${problem}`, put(name)))];
}

const MANAGED = 'AWS::IAM::ManagedPolicy';
const POLICIES: readonly string[] = ['AWS::IAM::Policy', MANAGED];

function lostOf(wanted: readonly Statement[], deployed: readonly Statement[]): readonly string[] {
  return wanted.flatMap((statement) => {
    const actions = missingActions(statement, deployed);
    return actions.length === 0 ? [] : [`${actions.join(', ')} on ${statement.label}`];
  });
}

function toFinding(resource: string, problem: string, remedy: string): Finding {
  return { rule: 'missing-permission', resource, problem, remedy };
}

/** A deployment does not repair a role whose part of the template is unchanged. */
function put(name: string): string {
  return `aws iam put-role-policy --role-name ${name}, with the policy of the template`;
}

function attach(name: string, arn: string): string {
  return `aws iam attach-role-policy --role-name ${name} --policy-arn ${arn}`;
}
