/** Names that infrastructure code shares with event routers. Imports nothing. */

/** Maps the names that handlers are registered under to physical names or ARNs: a JSON object of names, see the README. */
export const EVENT_SOURCES_ENV = 'FRAMEWORK_EVENT_SOURCES';
/** `auto`, `eventID` or `sequenceNumber`; read when the option `streamFailureIdentifier` is not given. */
export const STREAM_FAILURE_IDENTIFIER_ENV = 'FRAMEWORK_STREAM_FAILURE_IDENTIFIER';
/** `throw` or `report`; read when the option `onFailure` of `kafkaTrigger` is not given. */
export const KAFKA_ON_FAILURE_ENV = 'FRAMEWORK_KAFKA_ON_FAILURE';

/**
 * IAM actions of event source mappings on their source.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-create.html
 */
export const EVENT_SOURCE_ACTIONS = {
  queue: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  tableStream: [
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    // The example of AWS grants it on the stream together with the others:
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html
    'dynamodb:ListStreams',
  ],
  kinesis: [
    'kinesis:DescribeStream',
    'kinesis:DescribeStreamSummary',
    'kinesis:GetRecords',
    'kinesis:GetShardIterator',
    'kinesis:ListShards',
  ],
} as const;

/** IAM actions of what a function sends: to a data stream, to a topic. */
export const PRODUCER_ACTIONS = {
  kinesis: ['kinesis:PutRecord', 'kinesis:PutRecords'],
  topic: ['sns:Publish'],
} as const;
