import { defineOptions, integer, kind, object, oneOf, string } from '@sallyport/core/options';
import { refused } from '../errors.js';

const TEXT_OR_BYTES = /* @__PURE__ */ kind<string | Uint8Array>(
  'a string or bytes',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
);

/** Options of one record of {@link buildFirehoseEvent}. */
export interface FirehoseRecordOptions {
  /** Default `data-<n>`, by its place in the event, from 1. */
  readonly data?: string | Uint8Array;
  /** Default `record-<n>`. */
  readonly recordId?: string;
}

const FIREHOSE_RECORD = /* @__PURE__ */ defineOptions<FirehoseRecordOptions>()({
  data: TEXT_OR_BYTES,
  recordId: string,
});

/** A batch of Firehose in the form of its documentation. */
export interface FirehoseEvent {
  /** The id of the invocation. */
  readonly invocationId: string;
  /** The stream. */
  readonly deliveryStreamArn: string;
  /** Its region. */
  readonly region: string;
  /** The records. */
  readonly records: {
    readonly recordId: string;
    readonly approximateArrivalTimestamp: number;
    readonly data: string;
  }[];
}

/**
 * Builds a batch of a Firehose stream for its transformation.
 *
 * @see https://docs.aws.amazon.com/firehose/latest/dev/data-transformation.html
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option or a wrong type
 * @example buildFirehoseEvent('clicks', [{ data: '{"id":1}' }]);
 */
export function buildFirehoseEvent(stream: string, records: readonly FirehoseRecordOptions[]): FirehoseEvent {
  if (!Array.isArray(records) || records.length === 0) throw refused('buildFirehoseEvent needs records');
  return {
    invocationId: 'invocation-1',
    deliveryStreamArn: `arn:aws:firehose:us-east-1:123456789012:deliverystream/${stream}`,
    region: 'us-east-1',
    records: records.map((given, index) => {
      const { data = `data-${index + 1}`, recordId = `record-${index + 1}` } = FIREHOSE_RECORD.parse(given);
      return {
        recordId,
        approximateArrivalTimestamp: index + 1,
        data: Buffer.from(data as string).toString('base64'),
      };
    }),
  };
}

/** Options of {@link buildS3BatchEvent}. */
export interface S3BatchEventOptions {
  /** Default `1.0`. */
  readonly schema?: '1.0' | '2.0';
  /** The key as text; it is encoded here. Default `key-1`. */
  readonly key?: string;
  /** Default: none. */
  readonly versionId?: string;
  /** Arguments of the job for the function; schema 2.0 only. Default: none. */
  readonly userArguments?: Readonly<Record<string, string>>;
}

const S3_BATCH_EVENT = /* @__PURE__ */ defineOptions<S3BatchEventOptions>()({
  schema: oneOf('1.0', '2.0').default('1.0'),
  key: string.default('key-1'),
  versionId: string,
  userArguments: object<Readonly<Record<string, string>>>(),
});

/** An invocation by a job of S3 Batch Operations, in the form of its documentation. */
export interface S3BatchEvent {
  /** `1.0` or `2.0`. */
  readonly invocationSchemaVersion: string;
  /** The id of the invocation. */
  readonly invocationId: string;
  /** The job. */
  readonly job: { readonly id: string; readonly userArguments?: Record<string, string> };
  /** The objects; S3 sends one with each invocation. */
  readonly tasks: {
    readonly taskId: string;
    readonly s3Key: string;
    readonly s3VersionId: string | null;
    readonly s3BucketArn?: string;
    readonly s3Bucket?: string;
  }[];
}

/**
 * Builds a task of a job of S3 Batch Operations.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/batch-ops-invoke-lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildS3BatchEvent('uploads', { key: 'a b.txt' });
 */
export function buildS3BatchEvent(bucket: string, options: S3BatchEventOptions = {}): S3BatchEvent {
  const { schema, key, versionId = null, userArguments = {} } = S3_BATCH_EVENT.parse(options);
  const place = schema === '1.0' ? { s3BucketArn: `arn:aws:s3:::${bucket}` } : { s3Bucket: bucket };
  return {
    invocationSchemaVersion: schema,
    invocationId: 'invocation-1',
    job: { id: 'job-1', ...(schema === '2.0' && { userArguments: { ...userArguments } }) },
    tasks: [{ taskId: 'task-1', s3Key: encodeURIComponent(key), s3VersionId: versionId, ...place }],
  };
}

