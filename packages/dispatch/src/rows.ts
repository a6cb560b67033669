import type { TriggerKind } from '@sallyport/core';

/**
 * What a condition asks of the value behind its path. Only own properties count and strings are compared exactly.
 * `text` is a string with a non-blank character, `object` is neither `null` nor an array, `present` and `absent` ask for
 * the key whatever its value, `url_domain` for the host name of a function URL.
 */
export type DetectionTest =
  | 'equals'
  | 'present'
  | 'absent'
  | 'string'
  | 'text'
  | 'object'
  | 'url_domain'
  | 'not_url_domain';

export interface DetectionCondition {
  /** Names and list indexes from the event down: `Records[0].eventSource`. */
  readonly path: string;
  readonly test: DetectionTest;
  /** What `equals` compares with. */
  readonly value?: string;
}

/** An event is of this kind when every condition of one alternative holds and no earlier row matched. */
export interface DetectionRow {
  readonly kind: TriggerKind;
  readonly anyOf: readonly (readonly DetectionCondition[])[];
}

/**
 * How an event's kind is told by its shape: the rows are tried in this order and the first match decides. The order is
 * that of `TRIGGER_KINDS`. A batch of resolver events, the one list that is accepted, is held against the row of `appsync`
 * entry by entry.
 *
 * AWS sends `routeKey` with function URLs too, so their host name tells them from an HTTP API:
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 */
export const DETECTION_TABLE: readonly DetectionRow[] = /* @__PURE__ */ freeze([
  {
    kind: 'queue',
    anyOf: [
      [
        { path: 'Records[0]', test: 'object' },
        { path: 'Records[0].eventSource', test: 'equals', value: 'aws:sqs' },
      ],
    ],
  },
  {
    kind: 'table-stream',
    anyOf: [
      [
        { path: 'Records[0]', test: 'object' },
        { path: 'Records[0].eventSource', test: 'equals', value: 'aws:dynamodb' },
      ],
    ],
  },
  {
    kind: 'stream',
    anyOf: [
      [
        { path: 'Records[0]', test: 'object' },
        { path: 'Records[0].eventSource', test: 'equals', value: 'aws:kinesis' },
      ],
    ],
  },
  {
    kind: 'topic',
    anyOf: [
      [
        { path: 'Records[0]', test: 'object' },
        { path: 'Records[0].Sns', test: 'present' },
      ],
      [
        { path: 'Records[0]', test: 'object' },
        { path: 'Records[0].EventSource', test: 'equals', value: 'aws:sns' },
      ],
    ],
  },
  {
    kind: 'event-bus',
    anyOf: [[{ path: 'detail-type', test: 'string' }], [{ path: 'detailType', test: 'string' }]],
  },
  {
    kind: 'appsync',
    anyOf: [
      [
        { path: 'info', test: 'object' },
        { path: 'info.fieldName', test: 'text' },
        { path: 'info.parentTypeName', test: 'text' },
        { path: 'arguments', test: 'present' },
      ],
    ],
  },
  {
    kind: 'websocket',
    anyOf: [
      [
        { path: 'requestContext', test: 'object' },
        { path: 'requestContext.connectionId', test: 'text' },
      ],
    ],
  },
  {
    kind: 'gateway-v2',
    anyOf: [
      [
        { path: 'requestContext.http', test: 'object' },
        { path: 'routeKey', test: 'present' },
        { path: 'requestContext.domainName', test: 'not_url_domain' },
      ],
    ],
  },
  {
    kind: 'function-url',
    anyOf: [
      [
        { path: 'requestContext.http', test: 'object' },
        { path: 'routeKey', test: 'absent' },
      ],
      [
        { path: 'requestContext.http', test: 'object' },
        { path: 'requestContext.domainName', test: 'url_domain' },
      ],
    ],
  },
  {
    kind: 'load-balancer',
    anyOf: [
      [
        { path: 'requestContext.elb', test: 'object' },
        { path: 'requestContext.elb.targetGroupArn', test: 'text' },
      ],
    ],
  },
  { kind: 'gateway-v1', anyOf: [[{ path: 'httpMethod', test: 'text' }]] },
]);

/** The table is shared by everyone in the process, so nobody may change it. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
