import { defineOptions, kind, number, object, oneOf, string } from '@sallyport/core/options';
import { refused } from '../errors.js';

/** Options of one record of {@link buildS3Event}; `<n>` is its place in the event, from 1. */
export interface S3RecordOptions {
  /** The key as text; it is encoded here, as S3 does. */
  readonly key: string;
  /** The event name. Default `ObjectCreated:Put`. */
  readonly event?: string;
  /** Bytes of the object; default 1024, absent for deletions. */
  readonly size?: number;
  /** The entity tag; default of 32 digits, absent for deletions. */
  readonly eTag?: string;
  /** The version. Default: left out. */
  readonly versionId?: string;
  /** Orders the events of one key. Default: `<n>` in 18 digits. */
  readonly sequencer?: string;
}

const S3_RECORD = /* @__PURE__ */ defineOptions<S3RecordOptions>()({
  key: string.required(),
  event: string.default('ObjectCreated:Put'),
  size: number(0),
  eTag: string,
  versionId: string,
  sequencer: string,
});

/** A notification of S3 in the form of its documentation. */
export interface S3Event {
  /** The records; S3 sends one with each invocation. */
  readonly Records: S3EventRecord[];
}

/** One record of an {@link S3Event}: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html. */
export interface S3EventRecord {
  /** Version of this form. */
  readonly eventVersion: string;
  /** `aws:s3`. */
  readonly eventSource: string;
  /** The region of the bucket. */
  readonly awsRegion: string;
  /** Time of the event, ISO 8601. */
  readonly eventTime: string;
  /** The event name. */
  readonly eventName: string;
  /** The user who caused the event. */
  readonly userIdentity: { readonly principalId: string };
  /** Address of the request. */
  readonly requestParameters: { readonly sourceIPAddress: string };
  /** The ids of the request. */
  readonly responseElements: { readonly 'x-amz-request-id': string; readonly 'x-amz-id-2': string };
  /** Bucket and object. */
  readonly s3: {
    readonly s3SchemaVersion: string;
    readonly configurationId: string;
    readonly bucket: {
      readonly name: string;
      readonly ownerIdentity: { readonly principalId: string };
      readonly arn: string;
    };
    readonly object: {
      readonly key: string;
      readonly size?: number;
      readonly eTag?: string;
      readonly versionId?: string | undefined;
      readonly sequencer: string;
    };
  };
}

/**
 * Builds notifications of a bucket.
 *
 * @throws FrameworkError `app.invalid_configuration` for no records, an unknown option or a wrong type
 * @example buildS3Event('uploads', [{ key: 'a b.txt' }]);
 */
export function buildS3Event(bucket: string, records: readonly S3RecordOptions[]): S3Event {
  if (!Array.isArray(records) || records.length === 0) throw refused('buildS3Event needs records');
  return { Records: records.map((options, index) => s3Record(bucket, S3_RECORD.parse(options), index + 1)) };
}

function s3Record(bucket: string, options: ReturnType<typeof S3_RECORD.parse>, n: number): S3EventRecord {
  const { key, event, versionId, sequencer = String(n).padStart(18, '0') } = options;
  const isGone = event.startsWith('ObjectRemoved') || event.startsWith('LifecycleExpiration');
  const size = options.size ?? (isGone ? undefined : 1_024);
  const eTag = options.eTag ?? (isGone ? undefined : 'd41d8cd98f00b204e9800998ecf8427e');
  return {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: 'us-east-1',
    eventTime: '1970-01-01T00:00:00.000Z',
    eventName: event,
    userIdentity: { principalId: 'AWS:AIDAEXAMPLE' },
    requestParameters: { sourceIPAddress: '203.0.113.1' },
    responseElements: { 'x-amz-request-id': `s3-${n}`, 'x-amz-id-2': 'id-2' },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: 'configuration-1',
      bucket: { name: bucket, ownerIdentity: { principalId: 'OWNER' }, arn: `arn:aws:s3:::${bucket}` },
      object: {
        key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
        ...(size !== undefined && { size }),
        ...(eTag !== undefined && { eTag }),
        ...(versionId !== undefined && { versionId }),
        sequencer,
      },
    },
  };
}

const METHOD_ARN = 'arn:aws:execute-api:us-east-1:123456789012:api1234567/dev/GET/notes';

