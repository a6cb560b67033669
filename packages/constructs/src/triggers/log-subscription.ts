import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IStream } from 'aws-cdk-lib/aws-kinesis';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  FilterPattern,
  type ILogGroup,
  type LogSubscriptionDestinationConfig,
  SubscriptionFilter,
} from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct, type IDependable } from 'constructs';
import { noteInvoker } from '../internal/invokers.js';
import { makeDeliveryRole } from '../internal/log-delivery.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, thing, words } from '../internal/props.js';
import { functionBehind, invokedBy, refuseTenantIsolation } from '../internal/targets.js';

/** Props of {@link LogSubscription}. Exactly one of `fn`, `stream` and `destinationArn` is required. */
export interface LogSubscriptionProps {
  /** The log group. */
  readonly logGroup: ILogGroup;
  /**
   * The function that gets the lines, for `logsTrigger()` of `@sallyport/triggers`.
   *
   * @default - `stream` or `destinationArn`
   */
  readonly fn?: IFunction;
  /**
   * The data stream of this account that gets the lines.
   *
   * @default - `fn` or `destinationArn`
   */
  readonly stream?: IStream;
  /**
   * The ARN of a destination of another account, {@link LogDestination}.
   *
   * @default - `fn` or `stream`
   */
  readonly destinationArn?: string;
  /**
   * The CloudWatch Logs filter pattern of the sent lines.
   *
   * @default - all lines
   */
  readonly filterPattern?: string;
}

/** Validators and defaults for {@link LogSubscriptionProps}. */
export const LOG_SUBSCRIPTION_PROPS = defineProps<LogSubscriptionProps>('LogSubscription')({
  logGroup: thing<ILogGroup>('a log group', 'logGroupArn').required(),
  fn: thing<IFunction>('a function', 'functionArn'),
  stream: thing<IStream>('a data stream', 'streamArn'),
  destinationArn: words('the ARN of a destination', /^arn:[^:]+:logs:[^:]+:\d{12}:destination:[^:*]+$/),
  filterPattern: words(),
});

type Parsed = ReturnType<typeof LOG_SUBSCRIPTION_PROPS.parse>;

/** The target of a subscription, before the subscription is created. */
interface Target extends LogSubscriptionDestinationConfig {
  readonly before: readonly IDependable[];
}

/**
 * Sends the lines of a log group to a function, to a data stream, or to a destination of another account.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/Subscriptions.html
 * @example new LogSubscription(this, 'Lines', { logGroup: service.logGroup, stream: lines.stream, filterPattern: '{ $.level = "error" }' });
 */
export class LogSubscription extends Construct {
  /** The subscription. */
  readonly subscription: SubscriptionFilter;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, unless exactly one target is set, and for the log group of the function that
   *   receives the lines
   */
  constructor(scope: Construct, id: string, props: LogSubscriptionProps) {
    super(scope, id);
    const parsed = LOG_SUBSCRIPTION_PROPS.parse(this, props);
    const { logGroup, filterPattern } = parsed;
    const { before, ...target } = this.#target(parsed);
    this.subscription = new SubscriptionFilter(this, 'Resource', {
      logGroup,
      filterPattern: filterPattern === undefined ? FilterPattern.allEvents() : FilterPattern.literal(filterPattern),
      destination: { bind: () => target },
    });
    this.subscription.node.addDependency(...before);
  }

  #target({ logGroup, fn, stream, destinationArn }: Parsed): Target {
    const given = Object.entries({ fn, stream, destinationArn }).filter(([, value]) => value !== undefined);
    if (given.length !== 1) {
      const what = given.length === 0 ? 'no target' : given.map(([name]) => name).join(' and ');
      throw misuse(this, { what, expected: 'one of "fn", "stream" and "destinationArn"' });
    }
    if (fn) return this.#invoke(fn, logGroup);
    if (!stream) return { arn: destinationArn ?? '', before: [] };
    const { role, grant } = makeDeliveryRole(this, stream, [Stack.of(this).account]);
    return { arn: stream.streamArn, role, before: [role, ...(grant.principalStatement ? [grant] : [])] };
  }

  #invoke(given: IFunction, logGroup: ILogGroup): Target {
    const fn = invokedBy(this, given, false);
    refuseTenantIsolation(this, fn, 'log subscription');
    const behind = functionBehind(fn) as IFunction & { readonly logGroup?: ILogGroup };
    if (behind.logGroup?.logGroupArn === logGroup.logGroupArn) {
      throw misuse(this, {
        what: `the log group of ${behind.node.path}, which receives the lines`,
        expected: 'the log group of another function: each line would cause the next one',
      });
    }
    fn.addPermission(`Invoke-${this.node.addr}`, {
      principal: new ServicePrincipal('logs.amazonaws.com'),
      sourceArn: logGroup.logGroupArn,
      sourceAccount: Stack.of(this).account,
      scope: this,
    });
    noteInvoker(fn, { construct: this, kind: 'logs' });
    return { arn: fn.functionArn, before: this.node.children };
  }
}
