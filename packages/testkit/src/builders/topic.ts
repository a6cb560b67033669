import {
  type Checks,
  checkArgument,
  checkOptions,
  checkRecords,
  date,
  nonBlank,
  object,
  text,
  textOrObject,
} from '../internal/check.js';
import { type Answered, EPOCH, regionOf } from './shape.js';

export interface TopicRecordOptions {
  /** An object is sent as JSON; `{}` unless given. */
  readonly message?: string | object;
  /** `sns-<n>` unless given. */
  readonly messageId?: string;
  /** Left out unless given. */
  readonly subject?: string;
  /** A string stands for an attribute of type `String`. */
  readonly messageAttributes?: Readonly<Record<string, string | TopicMessageAttribute>>;
  readonly time?: Date;
}

export interface TopicMessageAttribute {
  readonly Type: string;
  readonly Value: string;
}

export interface TopicRecord {
  readonly EventVersion: string;
  readonly EventSource: 'aws:sns';
  readonly EventSubscriptionArn: string;
  readonly Sns: {
    readonly Type: 'Notification';
    readonly MessageId: string;
    readonly TopicArn: string;
    readonly Subject?: string;
    readonly Message: string;
    readonly Timestamp: string;
    readonly SignatureVersion: string;
    readonly Signature: string;
    readonly SigningCertUrl: string;
    readonly UnsubscribeUrl: string;
    readonly MessageAttributes: Record<string, TopicMessageAttribute>;
  };
}

export interface TopicEvent extends Answered<readonly unknown[]> {
  readonly Records: TopicRecord[];
}

const CHECKS: Checks<TopicRecordOptions> = {
  message: textOrObject,
  messageId: text,
  subject: text,
  messageAttributes: object,
  time: date,
};

/**
 * A topic's notifications.
 *
 * @throws FrameworkError for no records, an unknown option or a wrong type
 */
export function buildTopicEvent(arn: string, records: readonly TopicRecordOptions[]): TopicEvent {
  checkArgument('arn', arn, nonBlank);
  checkRecords(records);
  return { Records: records.map((options, index) => topicRecord(arn, options, index + 1)) };
}

function topicRecord(arn: string, options: TopicRecordOptions, n: number): TopicRecord {
  checkOptions(options, CHECKS);
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
