import { defineOptions, group } from '@sallyport/core/options';
import { anyText, date, filled, object, someOf, textOrObject } from '../internal/kinds.js';
import { type Answered, EPOCH, regionOf } from './shape.js';

/** Options of one notification of {@link buildTopicEvent}; `<n>` is its place in the event, from 1. */
export interface TopicRecordOptions {
  /** The message; an object is sent as JSON. Default: `{}` as text. */
  readonly message?: string | object;
  /** The message's id; may be blank. Default: `sns-<n>`. */
  readonly messageId?: string;
  /** The subject. Default: left out. */
  readonly subject?: string;
  /** Message attributes by name; a string represents an attribute of type `String`. Default: none. */
  readonly messageAttributes?: Readonly<Record<string, string | TopicMessageAttribute>>;
  /** Time of the publication. Default: the epoch. */
  readonly time?: Date;
}

/** A message attribute of a topic. */
export interface TopicMessageAttribute {
  /** `String`, `String.Array`, `Number` or `Binary`. */
  readonly Type: string;
  /** The value; of a `Binary` in base64. */
  readonly Value: string;
}

/** One notification of a {@link TopicEvent}. */
export interface TopicRecord {
  /** Version of this form, `1.0`. */
  readonly EventVersion: string;
  /** The service that sent it. */
  readonly EventSource: 'aws:sns';
  /** ARN of the function's subscription. */
  readonly EventSubscriptionArn: string;
  /** The notification. */
  readonly Sns: TopicNotification;
}

/** The notification of a message. The signature is a placeholder that no verifier accepts. */
export interface TopicNotification {
  /** The kind of message. */
  readonly Type: 'Notification';
  /** The message's id. */
  readonly MessageId: string;
  /** The topic's ARN. */
  readonly TopicArn: string;
  /** The subject; absent unless it was given. */
  readonly Subject?: string;
  /** The message. */
  readonly Message: string;
  /** Time of the publication, ISO 8601. */
  readonly Timestamp: string;
  /** Version of the signature, `1`. */
  readonly SignatureVersion: string;
  /** A placeholder. */
  readonly Signature: string;
  /** URL of the signing certificate, which does not exist. */
  readonly SigningCertUrl: string;
  /** URL to unsubscribe, which does not exist. */
  readonly UnsubscribeUrl: string;
  /** Message attributes by name. */
  readonly MessageAttributes: Record<string, TopicMessageAttribute>;
}

/**
 * Notifications of a topic.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
export interface TopicEvent extends Answered<readonly unknown[]> {
  /** The notifications. */
  readonly Records: TopicRecord[];
}

const BATCH = defineOptions<{ arn: string; records: readonly TopicRecordOptions[] }>()({
  arn: filled.required(),
  records: someOf(
    group<TopicRecordOptions>()({
      message: textOrObject,
      messageId: anyText,
      subject: anyText,
      messageAttributes: object<Readonly<Record<string, string | TopicMessageAttribute>>>(),
      time: date,
    }),
  ),
});

/**
 * Builds notifications of a topic.
 *
 * @param arn the topic's ARN
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option or a wrong type
 */
export function buildTopicEvent(arn: string, records: readonly TopicRecordOptions[]): TopicEvent {
  const batch = BATCH.parse({ arn, records });
  return { Records: batch.records.map((options, index) => topicRecord(arn, options, index + 1)) };
}

function topicRecord(arn: string, options: TopicRecordOptions, n: number): TopicRecord {
  const { message = '{}', subject, time = EPOCH } = options;
  const host = `https://sns.${regionOf(arn)}.amazonaws.com`;
  return {
    EventVersion: '1.0',
    EventSource: 'aws:sns',
    EventSubscriptionArn: `${arn}:subscription-1`,
    Sns: {
      Type: 'Notification',
      MessageId: options.messageId ?? `sns-${n}`,
      TopicArn: arn,
      ...(subject !== undefined && { Subject: subject }),
      Message: typeof message === 'string' ? message : JSON.stringify(message),
      Timestamp: time.toISOString(),
      SignatureVersion: '1',
      Signature: 'signature',
      SigningCertUrl: `${host}/SimpleNotificationService.pem`,
      UnsubscribeUrl: `${host}/?Action=Unsubscribe`,
      MessageAttributes: messageAttributes(options),
    },
  };
}

function messageAttributes(options: TopicRecordOptions): Record<string, TopicMessageAttribute> {
  const entries = Object.entries(options.messageAttributes ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' ? { Type: 'String', Value: value } : structuredClone(value),
    ]),
  );
}