/** Options of {@link buildTokenAuthorizerEvent}. */
export interface TokenAuthorizerEventOptions {
  /** The value of the header. Default `Bearer token`. */
  readonly token?: string;
  /** The method that is called. Default: `GET /notes` of the stage `dev`. */
  readonly methodArn?: string;
}

const TOKEN_EVENT = /* @__PURE__ */ defineOptions<TokenAuthorizerEventOptions>()({
  token: string.default('Bearer token'),
  methodArn: string.default(METHOD_ARN),
});

/** The event of a TOKEN authorizer. */
export interface TokenAuthorizerEvent {
  /** Always `TOKEN`. */
  readonly type: 'TOKEN';
  /** The method that is called. */
  readonly methodArn: string;
  /** The value of the header. */
  readonly authorizationToken: string;
}

/**
 * Builds the event of a TOKEN authorizer.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildTokenAuthorizerEvent(options: TokenAuthorizerEventOptions = {}): TokenAuthorizerEvent {
  const { token, methodArn } = TOKEN_EVENT.parse(options);
  return { type: 'TOKEN', methodArn, authorizationToken: token };
}

/** Options of {@link buildRequestAuthorizerEvent}. */
export interface RequestAuthorizerEventOptions {
  /** `1.0` of REST and WebSocket APIs, `2.0` of HTTP APIs. Default `1.0`. */
  readonly version?: '1.0' | '2.0';
  /** Headers by name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters. Default: none. */
  readonly query?: Readonly<Record<string, string>>;
}

const isTexts = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
const TEXTS = kind<Readonly<Record<string, string>>>('an object of strings', isTexts);

const REQUEST_EVENT = /* @__PURE__ */ defineOptions<RequestAuthorizerEventOptions>()({
  version: oneOf('1.0', '2.0').default('1.0'),
  headers: TEXTS,
  query: TEXTS,
});

/**
 * Builds the event of a REQUEST authorizer: `GET /notes`. Pass it to `serveAuthorizer`, never to a container.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildRequestAuthorizerEvent(options: RequestAuthorizerEventOptions = {}): Record<string, unknown> {
  const { version, headers = {}, query = {} } = REQUEST_EVENT.parse(options);
  return version === '2.0' ? requestV2(headers, query) : requestV1(headers, query);
}

type Texts = Readonly<Record<string, string>>;

function requestV1(headers: Texts, query: Texts): Record<string, unknown> {
  const lists = (texts: Texts) => Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, [value]]));
  return {
    type: 'REQUEST',
    methodArn: METHOD_ARN,
    resource: '/notes',
    path: '/notes',
    httpMethod: 'GET',
    headers: { ...headers },
    multiValueHeaders: lists(headers),
    queryStringParameters: { ...query },
    multiValueQueryStringParameters: lists(query),
    pathParameters: {},
    stageVariables: {},
    requestContext: {
      accountId: '123456789012',
      apiId: 'api1234567',
      domainName: 'api1234567.execute-api.us-east-1.amazonaws.com',
      domainPrefix: 'api1234567',
      extendedRequestId: 'extended-1',
      httpMethod: 'GET',
      identity: { sourceIp: '203.0.113.1', userAgent: 'test' },
      path: '/dev/notes',
      protocol: 'HTTP/1.1',
      requestId: 'request-1',
      requestTime: '01/Jan/1970:00:00:00 +0000',
      requestTimeEpoch: 0,
      resourceId: 'resource1',
      resourcePath: '/notes',
      stage: 'dev',
    },
  };
}

function requestV2(headers: Texts, query: Texts): Record<string, unknown> {
  return {
    version: '2.0',
    type: 'REQUEST',
    routeArn: 'arn:aws:execute-api:us-east-1:123456789012:api1234567/$default/GET/notes',
    identitySource: Object.values(headers),
    routeKey: 'GET /notes',
    rawPath: '/notes',
    rawQueryString: new URLSearchParams(query).toString(),
    cookies: [],
    headers: { ...headers },
    queryStringParameters: { ...query },
    pathParameters: {},
    stageVariables: {},
    requestContext: {
      accountId: '123456789012',
      apiId: 'api1234567',
      domainName: 'api1234567.execute-api.us-east-1.amazonaws.com',
      domainPrefix: 'api1234567',
      http: { method: 'GET', path: '/notes', protocol: 'HTTP/1.1', sourceIp: '203.0.113.1', userAgent: 'test' },
      requestId: 'request-1',
      routeKey: 'GET /notes',
      stage: '$default',
      time: '01/Jan/1970:00:00:00 +0000',
      timeEpoch: 0,
    },
  };
}

/** Options of {@link buildCognitoEvent}. */
export interface CognitoEventOptions {
  /** The trigger source. Default `PreSignUp_SignUp`. */
  readonly triggerSource?: string;
  /** Default `user-1`. */
  readonly userName?: string;
  /** Members of `request`; `userAttributes` is `{}` unless given. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** The member `response`; `null` leaves it out, as for custom senders. Default: the response of PreSignUp. */
  readonly response?: Readonly<Record<string, unknown>> | null;
}

