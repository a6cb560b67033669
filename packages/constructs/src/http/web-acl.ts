import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { ArnFormat, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { count, defineProps, flag, literal, many } from '../internal/props.js';

/** Props of {@link WebAcl}. */
export interface WebAclProps {
  /**
   * Rule groups that AWS manages, in the order of their evaluation.
   *
   * @default - IP reputation, common rules, known bad inputs
   * @see https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-list.html
   */
  readonly managedRules?: readonly string[];
  /**
   * Rules that only count, `AWSManagedRulesCommonRuleSet/SizeRestrictions_BODY`. By default the rule for bodies over 8 KB counts, because it would reject uploads.
   *
   * @default - AWSManagedRulesCommonRuleSet/SizeRestrictions_BODY
   */
  readonly countOnly?: readonly string[];
  /**
   * The maximum number of requests of one IP address in 5 min, 10 to 2,000,000,000.
   *
   * @default 2000
   */
  readonly rateLimit?: number;
  /**
   * Your rules, which are evaluated first. Their priorities are set.
   *
   * @default - none
   */
  readonly rules?: readonly Omit<CfnWebACL.RuleProperty, 'priority'>[];
  /**
   * True if blocked requests are logged, without the headers `authorization` and `cookie` and without the query.
   *
   * @default true
   */
  readonly log?: boolean;
  /**
   * The retention of the log.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
}

const MANAGED = [
  'AWSManagedRulesAmazonIpReputationList',
  'AWSManagedRulesCommonRuleSet',
  'AWSManagedRulesKnownBadInputsRuleSet',
];

/** Validators and defaults for {@link WebAclProps}. */
export const WEB_ACL_PROPS = defineProps<WebAclProps>('WebAcl')({
  managedRules: many<string>('a list of rule groups of AWS, AWSManagedRules…', (one) =>
    /^AWSManagedRules[A-Za-z0-9]{1,100}$/.test(String(one)),
  ).default(MANAGED),
  countOnly: many<string>('a list of group/rule', (one) =>
    /^AWSManagedRules[A-Za-z0-9]{1,100}\/[\w-]{1,128}$/.test(String(one)),
  ).default(['AWSManagedRulesCommonRuleSet/SizeRestrictions_BODY']),
  rateLimit: count(10, 2_000_000_000).default(2000),
  rules: many<Omit<CfnWebACL.RuleProperty, 'priority'>>(
    'a list of rules without priority',
    (one) => typeof one === 'object' && one !== null && 'name' in one && !('priority' in one),
  ).default([]),
  log: flag.default(true),
  logRetention: literal<RetentionDays>('a value of RetentionDays', (value) => typeof value === 'number').default(
    RetentionDays.ONE_MONTH,
  ),
});

/**
 * A regional web ACL of AWS WAF with rules that AWS manages and a limit for each IP address, for REST APIs, AppSync APIs, load balancers and user pools. AWS WAF does not support
 * HTTP APIs, WebSocket APIs and function URLs.
 *
 * @see https://docs.aws.amazon.com/waf/latest/developerguide/web-acl.html
 * @example
 * const acl = new WebAcl(this, 'Acl');
 * const api = new RestApi(this, 'Api', { fn, webAclArn: acl.arn });
 */
export class WebAcl extends Construct {
  /** The web ACL. */
  readonly resource: CfnWebACL;
  /** Its ARN, for `webAclArn` of a `RestApi`. */
  readonly arn: string;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, or an entry of `countOnly` of a group that is not in `managedRules` */
  constructor(scope: Construct, id: string, props: WebAclProps = {}) {
    super(scope, id);
    const { managedRules, countOnly, rateLimit, rules, log, logRetention } = WEB_ACL_PROPS.parse(this, props);
    const stray = props.countOnly?.find((one) => !managedRules.includes(one.split('/')[0] ?? ''));
    if (stray !== undefined) {
      throw misuse(this, { what: 'countOnly', got: stray, expected: 'rules of the groups in managedRules' });
    }
    const perAddress = {
      name: 'RateLimit',
      action: { block: { customResponse: { responseCode: 429 } } },
      statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: rateLimit } },
      visibilityConfig: visible('RateLimit'),
    };
    const all = [...rules, perAddress, ...managedRules.map((name) => managed(name, countOnly))];
    this.resource = new CfnWebACL(this, 'Resource', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(nameOf(this)),
      rules: all.map((rule, priority) => ({ ...rule, priority })),
    });
    this.arn = this.resource.attrArn;
    if (log) this.#log(logRetention);
  }

  /**
   * Protects another resource: an AppSync API, a load balancer, a user pool.
   *
   * @param id the id of the association
   */
  protect(id: string, resourceArn: string): this {
    new CfnWebACLAssociation(this, id, { webAclArn: this.arn, resourceArn });
    return this;
  }

  /** @see https://docs.aws.amazon.com/waf/latest/developerguide/logging-cw-logs.html */
  #log(retention: RetentionDays): void {
    const stack = Stack.of(this);
    const uuid = Fn.select(2, Fn.split('/', stack.stackId));
    const logGroup = new LogGroup(this, 'Log', {
      // AWS WAF accepts only names with this prefix.
      logGroupName: `aws-waf-logs-${nameOf(this)}-${Fn.select(0, Fn.split('-', uuid))}`,
      retention,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const destination = stack.formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: logGroup.logGroupName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: this.arn,
      logDestinationConfigs: [destination],
      redactedFields: [
        { singleHeader: { Name: 'authorization' } },
        { singleHeader: { Name: 'cookie' } },
        { queryString: {} },
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          { Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] },
        ],
      },
    });
  }
}

function managed(name: string, countOnly: readonly string[]): Omit<CfnWebACL.RuleProperty, 'priority'> {
  const counted = countOnly.filter((one) => one.startsWith(`${name}/`)).map((one) => one.slice(name.length + 1));
  return {
    name,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ...(counted.length > 0 && {
          ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
        }),
      },
    },
    visibilityConfig: visible(name),
  };
}

/** Samples of requests contain headers: they are off. */
function visible(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false, metricName };
}
