import { gzipSync } from 'node:zlib';
import { asBuffer } from '@sallyport/core';
import {
  anything,
  type Check,
  type Checks,
  checkOptions,
  nonBlank,
  object,
  oneOf,
  text,
  textList,
} from '../internal/check.js';

export interface LogEventOptions {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly message: string;
  readonly extractedFields?: Readonly<Record<string, string>>;
}

export interface LogSubscriptionOptions {
  /** `DATA_MESSAGE` unless given. */
  readonly messageType?: 'DATA_MESSAGE' | 'CONTROL_MESSAGE';
  readonly owner?: string;
  readonly logGroup?: string;
  readonly logStream?: string;
  /** One unless given. */
  readonly subscriptionFilters?: readonly string[];
  /** One unless given. */
  readonly logEvents?: readonly LogEventOptions[];
  /** Left out unless given; account-level filters send it. */
  readonly policyLevel?: string;
}

export interface LogSubscriptionRecordOptions {
  readonly eventID?: string;
  readonly eventSourceARN?: string;
  readonly partitionKey?: string;
  readonly subscription?: LogSubscriptionOptions;
}

/** A record for {@link buildKinesisEvent}, and for the decoder as it is. */
export interface LogSubscriptionRecord {
  readonly eventID: string;
  readonly eventSourceARN?: string;
  readonly kinesis: { readonly data: string; readonly partitionKey: string };
}

const logEvents: Check = {
  wanted: 'a list of log events',
  accepts: (value) => Array.isArray(value) && value.every(isLogEvent),
};

const DATA_CHECKS: Checks<LogSubscriptionOptions> = {
  messageType: oneOf('DATA_MESSAGE', 'CONTROL_MESSAGE'),
  owner: text,
  logGroup: text,
  logStream: text,
  subscriptionFilters: textList,
  logEvents,
  policyLevel: text,
};

const RECORD_CHECKS: Checks<LogSubscriptionRecordOptions> = {
  eventID: text,
  eventSourceARN: nonBlank,
  partitionKey: nonBlank,
  subscription: object,
};

const LOG_EVENT_CHECKS: Checks<LogEventOptions> = {
  id: text,
  timestamp: { wanted: 'a number', accepts: (value) => typeof value === 'number' },
  message: text,
  extractedFields: anything,
};

/**
 * The gzipped document that CloudWatch Logs puts into a stream record.
 *
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function cloudWatchLogsSubscriptionData(options: LogSubscriptionOptions = {}): Uint8Array {
  checkOptions(options, DATA_CHECKS);
  const { policyLevel } = options;
  const document = {
    messageType: options.messageType ?? 'DATA_MESSAGE',
    owner: options.owner ?? '123456789012',
    logGroup: options.logGroup ?? '/aws/lambda/test',
    logStream: options.logStream ?? 'stream-1',
    subscriptionFilters: options.subscriptionFilters ?? ['filter-1'],
    logEvents: options.logEvents ?? [{ id: 'log-1', timestamp: 0, message: 'test message' }],
    ...(policyLevel !== undefined && { policyLevel }),
  };
  return gzipSync(JSON.stringify(document));
}

/**
 * A stream record that carries such a document.
 *
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function kinesisCloudWatchLogsSubscriptionRecord(
  options: LogSubscriptionRecordOptions = {},
): LogSubscriptionRecord {
  checkOptions(options, RECORD_CHECKS);
  const { eventSourceARN } = options;
  return {
    eventID: options.eventID ?? 'shardId-000000000000:1',
    ...(eventSourceARN !== undefined && { eventSourceARN }),
    kinesis: {
      data: asBuffer(cloudWatchLogsSubscriptionData(options.subscription)).toString('base64'),
      partitionKey: options.partitionKey ?? 'pk-1',
    },
  };
}

function isLogEvent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  checkOptions(value as LogEventOptions, LOG_EVENT_CHECKS);
  return ['id', 'timestamp', 'message'].every((key) => Object.hasOwn(value, key));
}