const COGNITO_EVENT = /* @__PURE__ */ defineOptions<CognitoEventOptions>()({
  triggerSource: string.default('PreSignUp_SignUp'),
  userName: string.default('user-1'),
  request: object<Readonly<Record<string, unknown>>>(),
  response: kind<Readonly<Record<string, unknown>> | null>('an object or null', (value) => typeof value === 'object'),
});

const PRE_SIGN_UP = { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false };

/**
 * Builds an event of a Cognito user pool.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildCognitoEvent(options: CognitoEventOptions = {}): Record<string, unknown> {
  const { triggerSource, userName, request, response = PRE_SIGN_UP } = COGNITO_EVENT.parse(options);
  return {
    version: '1',
    region: 'us-east-1',
    userPoolId: 'us-east-1_example',
    userName,
    triggerSource,
    callerContext: { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId: 'client-1' },
    request: { userAttributes: {}, validationData: null, ...request },
    ...(response !== null && { response: { ...response } }),
  };
}

/** Options of {@link buildCustomResourceEvent}. */
export interface CustomResourceEventOptions {
  /** Default `Create`. */
  readonly requestType?: 'Create' | 'Update' | 'Delete';
  /** URL for the answer. Default: a URL of S3. */
  readonly responseUrl?: string;
  /** The id of the resource. Default: `resource-1`, left out of `Create`. */
  readonly physicalId?: string;
  /** Properties of the resource. Default: none. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Its properties before an update. Default: none. */
  readonly oldProperties?: Readonly<Record<string, unknown>>;
}

const CUSTOM_RESOURCE_EVENT = /* @__PURE__ */ defineOptions<CustomResourceEventOptions>()({
  requestType: oneOf('Create', 'Update', 'Delete').default('Create'),
  responseUrl: string.default(
    'https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/answer?signature=x',
  ),
  physicalId: string,
  properties: object<Readonly<Record<string, unknown>>>(),
  oldProperties: object<Readonly<Record<string, unknown>>>(),
});

/** The properties of a resource as CloudFormation sends them. */
type SentProperties = Record<string, unknown> & { readonly ServiceToken: string };

/** Common members of all custom resource requests of CloudFormation. */
interface ResourceEvent {
  readonly ServiceToken: string;
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  readonly ResourceType: string;
  readonly ResourceProperties: SentProperties;
}

/** A request of CloudFormation for a custom resource, in the form of its documentation. */
export type CustomResourceEvent =
  | (ResourceEvent & { readonly RequestType: 'Create' })
  | (ResourceEvent & { readonly RequestType: 'Delete'; readonly PhysicalResourceId: string })
  | (ResourceEvent & {
      readonly RequestType: 'Update';
      readonly PhysicalResourceId: string;
      readonly OldResourceProperties: SentProperties;
    });

/**
 * Builds a request of CloudFormation for a custom resource.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requesttypes.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildCustomResourceEvent(options: CustomResourceEventOptions = {}): CustomResourceEvent {
  const { requestType, responseUrl, properties, oldProperties, physicalId } = CUSTOM_RESOURCE_EVENT.parse(options);
  const ServiceToken = 'arn:aws:lambda:us-east-1:123456789012:function:resource';
  const common = {
    ServiceToken,
    ResponseURL: responseUrl,
    StackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/notes/00000000-0000-0000-0000-000000000000',
    RequestId: 'request-1',
    LogicalResourceId: 'Resource',
    ResourceType: 'Custom::Resource',
    ResourceProperties: { ServiceToken, ...properties },
  };
  if (requestType === 'Create') return { RequestType: requestType, ...common };
  const existing = { ...common, PhysicalResourceId: physicalId ?? 'resource-1' };
  if (requestType === 'Delete') return { RequestType: requestType, ...existing };
  return { RequestType: requestType, ...existing, OldResourceProperties: { ServiceToken, ...oldProperties } };
}
