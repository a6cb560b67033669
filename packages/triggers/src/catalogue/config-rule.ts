import { defineOptions, object, string } from '@sallyport/core/options';
import type { SenderOptions } from '../internal/sender.js';
import { CONFIG_RULE_TRIGGER, configRules } from '../kinds/config-rule.js';
import { describeTrigger } from './entry.js';
import { ACCEPTING } from './internal/build.js';

/** Options of {@link buildConfigEvent}. */
export interface ConfigEventOptions {
  /** The changed resource, or `null` for a schedule. Default: an instance. */
  readonly item?: Readonly<Record<string, unknown>> | null;
  /** Parameters of the rule. Default: none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The token for the result. Default `token-1`. */
  readonly resultToken?: string;
}

const CONFIG_EVENT = /* @__PURE__ */ defineOptions<Omit<ConfigEventOptions, 'item'>>()({
  parameters: object<Readonly<Record<string, unknown>>>(),
  resultToken: string.default('token-1'),
});

/** An evaluation by AWS Config, in the form of its documentation. */
export interface ConfigEvent {
  /** JSON of the change or of the schedule. */
  readonly invokingEvent: string;
  /** JSON of the parameters of the rule. */
  readonly ruleParameters: string;
  /** The token for the result. */
  readonly resultToken: string;
  /** True if the resource has left the scope of the rule. */
  readonly eventLeftScope: boolean;
  /** The role of the recorder. */
  readonly executionRoleArn: string;
  /** The rule. */
  readonly configRuleArn: string;
  /** Its name. */
  readonly configRuleName: string;
  /** Its id. */
  readonly configRuleId: string;
  /** Its account. */
  readonly accountId: string;
  /** `1.0`. */
  readonly version: string;
}

const INSTANCE = {
  configurationItemCaptureTime: '1970-01-01T00:00:00.000Z',
  configurationItemStatus: 'OK',
  resourceType: 'AWS::EC2::Instance',
  resourceId: 'i-1',
  configuration: {},
};

/**
 * Builds the event of a custom Lambda rule of Config.
 *
 * @see https://docs.aws.amazon.com/config/latest/developerguide/evaluate-config_develop-rules_example-events.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildConfigEvent('encrypted', { item: null });
 */
export function buildConfigEvent(rule: string, { item = INSTANCE, ...options }: ConfigEventOptions = {}): ConfigEvent {
  const { parameters = {}, resultToken } = CONFIG_EVENT.parse(options);
  const time = '1970-01-01T00:00:00.000Z';
  const notice =
    item === null
      ? { awsAccountId: '123456789012', notificationCreationTime: time, messageType: 'ScheduledNotification' }
      : { configurationItem: item, messageType: 'ConfigurationItemChangeNotification' };
  return {
    invokingEvent: JSON.stringify({ ...notice, recordVersion: '1.0' }),
    ruleParameters: JSON.stringify(parameters),
    resultToken,
    eventLeftScope: false,
    executionRoleArn: 'arn:aws:iam::123456789012:role/config',
    configRuleArn: `arn:aws:config:us-east-1:123456789012:config-rule/config-rule-1`,
    configRuleName: rule,
    configRuleId: 'config-rule-1',
    accountId: '123456789012',
    version: '1.0',
  };
}

const RULE = 'arn:aws:config:us-east-1:123456789012:config-rule/config-rule-1';

/** Config rules in the catalogue. @internal */
export const CONFIG_RULE = /* @__PURE__ */ describeTrigger(CONFIG_RULE_TRIGGER, {
  sample: {
    build: buildConfigEvent,
    events: [[buildConfigEvent('encrypted'), `${RULE}|AWS::EC2::Instance/i-1/1970-01-01T00:00:00.000Z`]],
    names: ['encrypted'],
    result: 'COMPLIANT',
    sends: true,
    register: (handlers, options: SenderOptions = { client: ACCEPTING }) =>
      handlers.reduce((rules, one) => rules.rule(...one), configRules(options)),
  },
  docs: {
    section: 'Config rules',
    rows: [
      [
        '`configRules({ client, timeoutMs })` with `rule(name, handler)`; `ConfigRules`, `ConfigRuleHandler`, `ConfigCheck`, `ConfigEvaluation`, `ConfigCompliance`',
        'custom Lambda rules of Config',
      ],
      ['`SenderOptions`, `AwsSender`', 'the client that reports the result to a service'],
    ],
  },
  construct: null,
  simulate: 'asynchronous',
  aws: {
    author: 'AWS Config; an application configured the resource',
    failure: 'Lambda retries twice; without `PutEvaluations` the compliance is unchanged',
    limit: '100 evaluations a call',
    attached: 'the rule',
  },
  hint: ['event-bus', 'a Config rule', 'invokingEvent'],
  sizes: { factory: 'configRules', gzipBytes: 13_100 },
});
