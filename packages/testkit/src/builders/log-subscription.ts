import { gzipSync } from 'node:zlib';
import { asBuffer } from '@sallyport/core/internal';
import { defineOptions, group, list, oneOf } from '@sallyport/core/options';
import { anyNumber, anyText, filled, object, textList } from '../internal/kinds.js';
import { ACCOUNT } from './shape.js';

/** One log event of {@link cloudWatchLogsSubscriptionData}. */
export interface LogEventOptions {
  /** The log event's id; may be blank. Required. */
  readonly id: string;
  /** Time of the log event, in milliseconds since the epoch. Required. */
  readonly timestamp: number;
  /** The line. Required. */
  readonly message: string;
  /** Fields that the filter pattern extracted from the line. Default: left out. */
  readonly extractedFields?: Readonly<Record<string, string>>;
}

/** Options of {@link cloudWatchLogsSubscriptionData}. */
export interface LogSubscriptionOptions {
  /** `CONTROL_MESSAGE` is sent by CloudWatch Logs to check whether the destination is reachable. Default: `DATA_MESSAGE`. */
  readonly messageType?: 'DATA_MESSAGE' | 'CONTROL_MESSAGE';
  /** Account of the log group. Default: `123456789012`. */
  readonly owner?: string;
  /** Name of the log group. Default: `/aws/lambda/test`. */
  readonly logGroup?: string;
  /** Name of the log stream. Default: `stream-1`. */
  readonly logStream?: string;
  /** Names of the filters that matched. Default: `['filter-1']`. */
  readonly subscriptionFilters?: readonly string[];
  /** The log events. Default: a single log event, whose message is `test message`. */
  readonly logEvents?: readonly LogEventOptions[];
  /** Level of the policy; an account's own filters send `ACCOUNT_LEVEL_SUBSCRIPTION_FILTER_POLICY`. Default: left out. */
  readonly policyLevel?: string;
}

/** Options of {@link kinesisCloudWatchLogsSubscriptionRecord}. */
export interface LogSubscriptionRecordOptions {
  /** Shard and sequence number of the record; may be blank. Default: `shardId-000000000000:1`. */
  readonly eventID?: string;
  /** ARN of the stream. Default: left out, so that the ARN of the event applies. */
  readonly eventSourceARN?: string;
  /** Key that determines the shard. Default: `pk-1`. */
  readonly partitionKey?: string;
  /** The document in the record. Default: all of its defaults. */
  readonly subscription?: LogSubscriptionOptions;
}

/** A record for {@link buildKinesisEvent} and for the decoder. */
export interface LogSubscriptionRecord {
  /** Shard and sequence number of the record. */
  readonly eventID: string;
  /** ARN of the stream; absent unless it was given. */
  readonly eventSourceARN?: string;
  /** The gzipped document in base64, and the key that determines the shard. */
  readonly kinesis: { readonly data: string; readonly partitionKey: string };
}

const SUBSCRIPTION = {
  messageType: oneOf('DATA_MESSAGE', 'CONTROL_MESSAGE').default('DATA_MESSAGE'),
  owner: anyText.default(ACCOUNT),
  logGroup: anyText.default('/aws/lambda/test'),
  logStream: anyText.default('stream-1'),
  subscriptionFilters: textList.default(['filter-1']),
  logEvents: list(
    group<LogEventOptions>()({
      id: anyText.required(),
      timestamp: anyNumber.required(),
      message: anyText.required(),
      extractedFields: object<Readonly<Record<string, string>>>(),
    }),
  ).default([{ id: 'log-1', timestamp: 0, message: 'test message' }]),
  policyLevel: anyText,
};

const OPTIONS = defineOptions<LogSubscriptionOptions>()(SUBSCRIPTION);

const RECORD = defineOptions<LogSubscriptionRecordOptions>()({
  eventID: anyText.default('shardId-000000000000:1'),
  eventSourceARN: filled,
  partitionKey: filled.default('pk-1'),
  subscription: group<LogSubscriptionOptions>()(SUBSCRIPTION),
});

/**
 * Builds the gzipped document that CloudWatch Logs puts into a stream record.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 */
export function cloudWatchLogsSubscriptionData(options: LogSubscriptionOptions = {}): Uint8Array {
  return gzipSync(JSON.stringify(OPTIONS.parse(options)));
}

/**
 * Builds a stream record that contains such a document.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function kinesisCloudWatchLogsSubscriptionRecord(
  options: LogSubscriptionRecordOptions = {},
): LogSubscriptionRecord {
  const { eventID, eventSourceARN, partitionKey, subscription } = RECORD.parse(options);
  const data = asBuffer(cloudWatchLogsSubscriptionData(subscription)).toString('base64');
  return { eventID, ...(eventSourceARN !== undefined && { eventSourceARN }), kinesis: { data, partitionKey } };
}
