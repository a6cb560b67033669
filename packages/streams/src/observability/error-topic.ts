import type { SNSClient } from '@aws-sdk/client-sns';
import { throwMissing } from '@sallyport/core/internal';
import type { ErrorNotificationLimit } from '@sallyport/core/observability';
import { defineOptions, integer, withMethods } from '@sallyport/core/options';

/** A notification of the error notifier. */
export interface ErrorNotification {
  /** The ARN of the SNS topic; its region is read from it. */
  readonly topicArn: string;
  /** The subject of the notification, in the form that SNS accepts. */
  readonly subject: string;
  /** The body of the notification. */
  readonly message: string;
}

/** Options of `createErrorTopicPublish`. An unknown key is rejected. */
export interface ErrorTopicOptions {
  /** The SNS client. Default: a client in the topic's region, created with the first notification. */
  readonly client?: Pick<SNSClient, 'send'>;
  /** Milliseconds for one notification with all its attempts, 1 to 60,000. Default 3,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link ErrorTopicOptions}. */
export const ERROR_TOPIC_OPTIONS = defineOptions<ErrorTopicOptions>()({
  client: withMethods<Pick<SNSClient, 'send'>>('send'),
  timeoutMs: integer(1, 60_000, 'milliseconds').default(3000),
});

/**
 * The `publish` of `createErrorNotifier`, on SNS. `@aws-sdk/client-sns`, an optional peer, is loaded only by the first
 * notification. A notification ends shortly before its invocation does.
 *
 * @throws FrameworkError for an unknown option; its result rejects when SNS does, which the notifier expects, and with
 *   `app.missing_package` without the peer
 * @example createErrorNotifier({ publish: createErrorTopicPublish(), service: 'orders' });
 */
export function createErrorTopicPublish(
  options: ErrorTopicOptions = {},
): (notification: ErrorNotification, limit?: ErrorNotificationLimit) => Promise<void> {
  const { timeoutMs, ...given } = ERROR_TOPIC_OPTIONS.parse(options);
  let { client } = given;
  return async ({ topicArn, subject, message }, { remainingMs = timeoutMs } = { remainingMs: undefined }) => {
    const sns = await import('@aws-sdk/client-sns').catch(throwMissing('@aws-sdk/client-sns'));
    client ??= new sns.SNSClient({ region: topicArn.split(':')[3] ?? '' });
    const command = new sns.PublishCommand({ TopicArn: topicArn, Subject: subject, Message: message });
    await client.send(command, { abortSignal: AbortSignal.timeout(Math.min(timeoutMs, remainingMs)) });
  };
}
