import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { fromJson, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { attempt, type Delivered, type EventContext, mask } from '@sallyport/streams/delivery';
import { invalidAnswer, invalidEvent } from '../errors.js';
import { toJson } from '../internal/answer.js';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { loadClient, Reporter, SENDER_MARGIN_MS, type SenderOptions } from '../internal/sender.js';
import { defineTrigger } from '../internal/surface.js';

/** An evaluation by AWS Config: https://docs.aws.amazon.com/config/latest/developerguide/evaluate-config_develop-rules_example-events.html. */
export interface ConfigCheck {
  /** `ConfigurationItemChangeNotification`, `OversizedConfigurationItemChangeNotification` or `ScheduledNotification`. */
  readonly messageType: string;
  /** The name of the rule. */
  readonly rule: string;
  /** The account of the rule. */
  readonly accountId: string;
  /** The configuration item, or the summary of an oversized item; `null` for a schedule. */
  readonly item: Readonly<Record<string, unknown>> | null;
  /** True if the resource has left the scope of the rule. */
  readonly leftScope: boolean;
  /** The parameters of the rule. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The compliance of a resource. */
export type ConfigCompliance = 'COMPLIANT' | 'NON_COMPLIANT' | 'NOT_APPLICABLE' | 'INSUFFICIENT_DATA';

/** The evaluation of one resource: https://docs.aws.amazon.com/config/latest/APIReference/API_Evaluation.html. */
export interface ConfigEvaluation {
  /** The type of the resource: `AWS::EC2::Instance`. */
  readonly resourceType: string;
  /** The id of the resource. */
  readonly resourceId: string;
  /** Its compliance. */
  readonly compliance: ConfigCompliance;
  /** A note, 1 to 256 characters. Default: none. */
  readonly annotation?: string;
  /** The time of the evaluation. Default: the time of the configuration item, else the current time. */
  readonly orderingTimestamp?: Date;
}

/** Evaluates a change, or all resources of a schedule. A compliance alone applies to the configuration item. A throw fails the invocation. */
export type ConfigRuleHandler = (
  ctx: EventContext,
  check: ConfigCheck,
) => MaybePromise<ConfigCompliance | ConfigEvaluation | readonly ConfigEvaluation[]>;

/** Row, natural key and answer of Config rules. @internal */
export const CONFIG_RULE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'config-rule',
  anyOf: [
    [
      { path: 'invokingEvent', test: 'text' },
      { path: 'resultToken', test: 'text' },
      { path: 'configRuleArn', test: 'text' },
      { path: 'configRuleName', test: 'text' },
    ],
  ],
  sample: { invokingEvent: '{}', resultToken: 't', configRuleArn: 'a', configRuleName: 'n' },
  key: ({ source, id }: Delivered) => keyOf(source.arn, id),
  answer: 'PutEvaluations, then null',
  marginMs: SENDER_MARGIN_MS,
});

const loadSdk = /* @__PURE__ */ loadClient(
  '@aws-sdk/client-config-service',
  () => import('@aws-sdk/client-config-service'),
);

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** Evaluations of one call: https://docs.aws.amazon.com/config/latest/APIReference/API_PutEvaluations.html. */
const MAX_EVALUATIONS = 100;
const COMPLIANCES: readonly unknown[] = ['COMPLIANT', 'NON_COMPLIANT', 'NOT_APPLICABLE', 'INSUFFICIENT_DATA'];

/** Handlers of custom Lambda rules of Config. */
export class ConfigRules extends NamedTrigger {
  readonly #reporter: Reporter<Sdk>;

  constructor(options: SenderOptions = {}) {
    super(CONFIG_RULE_TRIGGER, 'rule');
    this.#reporter = new Reporter(options, 'AWS Config', loadSdk, (sdk) => new sdk.ConfigServiceClient({}));
  }

