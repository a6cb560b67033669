import type { LambdaContext, RequestInput, Response } from '@sallyport/core';
import { type OpenPipelineOptions, serveRequest } from '../../src/index.js';
import { createOpenKernel, toHttpOptions } from '../../src/pipeline/options.js';
import { HttpRouter } from '../../src/surface/http-router.js';

/** The request of a client, for any door. */
export interface Sent {
  readonly method?: string;
  /** As the client wrote it: encoded. */
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly cookies?: string[];
  readonly query?: string;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** The response to a client, from any door. */
export interface Got {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly cookies: string[];
  readonly body: Buffer;
  readonly raw: Record<string, unknown>;
}

export interface TestDoor {
  readonly name: string;
  readonly kind: string;
  readonly event: (sent: Sent) => Record<string, unknown>;
  readonly read: (answer: Record<string, unknown>) => Pick<Got, 'headers' | 'cookies'>;
}

const body = ({ body: text, isBase64Encoded = false }: Sent) => ({
  ...(text === undefined ? {} : { body: text }),
  isBase64Encoded,
});
const decodeV2 = (path: string) => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

function httpApi(sent: Sent, path: string, domainName: string): Record<string, unknown> {
  const { method = 'GET', headers = {}, cookies, query = '' } = sent;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers,
    ...(cookies ? { cookies } : {}),
    requestContext: { domainName, stage: '$default', http: { method, path, sourceIp: '203.0.113.7' } },
    ...body(sent),
  };
}

function multi(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

function withCookieHeader({ headers = {}, cookies }: Sent): Record<string, string> {
  return cookies ? { ...headers, Cookie: cookies.join('; ') } : headers;
}

function queryLists(query: string, decode: (text: string) => string): Record<string, string[]> {
  const lists = Object.create(null) as Record<string, string[]>;
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', value = ''] = pair.split('=').map(decode);
    lists[name] = [...(lists[name] ?? []), value];
  }
  return lists;
}

const last = (lists: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? '']));
const record = (value: unknown) => (value ?? {}) as Record<string, string>;
const records = (value: unknown) => (value ?? {}) as Record<string, string[]>;

function readMulti(answer: Record<string, unknown>): Pick<Got, 'headers' | 'cookies'> {
  const single = record(answer.headers);
  const lists = records(answer.multiValueHeaders);
  const merged: Record<string, string> = { ...single };
  for (const [name, values] of Object.entries(lists)) merged[name] = values.join(',');
  const cookies = [...(single['set-cookie'] ? [single['set-cookie']] : []), ...(lists['set-cookie'] ?? [])];
  delete merged['set-cookie'];
  return { headers: merged, cookies };
}

export const gatewayV2: TestDoor = {
  name: 'gateway v2',
  kind: 'gateway-v2',
  event: (sent) => httpApi(sent, decodeV2(sent.path ?? '/'), 'x.execute-api.eu-west-1.amazonaws.com'),
  read: ({ headers, cookies }) => ({ headers: record(headers), cookies: (cookies ?? []) as string[] }),
};

export const functionUrl: TestDoor = {
  ...gatewayV2,
  name: 'function URL',
  kind: 'function-url',
  event: (sent) => httpApi(sent, sent.path ?? '/', 'x.lambda-url.eu-west-1.on.aws'),
};

export const gatewayV1: TestDoor = {
  name: 'gateway v1',
  kind: 'gateway-v1',
  event: (sent) => {
    const lists = queryLists(sent.query ?? '', decodeURIComponent);
    const headers = withCookieHeader(sent);
    return {
      httpMethod: sent.method ?? 'GET',
      path: sent.path ?? '/',
      headers,
      multiValueHeaders: multi(headers),
      queryStringParameters: last(lists),
      multiValueQueryStringParameters: lists,
      requestContext: { stage: 'live', identity: { sourceIp: '203.0.113.7' } },
      ...body(sent),
    };
  },
  read: readMulti,
};

function loadBalancer(sent: Sent, multiValue: boolean): Record<string, unknown> {
  const lists = queryLists(sent.query ?? '', (text) => text);
  const headers = withCookieHeader(sent);
  return {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/x/1' } },
    httpMethod: sent.method ?? 'GET',
    path: sent.path ?? '/',
    ...(multiValue
      ? { multiValueHeaders: multi(headers), multiValueQueryStringParameters: lists }
      : { headers, queryStringParameters: last(lists) }),
    ...body(sent),
  };
}

export const albSingle: TestDoor = {
  name: 'load balancer, single-value',
  kind: 'load-balancer',
  event: (sent) => loadBalancer(sent, false),
  read: ({ headers }) => {
    const all = Object.entries(record(headers));
    return {
      headers: Object.fromEntries(all.filter(([name]) => name.toLowerCase() !== 'set-cookie')),
      cookies: all.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value),
    };
  },
};

export const albMulti: TestDoor = {
  name: 'load balancer, multi-value',
  kind: 'load-balancer',
  event: (sent) => loadBalancer(sent, true),
  read: readMulti,
};

export const doors: readonly TestDoor[] = [gatewayV2, functionUrl, gatewayV1, albSingle, albMulti];

/** The HTTP part of an open container: every feature there, chosen by the container's options. */
class OpenRouter extends HttpRouter {
  constructor(options: OpenPipelineOptions) {
    super(createOpenKernel(options), toHttpOptions(options));
  }

  serveRequest(request: RequestInput, lambdaContext?: LambdaContext): Promise<Response> {
    return serveRequest(this, request, lambdaContext);
  }
}

/** A router with the routes that `register` adds. */
export function routerWith(register: (router: HttpRouter) => void, options: OpenPipelineOptions = {}): OpenRouter {
  const router = new OpenRouter(options);
  register(router);
  return router;
}

export const LAMBDA = { awsRequestId: 'req-1', functionName: 'f', getRemainingTimeInMillis: () => 30_000 };

/** Sends through a door and reads the answer back. */
export async function send(router: HttpRouter, door: TestDoor, sent: Sent): Promise<Got> {
  const event: unknown = JSON.parse(JSON.stringify(door.event(sent)));
  const raw = (await router.serve(door.kind, event, { lambdaContext: LAMBDA })) as Record<string, unknown>;
  const text = raw.body as string;
  return {
    status: raw.statusCode as number,
    ...door.read(raw),
    body: Buffer.from(text, raw.isBase64Encoded ? 'base64' : 'utf8'),
    raw,
  };
}
