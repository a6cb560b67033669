import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { KinesisClient } from '@aws-sdk/client-kinesis';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { StandardSchema } from '@sallyport/core';
import { KINESIS_MAX_RECORD_BYTES } from '@sallyport/core/internal';
import { defineOptions, func, integer, isStandardSchema, kind, text } from '@sallyport/core/options';
import type { Details, Messages } from './types.js';

type Addresses<M> = { readonly [K in keyof M & string]?: string | undefined };
type Schemas<M> = { readonly [K in keyof M & string]?: StandardSchema | StandardSchema<never, unknown> };

/** Clients of the AWS SDK. A client that is absent is created when it is first needed. */
export interface SenderClients {
  /** For queues. */
  readonly sqs?: Pick<SQSClient, 'send'>;
  /** For topics. */
  readonly sns?: Pick<SNSClient, 'send'>;
  /** For events. */
  readonly eventBridge?: Pick<EventBridgeClient, 'send'>;
  /** For data streams. */
  readonly kinesis?: Pick<KinesisClient, 'send'>;
}

/** The schemas against which values are checked before they are sent. */
export interface SenderSchemas<C> {
  /** By the name of the queue. */
  readonly queue?: Schemas<Messages<C, 'queue'>>;
  /** By the name of the topic. */
  readonly topic?: Schemas<Messages<C, 'topic'>>;
  /** By the name of the data stream. */
  readonly stream?: Schemas<Messages<C, 'stream'>>;
  /** By `source/detail-type`. */
  readonly bus?: Schemas<Details<C>>;
}

/** Options of `createSender`. An unknown key is rejected. */
export interface SenderOptions<C = unknown> {
  /** The URLs of queues, by their name in the contract. */
  readonly queues?: Addresses<Messages<C, 'queue'>>;
  /** The ARNs of topics, by their name in the contract. */
  readonly topics?: Addresses<Messages<C, 'topic'>>;
  /** The names or ARNs of data streams, by their name in the contract. */
  readonly streams?: Addresses<Messages<C, 'stream'>>;
  /** The name or ARN of the event bus. Default `default`. */
  readonly bus?: string;
  /** Standard Schema validators. A value that does not fit is not sent. Default: no check. */
  readonly schemas?: SenderSchemas<C>;
  /** Adds a trace to the input of a command: `withTrace` of `@sallyport/otel`. Default: the input is unchanged. */
  readonly trace?: <T extends object>(input: T) => T;
  /** Clients of the AWS SDK, for example with another region. */
  readonly clients?: SenderClients;
  /** Milliseconds for a call with all its requests, 1 to 900,000. Default 10,000. */
  readonly timeoutMs?: number;
  /** The size of the largest message of a topic in bytes: its attribute `MaximumMessageSize`. Default 262,144. */
  readonly maxMessageBytes?: number;
  /** The size of the largest record of a data stream in bytes: its `MaxRecordSizeInKiB`. Default 1,048,576. */
  readonly maxRecordBytes?: number;
}

const isMapOf = (isMember: (value: unknown) => boolean) => (value: unknown) =>
  typeof value === 'object' && value !== null && Object.values(value).every(isMember);
const isAddress = (value: unknown) => typeof value === 'string' && value !== '';
const addresses = () =>
  kind<Readonly<Record<string, string | undefined>>>(
    'an object of names and addresses that are not empty',
    isMapOf((value) => value === undefined || isAddress(value)),
  );

const NO_CLIENTS: SenderClients = {};
type SchemaMap = Readonly<Record<string, Readonly<Record<string, StandardSchema>> | undefined>>;

const NO_SCHEMAS: SchemaMap = {};

/** Validators and defaults for {@link SenderOptions}. */
export const SENDER_OPTIONS = defineOptions<SenderOptions>()({
  queues: addresses().default({}),
  topics: addresses().default({}),
  streams: addresses().default({}),
  bus: text('the name or ARN of an event bus').default('default'),
  schemas: kind<SchemaMap>(
    'an object with Standard Schema validators (version 1)',
    isMapOf((value) => value === undefined || isMapOf(isStandardSchema)(value)),
  ).default(NO_SCHEMAS),
  trace: func<<T extends object>(input: T) => T>(),
  clients: kind<SenderClients>('an object of clients of the AWS SDK', (value) =>
    isMapOf((client) => typeof (client as { send?: unknown } | undefined)?.send === 'function')(value),
  ).default(NO_CLIENTS),
  timeoutMs: integer(1, 900_000, 'milliseconds').default(10_000),
  maxMessageBytes: integer(1024, 1_048_576).default(262_144),
  maxRecordBytes: integer(1, KINESIS_MAX_RECORD_BYTES).default(1_048_576),
});
