import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnPermission, IFunction } from 'aws-cdk-lib/aws-lambda';
import { type IReceiptRuleAction, type IReceiptRuleSet, ReceiptRule, TlsPolicy } from 'aws-cdk-lib/aws-ses';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, many, thing } from '../internal/props.js';
import { claimSource, invokedBy, timeoutOf } from '../internal/targets.js';

/** Props of the mapping between a receipt rule and its function. */
export interface SesMappingProps {
  /** The rule set. Only the active rule set of an account receives mail. */
  readonly ruleSet: IReceiptRuleSet;
  /**
   * The addresses and domains of the rule, at most 500.
   *
   * @default - all verified domains
   */
  readonly recipients?: readonly string[];
  /**
   * Actions before the function, such as an S3 action that stores the mail: the event does not contain the body.
   *
   * @default - none
   */
  readonly before?: readonly IReceiptRuleAction[];
  /**
   * True if SES waits for the result of the handler, which determines further actions, at most 30 s.
   *
   * @default false
   */
  readonly waits?: boolean;
  /**
   * The queue for events for which the function failed three times. Not with `waits`.
   *
   * @default - a queue of the function, kept for 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link SesTrigger}. */
export interface SesTriggerProps extends SesMappingProps {
  /** The function. */
  readonly fn: IFunction;
}

/** Validators and defaults for {@link SesTriggerProps}. */
export const SES_TRIGGER_PROPS = defineProps<SesTriggerProps>('SesTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  ruleSet: thing<IReceiptRuleSet>('a receipt rule set', 'receiptRuleSetName').required(),
  recipients: many<string>(
    'a list of addresses and domains',
    (one) => typeof one === 'string' && /^\S{1,320}$/.test(one),
  ),
  before: many<IReceiptRuleAction>(
    'a list of actions',
    (one) => typeof one === 'object' && one !== null && 'bind' in one,
  ).default([]),
  waits: flag.default(false),
  failureQueue: thing<IQueue>('a queue', 'queueArn'),
  ownAlias: flag.default(false),
});

const WAIT_SECONDS = 30;
const MAX_RECIPIENTS = 500;
const MAX_ACTIONS = 10;

/**
 * A receipt rule of SES that invokes a function for received mail, for `sesTrigger()` of `@sallyport/triggers`. The rule requires TLS and scans for spam and
 * viruses. Only the rules of this rule set may invoke the function.
 *
 * @see https://docs.aws.amazon.com/ses/latest/dg/receiving-email-action-lambda.html
 * @see https://docs.aws.amazon.com/ses/latest/dg/quotas.html
 * @example new SesTrigger(this, 'Support', { fn, ruleSet, recipients: ['support@example.com'], before: [new S3({ bucket })] });
 */
export class SesTrigger extends Construct {
  /** The rule. */
  readonly rule: ReceiptRule;
  /** The queue for failed events; `undefined` with `waits`, or if the function has a destination that was set without this package. */
  readonly failureQueue: IQueue | undefined;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, too many recipients or actions, a timeout above 30 s with `waits`;
   *   `constructs.conflict` for a `failureQueue` if the function already has a destination
   */
  constructor(scope: Construct, id: string, props: SesTriggerProps) {
    super(scope, id);
    const {
      fn,
      ruleSet,
      recipients = [],
      before,
      waits,
      failureQueue,
      ownAlias,
    } = SES_TRIGGER_PROPS.parse(this, props);
    this.#check(recipients, before, fn, waits, failureQueue);
    claimSource(this, fn, this.node.path, 'receipt rule');
    const target = invokedBy(this, fn, ownAlias);
    const stack = Stack.of(this);
    target.addPermission(`Invoke-${this.node.addr}`, {
      scope: this,
      principal: new ServicePrincipal('ses.amazonaws.com'),
      sourceAccount: stack.account,
      // The name of the rule is generated.
      sourceArn: `arn:${stack.partition}:ses:${stack.region}:${stack.account}:receipt-rule-set/${ruleSet.receiptRuleSetName}:receipt-rule/*`,
    });
    const action: IReceiptRuleAction = {
      bind: () => ({
        lambdaAction: { functionArn: target.functionArn, invocationType: waits ? 'RequestResponse' : 'Event' },
      }),
    };
    this.rule = new ReceiptRule(this, 'Resource', {
      ruleSet,
      recipients: [...recipients],
      scanEnabled: true,
      tlsPolicy: TlsPolicy.REQUIRE,
      actions: [...before, action],
    });
    // SES tests the permission when the rule is created.
    const permission = this.node.children.find(({ node }) => node.id.startsWith('Invoke-')) as
      | CfnPermission
      | undefined;
    if (permission) this.rule.node.addDependency(permission);
    if (!waits) this.failureQueue = keepAsyncFailures(this, target, failureQueue);
  }

  #check(
    recipients: readonly string[],
    before: readonly IReceiptRuleAction[],
    fn: IFunction,
    waits: boolean,
    failureQueue: IQueue | undefined,
  ): void {
    if (recipients.length > MAX_RECIPIENTS)
      throw misuse(this, { what: 'recipients', got: recipients, expected: `at most ${MAX_RECIPIENTS}` });
    if (before.length >= MAX_ACTIONS)
      throw misuse(this, { what: 'before', got: before, expected: `at most ${MAX_ACTIONS - 1} actions` });
    if (!waits) return;
    if (failureQueue)
      throw misuse(this, { what: 'failureQueue with waits', expected: 'none: SES receives the failure' });
    const seconds = timeoutOf(fn)?.toSeconds();
    if (seconds === undefined || seconds <= WAIT_SECONDS) return;
    const expected = `at most ${WAIT_SECONDS} s: SES waits no longer`;
    throw misuse(this, { what: `timeout of ${fn.node.path}`, got: seconds, expected });
  }
}
