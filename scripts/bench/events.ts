// Events in the full shapes that AWS sends, with twenty headers.
import { FIELDS, type Job, type Order, randomBytes } from './application.js';

const HEADERS: Readonly<Record<string, string>> = {
  accept: 'application/json, text/plain, */*',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
  authorization: `Bearer ${'eyJhbGciOiJSUzI1NiJ9.'.repeat(20)}`,
  'cache-control': 'no-cache',
  'content-length': '0',
  cookie: 'session=3f8a2b; theme=dark; consent=yes',
  host: 'api.example.com',
  origin: 'https://www.example.com',
  pragma: 'no-cache',
  referer: 'https://www.example.com/users',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-site',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'x-amzn-trace-id': 'Root=1-673f1a2b-3c4d5e6f708192a3b4c5d6e7',
  'x-client-version': '7.31.2',
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-port': '443',
  'x-forwarded-proto': 'https',
};

export interface HttpCall {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  /** Sent instead of a token that is not checked. */
  readonly token?: string;
}

function headersOf({ contentType, body, isBase64Encoded, token }: HttpCall): Record<string, string> {
  const headers = token === undefined ? HEADERS : { ...HEADERS, authorization: `Bearer ${token}` };
  if (body === undefined) return { ...headers };
  const length = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  return { ...headers, 'content-type': contentType ?? 'application/json', 'content-length': String(length) };
}

/** API Gateway HTTP API, payload format 2.0. */
export function gatewayV2Event(call: HttpCall): object {
  const { cookie, ...headers } = headersOf(call);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: call.path,
    rawQueryString: 'page=2&sort=name',
    cookies: (cookie ?? '').split('; '),
    headers,
    queryStringParameters: { page: '2', sort: 'name' },
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: {
        method: call.method,
        path: call.path,
        protocol: 'HTTP/1.1',
        sourceIp: '203.0.113.7',
        userAgent: HEADERS['user-agent'],
      },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage: '$default',
      time: '21/Nov/2026:09:00:00 +0000',
      timeEpoch: 1795251600000,
    },
    ...(call.body === undefined ? {} : { body: call.body }),
    isBase64Encoded: call.isBase64Encoded ?? false,
  };
}

/** Lambda function URL: also format 2.0, recognized by its domain. */
export function functionUrlEvent(call: HttpCall): object {
  const event = gatewayV2Event(call) as { requestContext: object; headers: Record<string, string> };
  const domainName = 'a1b2c3d4e5f6g7h8.lambda-url.eu-west-1.on.aws';
  return {
    ...event,
    headers: { ...event.headers, host: domainName },
    requestContext: {
      ...event.requestContext,
      apiId: 'a1b2c3d4e5f6g7h8',
      domainName,
      domainPrefix: 'a1b2c3d4e5f6g7h8',
    },
  };
}

/** API Gateway REST API, payload format 1.0. */
export function gatewayV1Event(call: HttpCall): object {
  const headers = Object.fromEntries(Object.entries(headersOf(call)).map(([name, value]) => [titleCase(name), value]));
  return {
    resource: '/{proxy+}',
    path: call.path,
    httpMethod: call.method,
    headers,
    multiValueHeaders: listsOf(headers),
    queryStringParameters: { page: '2', sort: 'name' },
    multiValueQueryStringParameters: { page: ['2'], sort: ['name'] },
    pathParameters: { proxy: call.path.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      extendedRequestId: 'JKJaXmPLvHcESHA=',
      httpMethod: call.method,
      identity: {
        sourceIp: '203.0.113.7',
        userAgent: HEADERS['user-agent'],
        accountId: null,
        caller: null,
        user: null,
      },
      path: `/prod${call.path}`,
      protocol: 'HTTP/1.1',
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      requestTime: '21/Nov/2026:09:00:00 +0000',
      requestTimeEpoch: 1795251600000,
      resourceId: 'abc123',
      resourcePath: '/{proxy+}',
      stage: 'prod',
    },
    body: call.body ?? null,
    isBase64Encoded: call.isBase64Encoded ?? false,
  };
}