  /**
   * Registers the handler of a rule.
   *
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example configRules().rule('encrypted', (ctx, { item }) => (isEncrypted(item) ? 'COMPLIANT' : 'NON_COMPLIANT'));
   */
  rule(name: string, handler: ConfigRuleHandler): this {
    return this.add(name, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { invokingEvent, ruleParameters, configRuleArn, configRuleName, eventLeftScope, ...rest } = membersOf(event);
    const notice = parsed(this.kind, 'invokingEvent', invokingEvent);
    const { configurationItem, configurationItemSummary, messageType, notificationCreationTime } = notice;
    const item = configurationItem ?? configurationItemSummary ?? null;
    const { resourceType, resourceId, configurationItemCaptureTime } = membersOf(item);
    const name = requiredText(this.kind, 'configRuleName', configRuleName);
    requiredText(this.kind, 'resultToken', rest.resultToken);
    const record: ConfigCheck = {
      messageType: requiredText(this.kind, 'invokingEvent.messageType', messageType),
      rule: name,
      accountId: stringOf(rest.accountId),
      item: item === null ? null : membersOf(item),
      leftScope: eventLeftScope === true,
      payload: stringOf(ruleParameters) === '' ? {} : parsed(this.kind, 'ruleParameters', ruleParameters),
    };
    const time = stringOf(configurationItemCaptureTime) || stringOf(notificationCreationTime);
    const id = time === '' ? '' : [stringOf(resourceType), stringOf(resourceId), time].join('/');
    return [{ ...this.handlerOf(name, name), record, id, source: sourceOf(name, configRuleArn) }];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<null> {
    const { handler, record } = item as Delivered;
    const evaluate = async (ctx: EventContext) =>
      toEvaluations(await handler(ctx, record as never), record as ConfigCheck, ctx.now());
    const outcome = await attempt(this.delivery, { ...(item as Delivered), handler: evaluate }, lambdaContext);
    if ('thrown' in outcome) throw mask(this.delivery, outcome.thrown);
    const evaluations = outcome.value as object[];
    const { resultToken: ResultToken } = membersOf(event);
    for (let first = 0; first < evaluations.length; first += MAX_EVALUATIONS) {
      const Evaluations = evaluations.slice(first, first + MAX_EVALUATIONS) as never[];
      const command = { Evaluations, ResultToken: stringOf(ResultToken) };
      await this.#reporter.send((sdk) => new sdk.PutEvaluationsCommand(command), lambdaContext);
    }
    return null;
  }
}

function parsed(kind: string, place: string, text: unknown): Members {
  const value = fromJson(requiredText(kind, place, text));
  if (membersOf(value) !== value) throw invalidEvent(kind, `${place} must be the JSON of an object`);
  return membersOf(value);
}

/** @throws FrameworkError `triggers.invalid_answer` for a result that AWS Config would not accept */
function toEvaluations(result: unknown, { item }: ConfigCheck, now: Date): object[] {
  const { resourceType, resourceId, configurationItemCaptureTime } = item ?? {};
  const single = typeof result === 'string' ? { resourceType, resourceId, compliance: result } : result;
  return [single].flat().map((one) => {
    const { resourceType: type, resourceId: id, compliance, annotation, orderingTimestamp } = membersOf(one);
    const captured = new Date(stringOf(configurationItemCaptureTime));
    const time = orderingTimestamp ?? (Number.isNaN(captured.getTime()) ? now : captured);
    const isNote = annotation === undefined || (typeof annotation === 'string' && /^[\s\S]{1,256}$/.test(annotation));
    const isValid = stringOf(type) !== '' && stringOf(id) !== '' && COMPLIANCES.includes(compliance) && isNote;
    if (!isValid || !(time instanceof Date)) {
      throw invalidAnswer('must be a compliance, or evaluations { resourceType, resourceId, compliance, annotation }');
    }
    const note = annotation === undefined ? {} : { Annotation: toJson('annotation', annotation) };
    const Evaluation = { ComplianceResourceType: type, ComplianceResourceId: id, ComplianceType: compliance };
    return { ...Evaluation, ...note, OrderingTimestamp: time };
  });
}

/**
 * Makes the surface for custom Lambda rules of Config, for changes and for schedules. The evaluations are sent with `PutEvaluations`,
 * for which the role of the function needs `config:PutEvaluations` and the application the package `@aws-sdk/client-config-service`.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong or unknown option
 * @example
 * const rules = configRules().rule('encrypted', (ctx, { item }) => (isEncrypted(item) ? 'COMPLIANT' : 'NON_COMPLIANT'));
 * const app = new SecureApp({ principalResolver, surfaces: [rules] });
 */
export function configRules(options: SenderOptions = {}): ConfigRules {
  return new ConfigRules(options);
}
