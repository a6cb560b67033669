import { firstTraceId, stringOf } from '@sallyport/core/internal';
import { keyText, type RecordSource, type SourceDefinition } from './source.js';

/** The `Records` of an SNS subscription: https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html. */
export interface TopicEvent {
  /** The notifications; SNS sends one with each invocation. */
  readonly Records: TopicRecord[];
}

/** One notification of an SNS topic: https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html. */
export interface TopicRecord {
  /** Version of this shape, `1.0`. */
  readonly EventVersion: string;
  /** The ARN of the subscription. */
  readonly EventSubscriptionArn: string;
  /** `aws:sns`. */
  readonly EventSource: string;
  /** The notification itself. */
  readonly Sns: TopicMessage;
}

/** The notification: https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html. */
export interface TopicMessage {
  /** Version of the signature, `1` or `2`. */
  readonly SignatureVersion: string;
  /** Time of the publication, ISO 8601 with milliseconds. */
  readonly Timestamp: string;
  /** The signature in base64. */
  readonly Signature: string;
  /** URL of the signing certificate. */
  readonly SigningCertUrl: string;
  /** The notification's id in SNS. */
  readonly MessageId: string;
  /** The message as its publisher wrote it. */
  readonly Message: string;
  /** Attributes that the publisher added to the message, by name; empty if there are no attributes. */
  readonly MessageAttributes: { [name: string]: TopicMessageAttribute };
  /** `Notification`. */
  readonly Type: string;
  /** A URL that ends the subscription. */
  readonly UnsubscribeUrl: string;
  /** The ARN of the topic. */
  readonly TopicArn: string;
  /** The subject; absent if the publisher set no subject. */
  readonly Subject?: string;
  /** Confirms a subscription; absent in notifications. */
  readonly Token?: string;
}

/** A value that the publisher added: https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html. */
export interface TopicMessageAttribute {
  /** `String`, `String.Array`, `Number` or `Binary`. */
  readonly Type: string;
  /** The value as a string; for `Binary` in base64. */
  readonly Value: string;
}

/** A member of the trace context. */
const notificationMember: NonNullable<SourceDefinition['carrier']> = (record, name) =>
  stringOf(record.Sns?.MessageAttributes?.[name]?.Value);

export const TOPIC: RecordSource = {
  kind: 'topic',
  noun: 'topic',
  method: 'topic',
  answer: 'list of results',
  arn: /^(arn:[^:]+:sns:([^:]*):([^:]*):(.+))$/,
  arnOf: (record) =>
    (record?.EventSource ?? record?.eventSource ?? 'aws:sns') === 'aws:sns' ? record?.Sns?.TopicArn : undefined,
  key: (record) => keyText(record.Sns?.MessageId),
  recordId: (record) => stringOf(record.Sns?.MessageId),
  traceId: (record) => firstTraceId(notificationMember(record, 'traceparent'), ''),
  carrier: notificationMember,
  sentMs: (record) => Date.parse(stringOf(record.Sns?.Timestamp)),
  rules: () => ({ concurrency: 1, stops: true }),
};
