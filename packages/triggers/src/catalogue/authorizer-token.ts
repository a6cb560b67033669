import { isStringMap } from '@sallyport/core/internal';
import { defineOptions, kind, oneOf, string } from '@sallyport/core/options';
import {
  AUTHORIZER_TOKEN_TRIGGER,
  deny,
  type TokenAuthorizerOptions,
  tokenAuthorizer,
} from '../kinds/authorizer-token.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

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

const TEXTS = kind<Readonly<Record<string, string>>>('an object of strings', isStringMap);

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

/** Authorizers in the catalogue. @internal */
export const AUTHORIZER_TOKEN = /* @__PURE__ */ describeTrigger(AUTHORIZER_TOKEN_TRIGGER, {
  sample: {
    build: buildTokenAuthorizerEvent,
    events: [[buildTokenAuthorizerEvent(), undefined]],
    names: [''],
    result: /* @__PURE__ */ deny(),
    register: (handlers, options?: TokenAuthorizerOptions) => tokenAuthorizer(only(handlers), options),
  },
  docs: {
    section: 'Authorizers',
    rows: [
      [
        '`tokenAuthorizer(handler, { scope })`; `TokenAuthorizer`, `TokenRequest`, `TokenAuthorizerOptions`',
        'TOKEN authorizers of REST APIs',
      ],
      [
        '`requestAuthorizer({ form, scope }, handler)`; `RequestAuthorizer`, `AuthorizerRequest`, `RequestAuthorizerOptions`',
        'REQUEST authorizers, as a separate Lambda function: `serveAuthorizer`',
      ],
      [
        '`allow(principalId, { context, usageIdentifierKey })`, `deny({ context })`, `unauthorized()`; `AuthorizerAnswer`, `AuthorizerValues`, `AllowOptions`, `DenyOptions`',
        'the decisions of an authorizer',
      ],
      ['`AuthorizerPolicy`, `SimpleAuthorizerAnswer`', 'answers to API Gateway'],
    ],
  },
  construct: 'authorizer',
  simulate: null,
  aws: {
    author: 'API Gateway; a client wrote the token',
    failure: 'API Gateway answers 500, or 401 for `Unauthorized`',
    limit: '6 MB',
  },
  hint: ['gateway-v1', 'an authorizer request (serve it with a separate function)', 'authorizationToken'],
  sizes: { factory: 'tokenAuthorizer', gzipBytes: 11_950 },
});
