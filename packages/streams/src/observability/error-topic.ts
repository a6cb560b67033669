import type { SNSClient } from '@aws-sdk/client-sns';
import { assertKnownOptions } from '@sallyport/core';

/** What the error notifier hands over. */
export interface ErrorNotification {
  readonly topicArn: string;
  readonly subject: string;
  readonly message: string;
}

export interface ErrorTopicOptions {
  /** Used instead of a client of our own, which is made in the topic's region. */
  readonly client?: Pick<SNSClient, 'send'>;
}

/**
 * The `publish` of `createErrorNotifier`, on SNS. `@aws-sdk/client-sns`, an optional peer, is loaded by the first
 * notification and not before.
 *
 * @throws FrameworkError for an unknown option; its result rejects when SNS does, which the notifier expects
 * @example createErrorNotifier({ publish: createErrorTopicPublish(), service: 'orders' });
 */
export function createErrorTopicPublish(
  options: ErrorTopicOptions = {},
): (notification: ErrorNotification) => Promise<void> {
  assertKnownOptions(options, ['client']);
  let client = options.client;
  return async ({ topicArn, subject, message }) => {
    const sns = await import('@aws-sdk/client-sns');
    client ??= new sns.SNSClient({ region: topicArn.split(':')[3] ?? '' });
    await client.send(new sns.PublishCommand({ TopicArn: topicArn, Subject: subject, Message: message }));
  };
}
