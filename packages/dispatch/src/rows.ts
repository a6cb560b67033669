import type { Surface, TRIGGER_KINDS, TriggerKind } from '@sallyport/core';

/**
 * The test of a condition for the value at its path. Only own properties count, and strings are compared exactly.
 * `text` is a string with a non-blank character, `object` is neither `null` nor an array, `present` and `absent` test
 * the key, with any value, `url_domain` is the host name of a function URL.
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

/** One condition for an event. */
export interface DetectionCondition {
  /** Names and list indexes from the event down: `Records[0].eventSource`. */
  readonly path: string;
  /** The test for the value at the path. */
  readonly test: DetectionTest;
  /** The string that `equals` compares with; absent for the other tests. */
  readonly value?: string;
}

/** An event is of this kind if every condition of one alternative is fulfilled and no earlier row matched. */
export interface DetectionRow {
  /** The kind that `detect` returns. */
  readonly kind: TriggerKind;
  /** Alternatives; one match is enough. */
  readonly anyOf: readonly (readonly DetectionCondition[])[];
}

/** One row of the fixed table with the data for dispatching. */
export interface TriggerRow extends DetectionRow {
  /** The containers' method that serves this kind without checking the event: `serveQueueEvent`. */
  readonly entrypoint: string;
  /** The form of the result for the service, as in `target.projection` of `explain`. */
  readonly projection: string;
  /** True if a non-empty list, every entry of which matches this row, is an event of this kind too. */
  readonly acceptsList?: boolean;
}

/** A surface for a trigger outside the fixed table. Its rows detect its events; they can never change the results of the table. */
export interface TriggerExtension extends Surface {
  /** Tried after the fixed table and after the rows of earlier extensions. */
  readonly rows: readonly DetectionRow[];
  /** An event of this trigger; it must be detected as one of these rows' kinds. */
  readonly sample: unknown;
}

const record = (eventSource: string): readonly DetectionCondition[] => [
  { path: 'Records[0]', test: 'object' },
  { path: 'Records[0].eventSource', test: 'equals', value: eventSource },
];

/**
 * The rows that detect the kind of an event from its shape: they are tried in this order, and the first match is used. `detect`,
 * `explain`, the containers' entrypoints and the README's table are all generated from these rows.
 *
 * AWS sends `routeKey` with function URLs too, so the host name distinguishes them from an HTTP API:
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 */
export const ROWS = [
  defineRow({
    kind: 'queue',
    entrypoint: 'serveQueueEvent',
    projection: 'batch report',
    anyOf: [record('aws:sqs')],
  }),
  defineRow({
    kind: 'table-stream',
    entrypoint: 'serveTableStream',
    projection: 'batch report',
    anyOf: [record('aws:dynamodb')],
  }),
  defineRow({
    kind: 'stream',
    entrypoint: 'serveStreamEvent',
    projection: 'batch report',
    anyOf: [record('aws:kinesis')],
  }),
  defineRow({
    kind: 'topic',
    entrypoint: 'serveTopicEvent',
    projection: 'list of results',
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
  }),
  defineRow({
    kind: 'event-bus',
    entrypoint: 'serveEventBus',
    projection: 'result or null',
    anyOf: [[{ path: 'detail-type', test: 'string' }], [{ path: 'detailType', test: 'string' }]],
  }),
  defineRow({
    kind: 'appsync',
    entrypoint: 'serveAppSync',
    projection: 'payload',
    acceptsList: true,
    anyOf: [
      [
        { path: 'info', test: 'object' },
        { path: 'info.fieldName', test: 'text' },
        { path: 'info.parentTypeName', test: 'text' },
        { path: 'arguments', test: 'present' },
      ],
    ],
  }),
  defineRow({
    kind: 'websocket',
    entrypoint: 'serveWebSocket',
    projection: 'v1-style response',
    anyOf: [
      [
        { path: 'requestContext', test: 'object' },
        { path: 'requestContext.connectionId', test: 'text' },
      ],
    ],
  }),
  defineRow({
    kind: 'gateway-v2',
    entrypoint: 'serveGatewayV2',
    projection: 'v2 response',
    anyOf: [
      [
        { path: 'requestContext.http', test: 'object' },
        { path: 'routeKey', test: 'present' },
        { path: 'requestContext.domainName', test: 'not_url_domain' },
      ],
    ],
  }),
  defineRow({
    kind: 'function-url',
    entrypoint: 'serveLambdaFunctionURL',
    projection: 'URL response',
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
  }),
  defineRow({
    kind: 'load-balancer',
    entrypoint: 'serveLoadBalancer',
    projection: 'ALB response',
    anyOf: [
      [
        { path: 'requestContext.elb', test: 'object' },
        { path: 'requestContext.elb.targetGroupArn', test: 'text' },
      ],
    ],
  }),
  defineRow({
    kind: 'gateway-v1',
    entrypoint: 'serveGatewayProxy',
    projection: 'v1 response',
    anyOf: [[{ path: 'httpMethod', test: 'text' }]],
  }),
] as const;

/** The containers' methods that serve one kind each. */
export type EntrypointName = (typeof ROWS)[number]['entrypoint'];

/** The conditions of the fixed table as frozen data, in the order in which they are tried. */
export const DETECTION_TABLE: readonly DetectionRow[] = /* @__PURE__ */ freeze(
  /* @__PURE__ */ ROWS.map(({ kind, anyOf }) => ({ kind, anyOf })),
);

/** Keeps the literal types of a row. */
function defineRow<const R extends TriggerRow & { readonly kind: (typeof TRIGGER_KINDS)[number] }>(row: R): R {
  return row;
}

/** The table is shared by all code in the process, so it must not change. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/**
 * `<id>.lambda-url.<region>.on.aws`, in other partitions `….on.amazonwebservices.com.cn` and `….on.amazonwebservices.eu`. The
 * event in AWS's guide has the placeholder `<url-id>` there, and developers paste it.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 */
const URL_DOMAIN = /^[a-z0-9<>-]+\.lambda-url\.[a-z0-9-]+\.on\.(?:aws|amazonwebservices\.(?:com\.cn|eu))$/;

/** A host name has at most 253 characters (RFC 1035, section 2.3.4): the pattern never reads megabytes. */
const MAX_HOST_CHARACTERS = 253;

/** The host name of a function URL. */
export function isUrlDomain(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_HOST_CHARACTERS && URL_DOMAIN.test(value);
}
