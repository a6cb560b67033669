import type { TRIGGER_KINDS } from '../../packages/core/src/index.js';

/** The behaviour of AWS for a kind of the fixed table. */
interface FixedKind {
  /** The page of the kind, from `docs/`. */
  readonly page: string;
  readonly author: string;
  readonly failure: string;
  readonly limit: string;
  readonly construct: string;
}

const HTTP = { author: 'the gateway; a client wrote the request', limit: '6 MB' };

/** The kinds of the fixed table: https://docs.aws.amazon.com/lambda/latest/dg/lambda-services.html. */
export const FIXED_KINDS: Readonly<Record<(typeof TRIGGER_KINDS)[number], FixedKind>> = {
  queue: {
    page: 'events.md',
    author: 'Lambda; a producer wrote the messages',
    failure: 'SQS delivers the reported messages again, then to the dead-letter queue',
    limit: '6 MB',
    construct: '`QueueTrigger`',
  },
  'table-stream': {
    page: 'events.md',
    author: 'Lambda; an application wrote the items',
    failure: 'Lambda retries from the reported record until it succeeds or expires',
    limit: '6 MB',
    construct: '`TableStreamTrigger`',
  },
  stream: {
    page: 'events.md',
    author: 'Lambda; a producer wrote the data',
    failure: 'Lambda retries from the reported record until it succeeds or expires',
    limit: '6 MB',
    construct: '`StreamTrigger`',
  },
  topic: {
    page: 'topics.md',
    author: 'SNS; a publisher wrote the message',
    failure: 'Lambda retries twice',
    limit: 'not read',
    construct: '`wiring.topic`',
  },
  'event-bus': {
    page: 'events.md',
    author: 'EventBridge; a publisher wrote the detail',
    failure: 'Lambda retries twice',
    limit: 'not read',
    construct: '`wiring.eventBus`, `wiring.schedule`',
  },
  appsync: {
    page: 'graphql.md',
    author: 'AppSync; a client wrote the arguments',
    failure: 'the field has an error',
    limit: '5 MB',
    construct: '`GraphqlApi`',
  },
  websocket: { page: 'websocket.md', ...HTTP, failure: 'API Gateway rejects the message', construct: '`WebSocketApi`' },
  'gateway-v2': { page: 'routes.md', ...HTTP, failure: 'the client receives 500 or 503', construct: '`HttpApi`' },
  'function-url': { page: 'routes.md', ...HTTP, failure: 'the client receives 502', construct: '`FunctionUrl`' },
  'load-balancer': {
    page: 'routes.md',
    author: 'the load balancer; a client wrote the request',
    failure: 'the client receives 502',
    limit: '1 MB',
    construct: '`AlbTarget`',
  },
  'gateway-v1': { page: 'routes.md', ...HTTP, failure: 'the client receives 502 or 504', construct: '`RestApi`' },
};

/** A service whose events are not served, because it is closed to new customers, or removed. */
interface LeftOut {
  readonly service: string;
  readonly notice: string;
  readonly source: string;
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    service: 'S3 Object Lambda',
    notice: 'closed to new customers since 7 November 2025',
    source: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/amazons3-ol-change.html',
  },
  {
    service: 'Kinesis Data Analytics for SQL',
    notice: 'no new applications since 15 October 2025, deleted from 27 January 2026',
    source: 'https://docs.aws.amazon.com/kinesisanalytics/latest/dev/discontinuation.html',
  },
  {
    service: 'AWS IoT 1-Click',
    notice: 'discontinued on 16 December 2024',
    source: 'https://docs.aws.amazon.com/iot-1-click/latest/developerguide/doc-history.html',
  },
  {
    service: 'Amazon Pinpoint',
    notice: 'support ended on 30 October 2026',
    source: 'https://docs.aws.amazon.com/pinpoint-sms-voice/latest/APIReference/doc-history.html',
  },
  {
    service: 'Amazon Lex V1',
    notice: 'AWS recommends V2 for all bots',
    source: 'https://docs.aws.amazon.com/lex/latest/dg/lambda-input-response-format.html',
  },
];