/** Options of {@link buildSecretRotationEvent}. */
export interface SecretRotationEventOptions {
  /** Default `createSecret`. */
  readonly step?: 'createSecret' | 'setSecret' | 'testSecret' | 'finishSecret';
  /** The id of the new version. Default `version-1`. */
  readonly token?: string;
}

const ROTATION_EVENT = /* @__PURE__ */ defineOptions<SecretRotationEventOptions>()({
  step: oneOf('createSecret', 'setSecret', 'testSecret', 'finishSecret').default('createSecret'),
  token: string.default('version-1'),
});

/** One step of a rotation. */
export interface SecretRotationEvent {
  /** The step. */
  readonly Step: 'createSecret' | 'setSecret' | 'testSecret' | 'finishSecret';
  /** The ARN of the secret. */
  readonly SecretId: string;
  /** The id of the new version. */
  readonly ClientRequestToken: string;
}

/**
 * Builds one step of the rotation of a secret.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildSecretRotationEvent('database', { step: 'setSecret' });
 */
export function buildSecretRotationEvent(name: string, options: SecretRotationEventOptions = {}): SecretRotationEvent {
  const { step, token } = ROTATION_EVENT.parse(options);
  const SecretId = `arn:aws:secretsmanager:us-east-1:123456789012:secret:${name}-AbCdEf`;
  return { Step: step, SecretId, ClientRequestToken: token };
}

/** Options of {@link buildAppSyncAuthorizerEvent}. */
export interface AppSyncAuthorizerEventOptions {
  /** `graphql`, or an Event API: `events`. Default `graphql`. */
  readonly api?: 'graphql' | 'events';
  /** Default `token`. */
  readonly token?: string;
}

const APPSYNC_AUTHORIZER_EVENT = /* @__PURE__ */ defineOptions<AppSyncAuthorizerEventOptions>()({
  api: oneOf('graphql', 'events').default('graphql'),
  token: string.default('token'),
});

/** The event of an AppSync authorizer. */
export interface AppSyncAuthorizerEvent {
  /** The token of the client. */
  readonly authorizationToken: string;
  /** The request. */
  readonly requestContext: {
    readonly apiId: string;
    readonly accountId: string;
    readonly requestId: string;
    readonly queryString: string;
    readonly variables: Record<string, unknown>;
    readonly [name: string]: unknown;
  };
  /** The headers of the client. */
  readonly requestHeaders: Record<string, string>;
}

