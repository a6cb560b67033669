import { isObject, stringOf } from '@sallyport/core/internal';
import type { Resource, Template } from '../../internal/template.js';
import type { Finding } from './finding.js';
import type { Live } from './live.js';
import { type LiveRule, toRuleName } from './rule-reader.js';

const DEPLOY = 'deploy the stack again';

/** Findings about a rule: it is disabled, a target is missing, or a function does not allow EventBridge to invoke it. */
export async function ofRule(
  { id, properties }: Resource,
  physical: string,
  { live, template }: { readonly live: Live; readonly template: Template },
): Promise<readonly Finding[]> {
  const { state, targets } = await live.rule(physical);
  const findings: Finding[] = [];
  if (state === 'DISABLED' && properties.State !== 'DISABLED') {
    const { Name, EventBusName } = toRuleName(physical);
    const bus = EventBusName === undefined ? '' : ` --event-bus-name ${EventBusName}`;
    const remedy = `aws events enable-rule --name ${Name}${bus}`;
    findings.push({ rule: 'disabled-rule', resource: id, problem: 'it is disabled: it delivers no events', remedy });
  }
  const wanted: readonly unknown[] = Array.isArray(properties.Targets) ? properties.Targets : [];
  for (const target of wanted.filter(isObject)) {
    const targetId = stringOf(target.Id);
    if (targets.some((one) => one.id === targetId)) continue;
    const problem = `the target ${targetId} is missing: its events are not delivered`;
    findings.push({ rule: 'missing-target', resource: id, problem, remedy: DEPLOY });
  }
  // A permission in the template has its own check.
  const hasPermission = template.resources.some(
    ({ type, refersTo }) => type === 'AWS::Lambda::Permission' && refersTo.has(id),
  );
  return hasPermission ? findings : [...findings, ...(await ofTargets(id, targets, live))];
}

/** EventBridge needs a statement in the policy of a function: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html */
async function ofTargets(id: string, targets: LiveRule['targets'], live: Live): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { arn } of targets) {
    if (!/^arn:[^:]+:lambda:/.test(arn)) continue;
    const statements = await live.permissions(arn);
    if (statements.some(({ service }) => service === 'events.amazonaws.com')) continue;
    const problem = `events.amazonaws.com may not invoke ${arn}`;
    findings.push({
      rule: 'missing-permission',
      resource: id,
      problem,
      remedy: `aws lambda add-permission, or ${DEPLOY}`,
    });
  }
  return findings;
}
