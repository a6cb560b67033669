import type * as EventBridge from '@aws-sdk/client-eventbridge';
import { isObject, stringOf } from '@sallyport/core/internal';
import type { AwsAccess } from '../../internal/aws-access.js';
import type { Resource, Template } from '../../internal/template.js';
import type { Finding } from './checks.js';
import type { Live } from './live.js';

/** The live state of a rule of EventBridge. */
export interface LiveRule {
  /** `ENABLED`, `DISABLED`, or `ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS`. */
  readonly state: string;
  readonly targets: readonly { readonly id: string; readonly arn: string }[];
}

/** The name and the bus of a rule: the physical id of a rule on another bus than `default` is `bus|name`. */
interface RuleName {
  readonly Name: string;
  readonly EventBusName?: string;
}

function toRuleName(physical: string): RuleName {
  const [bus = '', ...rest] = physical.split('|');
  return rest.length === 0 ? { Name: physical } : { Name: rest.join('|'), EventBusName: bus };
}

/**
 * Reads rules. The client is loaded with the first rule, because a stack without rules does not need it.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DescribeRule.html
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_ListTargetsByRule.html
 */
export function createRuleReader(access: AwsAccess): (physical: string) => Promise<LiveRule> {
  return async (physical) => {
    const events = await access.load<typeof EventBridge>('@aws-sdk/client-eventbridge');
    const client = new events.EventBridgeClient(access.settings);
    const { Name, EventBusName } = toRuleName(physical);
    const bus = EventBusName === undefined ? {} : { EventBusName };
    const describe = new events.DescribeRuleCommand({ Name, ...bus });
    const { State = '' } = await access.call(`events:DescribeRule ${Name}`, (options) =>
      client.send(describe, options),
    );
    const targets: { readonly id: string; readonly arn: string }[] = [];
    let NextToken: string | undefined;
    do {
      const list = new events.ListTargetsByRuleCommand({ Rule: Name, ...bus, ...(NextToken && { NextToken }) });
      const page = await access.call(`events:ListTargetsByRule ${Name}`, (options) => client.send(list, options));
      for (const { Id = '', Arn = '' } of page.Targets ?? []) targets.push({ id: Id, arn: Arn });
      NextToken = page.NextToken;
    } while (NextToken);
    return { state: State, targets };
  };
}

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
