import type * as EventBridge from '@aws-sdk/client-eventbridge';
import type { AwsAccess } from '../../internal/aws-access.js';

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

/** The name of a rule from its physical id. */
export function toRuleName(physical: string): RuleName {
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
