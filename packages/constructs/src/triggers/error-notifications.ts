import { ERROR_NOTIFICATION_TOPIC_ARN_ENV } from '@sallyport/core/observability';
import { PRODUCER_ACTIONS } from '@sallyport/streams/schema';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { setVariable } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { grantKey } from '../internal/keys.js';
import { defineProps, many, thing } from '../internal/props.js';

/** Props of {@link ErrorNotifications}. */
export interface ErrorNotificationsProps {
  /**
   * Your KMS key.
   *
   * @default - the key that AWS manages for SNS in the account
   */
  readonly encryptionKey?: IKey;
  /**
   * Addresses that receive every notification. AWS sends each a confirmation request.
   *
   * @default - none
   */
  readonly emails?: readonly string[];
}

/** Validators and defaults for {@link ErrorNotificationsProps}. */
export const ERROR_NOTIFICATIONS_PROPS = defineProps<ErrorNotificationsProps>('ErrorNotifications')({
  encryptionKey: thing<IKey>('a key', 'keyArn'),
  emails: many<string>('a list of e-mail addresses', (one) => typeof one === 'string' && /^\S+@\S+$/.test(one)).default(
    [],
  ),
});

/**
 * The topic that the error notifier publishes to: encrypted and TLS-only.
 *
 * @example new ErrorNotifications(this, 'Errors', { emails: ['on-call@example.com'] }).bindTo(fn);
 */
export class ErrorNotifications extends Construct {
  /** The topic. */
  readonly topic: Topic;
  readonly #key: IKey | undefined;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop */
  constructor(scope: Construct, id: string, props?: ErrorNotificationsProps) {
    super(scope, id);
    const { encryptionKey, emails } = ERROR_NOTIFICATIONS_PROPS.parse(this, props);
    this.#key = encryptionKey;
    this.topic = new Topic(this, 'Resource', {
      enforceSSL: true,
      masterKey: encryptionKey ?? Alias.fromAliasName(this, 'Key', 'alias/aws/sns'),
    });
    for (const [index, endpoint] of emails.entries()) {
      const subscription = new Subscription(this, `Email${index + 1}`, {
        topic: this.topic,
        endpoint,
        protocol: SubscriptionProtocol.EMAIL,
      });
      const reason = 'SNS retries e-mail itself; the notification is also in the log of the function.';
      acknowledge(subscription, 'Serverless::Serverless-SNSRedrivePolicy', reason);
    }
  }

  /**
   * Grants publishing and sets `ERROR_NOTIFICATION_TOPIC_ARN`.
   *
   * @throws ConstructError `constructs.fixed_environment`, `constructs.conflict`
   */
  bindTo(fn: IFunction): this {
    setVariable(this, fn, ERROR_NOTIFICATION_TOPIC_ARN_ENV, this.topic.topicArn);
    this.grantPublish(fn);
    return this;
  }

  /** Grants publishing. */
  grantPublish(grantee: IGrantable): Grant {
    grantKey(this.#key, grantee, 'topic', 'publish');
    return grantOn(grantee, PRODUCER_ACTIONS.topic, [this.topic.topicArn]);
  }
}