/** Application load balancer, single-value headers. */
export function loadBalancerEvent(call: HttpCall): object {
  return {
    requestContext: {
      elb: {
        targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/users/5c6d7e8f9a0b1c2d',
      },
    },
    httpMethod: call.method,
    path: call.path,
    queryStringParameters: { page: '2', sort: 'name' },
    headers: headersOf(call),
    body: call.body ?? '',
    isBase64Encoded: call.isBase64Encoded ?? false,
  };
}

function titleCase(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function listsOf(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

/** About 10 KiB of JSON. */
export function order(): Order {
  const lines = Array.from({ length: 150 }, (_, index) => ({
    sku: `SKU-${String(index).padStart(6, '0')}`,
    quantity: (index % 9) + 1,
    price: 100 + index,
    note: 'gift wrap',
  }));
  return { lines };
}

/** 1 MiB of binary data. */
export const UPLOAD = randomBytes(1024 * 1024);

function jobs(count: number, failing: readonly number[]): readonly Job[] {
  return Array.from({ length: count }, (_, id) => ({ id, fails: failing.includes(id), note: 'n'.repeat(120) }));
}

export function queueEvent(count: number, failing: readonly number[]): object {
  return {
    Records: jobs(count, failing).map((job) => ({
      messageId: messageId(job.id),
      receiptHandle: `AQEB${'w'.repeat(180)}`,
      body: JSON.stringify(job),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '1795251600000',
        SenderId: 'AIDAIENQZJOLO23YVJ4VO',
        ApproximateFirstReceiveTimestamp: '1795251600001',
      },
      messageAttributes: { tenant: { stringValue: 'acme', dataType: 'String' } },
      md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:jobs',
      awsRegion: 'eu-west-1',
    })),
  };
}

export function messageId(id: number): string {
  return `059f36b4-87a3-44ab-83d2-${String(id).padStart(12, '0')}`;
}

export function kinesisEvent(count: number, failing: readonly number[]): object {
  return {
    Records: jobs(count, failing).map((job) => ({
      kinesis: {
        kinesisSchemaVersion: '1.0',
        partitionKey: `partition-${job.id}`,
        sequenceNumber: sequenceNumber(job.id),
        data: Buffer.from(JSON.stringify(job)).toString('base64'),
        approximateArrivalTimestamp: 1795251600.123,
      },
      eventSource: 'aws:kinesis',
      eventVersion: '1.0',
      eventID: `shardId-000000000006:${sequenceNumber(job.id)}`,
      eventName: 'aws:kinesis:record',
      invokeIdentityArn: 'arn:aws:iam::123456789012:role/lambda-role',
      awsRegion: 'eu-west-1',
      eventSourceARN: 'arn:aws:kinesis:eu-west-1:123456789012:stream/jobs',
    })),
  };
}

export function sequenceNumber(id: number): string {
  return `49590338271490256608559692538361571095921575989136${String(id).padStart(6, '0')}`;
}

/** AppSync direct Lambda resolver. */
export function resolverEvent(): object {
  const { cookie: _cookie, ...headers } = HEADERS;
  return {
    arguments: { id: '42' },
    identity: {
      sub: '7d8e9f00-1111-2222-3333-444455556666',
      issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example',
      username: 'ada',
      claims: { sub: '7d8e9f00-1111-2222-3333-444455556666', token_use: 'access' },
      sourceIp: ['203.0.113.7'],
      defaultAuthStrategy: 'ALLOW',
      groups: null,
    },
    source: null,
    request: { headers, domainName: null },
    prev: null,
    info: {
      fieldName: FIELDS[25],
      parentTypeName: 'Query',
      variables: { id: '42' },
      selectionSetList: ['id', 'field'],
      selectionSetGraphQL: '{\n  id\n  field\n}',
    },
    stash: {},
  };
}
