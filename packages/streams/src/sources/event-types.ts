/** Shapes of the events as the Lambda service delivers them. Interchangeable with those of `@types/aws-lambda`. */

export interface QueueMessageAttribute {
  readonly stringValue?: string | undefined;
  readonly binaryValue?: string | undefined;
  readonly stringListValues?: string[] | undefined;
  readonly binaryListValues?: string[] | undefined;
  readonly dataType: string;
}

export interface QueueRecordAttributes {
  readonly AWSTraceHeader?: string | undefined;
  readonly ApproximateReceiveCount: string;
  readonly SentTimestamp: string;
  readonly SenderId: string;
  readonly ApproximateFirstReceiveTimestamp: string;
  readonly SequenceNumber?: string | undefined;
  readonly MessageGroupId?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
  readonly DeadLetterQueueSourceArn?: string | undefined;
}

/** One message of an SQS queue. */
export interface QueueRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: QueueRecordAttributes;
  readonly messageAttributes: { [name: string]: QueueMessageAttribute };
  readonly md5OfBody: string;
  readonly md5OfMessageAttributes?: string;
  readonly eventSource: string;
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

export interface QueueEvent {
  readonly Records: QueueRecord[];
}

interface AttributeValues {
  B: string;
  BOOL: boolean;
  BS: string[];
  L: AttributeValue[];
  M: Record<string, AttributeValue>;
  N: string;
  NS: string[];
  NULL: boolean;
  S: string;
  SS: string[];
}

/** A DynamoDB value: exactly one of the type keys. */
export type AttributeValue = {
  [K in keyof AttributeValues]: { [P in K]: AttributeValues[P] } & { [P in Exclude<keyof AttributeValues, K>]?: never };
}[keyof AttributeValues];

export interface TableStreamRecordData {
  readonly ApproximateCreationDateTime?: number | undefined;
  readonly Keys?: { [key: string]: AttributeValue } | undefined;
  readonly NewImage?: { [key: string]: AttributeValue } | undefined;
  readonly OldImage?: { [key: string]: AttributeValue } | undefined;
  readonly SequenceNumber?: string | undefined;
  readonly SizeBytes?: number | undefined;
  readonly StreamViewType?: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES' | undefined;
}

/** One change of a DynamoDB table. */
export interface TableStreamRecord {
  readonly awsRegion?: string | undefined;
  readonly dynamodb?: TableStreamRecordData | undefined;
  readonly eventID?: string | undefined;
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE' | undefined;
  readonly eventSource?: string | undefined;
  readonly eventSourceARN?: string | undefined;
  readonly eventVersion?: string | undefined;
  /** Set when the table's time to live removed the item: `{ type: 'Service', principalId: 'dynamodb.amazonaws.com' }`. */
  readonly userIdentity?: unknown;
}

export interface TableStreamEvent {
  readonly Records: TableStreamRecord[];
}

export interface StreamRecordData {
  readonly approximateArrivalTimestamp: number;
  /** Base64. */
  readonly data: string;
  readonly kinesisSchemaVersion: string;
  readonly partitionKey: string;
  readonly sequenceNumber: string;
}

/** One record of a Kinesis data stream. */
export interface StreamRecord {
  readonly awsRegion: string;
  readonly eventID: string;
  readonly eventName: string;
  readonly eventSource: string;
  readonly eventSourceARN: string;
  readonly eventVersion: string;
  readonly invokeIdentityArn: string;
  readonly kinesis: StreamRecordData;
}

export interface StreamEvent {
  readonly Records: StreamRecord[];
}

export interface TopicMessageAttribute {
  readonly Type: string;
  readonly Value: string;
}

export interface TopicMessage {
  readonly SignatureVersion: string;
  readonly Timestamp: string;
  readonly Signature: string;
  readonly SigningCertUrl: string;
  readonly MessageId: string;
  readonly Message: string;
  readonly MessageAttributes: { [name: string]: TopicMessageAttribute };
  readonly Type: string;
  readonly UnsubscribeUrl: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Token?: string;
}

/** One notification of an SNS topic. */
export interface TopicRecord {
  readonly EventVersion: string;
  readonly EventSubscriptionArn: string;
  readonly EventSource: string;
  readonly Sns: TopicMessage;
}

export interface TopicEvent {
  readonly Records: TopicRecord[];
}

/** An EventBridge event, a schedule's event, or one of the framework's envelopes. */
export interface EventBusEvent<DetailType extends string = string, Detail = unknown> {
  readonly id: string;
  readonly version: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: string[];
  readonly source: string;
  readonly 'detail-type': DetailType;
  readonly detail: Detail;
  readonly 'replay-name'?: string;
  /** The spelling of envelopes that did not come over EventBridge itself. */
  readonly detailType?: string;
  /** Portable convention, not a native field: `correlation_id`. */
  readonly metadata?: unknown;
  /** Portable convention, not a native field: `x-correlation-id`. */
  readonly headers?: unknown;
}

/** What a batch is answered with: the identifiers of the records that did not complete. Empty means success. */
export interface BatchReport {
  batchItemFailures: { itemIdentifier: string }[];
}