/**
 * Builds the event of an AppSync authorizer.
 *
 * @see https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildAppSyncAuthorizerEvent(options: AppSyncAuthorizerEventOptions = {}): AppSyncAuthorizerEvent {
  const { api, token } = APPSYNC_AUTHORIZER_EVENT.parse(options);
  const ids = { apiId: 'api-1', accountId: '123456789012', requestId: 'request-1' };
  const graphql = { queryString: 'query { note }', operationName: 'note', variables: {} };
  const events = { operation: 'EVENT_PUBLISH', channelNamespaceName: 'news', channel: '/news/sport' };
  const requestContext = { ...ids, ...(api === 'graphql' ? graphql : events) } as never;
  return { authorizationToken: token, requestContext, requestHeaders: { authorization: token } };
}

/** Options of {@link buildAppSyncEventsEvent}. */
export interface AppSyncEventsEventOptions {
  /** Default `PUBLISH`. */
  readonly operation?: 'PUBLISH' | 'SUBSCRIBE';
  /** The published payloads. Default: one, `{ n: 1 }`. */
  readonly payloads?: readonly unknown[];
  /** The identity that the API has verified. Default `null`: an API key. */
  readonly identity?: Readonly<Record<string, unknown>> | null;
  /** Headers that the API passes on. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

const APPSYNC_EVENTS_EVENT = /* @__PURE__ */ defineOptions<AppSyncEventsEventOptions>()({
  operation: oneOf('PUBLISH', 'SUBSCRIBE').default('PUBLISH'),
  payloads: kind<readonly unknown[]>('a list', Array.isArray),
  identity: kind<Readonly<Record<string, unknown>> | null>('an object or null', (value) => typeof value === 'object'),
  headers: object<Readonly<Record<string, string>>>(),
});

/**
 * Builds the event of a channel of AppSync Events.
 *
 * @param path of the channel: `/news/sport`
 * @see https://docs.aws.amazon.com/appsync/latest/eventapi/direct-lambda-integrations.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildAppSyncEventsEvent('/news/sport', { payloads: [{ score: 1 }] });
 */
export function buildAppSyncEventsEvent(
  path: string,
  options: AppSyncEventsEventOptions = {},
): Record<string, unknown> {
  const { operation, payloads = [{ n: 1 }], identity = null, headers = {} } = APPSYNC_EVENTS_EVENT.parse(options);
  const segments = path.split('/').filter((segment) => segment !== '');
  return {
    identity,
    result: null,
    request: { headers: { ...headers }, domainName: null },
    info: { channel: { path, segments }, channelNamespace: { name: segments[0] ?? '' }, operation },
    error: null,
    prev: null,
    stash: {},
    outErrors: [],
    events: operation === 'PUBLISH' ? payloads.map((payload, index) => ({ id: `event-${index + 1}`, payload })) : null,
  };
}

/** Options of {@link buildLatticeRequest}. */
export interface LatticeRequestOptions {
  /** Of the event's form. Default 2. */
  readonly version?: number;
  /** Headers; more than one value only in version 2. Default: none. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Query parameters; more than one value only in version 2. Default: none. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Bytes are sent as base64. Default: none. */
  readonly body?: string | Uint8Array;
  /** Identity of the caller, in version 2. Default: only its network. */
  readonly identity?: Readonly<Record<string, string>>;
}

type OneOrMany = Readonly<Record<string, string | readonly string[]>>;

const LATTICE_REQUEST = /* @__PURE__ */ defineOptions<LatticeRequestOptions>()({
  version: integer(1, 2).default(2),
  headers: object<OneOrMany>(),
  query: object<OneOrMany>(),
  body: TEXT_OR_BYTES,
  identity: object<Readonly<Record<string, string>>>(),
});

/**
 * Builds a request of VPC Lattice.
 *
 * @see https://docs.aws.amazon.com/vpc-lattice/latest/ug/lambda-functions.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildLatticeRequest('GET', '/orders', { query: { tag: ['a', 'b'] } });
 */
export function buildLatticeRequest(
  method: string,
  path: string,
  options: LatticeRequestOptions = {},
): Record<string, unknown> {
  const { version, headers = {}, query = {}, body, identity } = LATTICE_REQUEST.parse(options);
  const isBase64 = body instanceof Uint8Array;
  const text = isBase64 ? Buffer.from(body).toString('base64') : body;
  if (version === 1) {
    return {
      raw_path: path,
      method,
      headers: mapValues(headers, (values) => values.join(',')),
      query_string_parameters: mapValues(query, (values) => values.at(-1) ?? ''),
      body: text ?? '',
      is_base64_encoded: isBase64,
    };
  }
  const network = 'arn:aws:vpc-lattice:us-east-1:123456789012:';
  return {
    version: '2.0',
    path,
    method,
    headers: mapValues(headers, (values) => values),
    ...(options.query && { queryStringParameters: mapValues(query, (values) => values) }),
    ...(text !== undefined && { body: text, isBase64Encoded: isBase64 }),
    requestContext: {
      serviceNetworkArn: `${network}servicenetwork/sn-1`,
      serviceArn: `${network}service/svc-1`,
      targetGroupArn: `${network}targetgroup/tg-1`,
      identity: { sourceVpcArn: 'arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1', ...identity },
      region: 'us-east-1',
      timeEpoch: '0',
    },
  };
}

function mapValues<T>(map: OneOrMany, to: (values: readonly string[]) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, to([value].flat())]));
}
