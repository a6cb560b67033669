import type { Handler, LambdaContext } from '@sallyport/core';
import type { Posture, SecureApp } from '@sallyport/secure';

/** The answer to a caller, on any surface. */
export interface Answer {
  readonly status: number;
  /** The error's code; `''` if the answer is not an error. */
  readonly code: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** All that left, as text. */
  readonly raw: string;
}

export interface Sent {
  readonly method?: string;
  /** Exactly as the event contains it. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly requestContext?: Readonly<Record<string, unknown>>;
}

export interface Door {
  readonly name: string;
  readonly event: (sent: Sent) => Record<string, unknown>;
}

const v2 = (domainName: string, { method = 'GET', path = '/op', headers = {}, body, requestContext }: Sent) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path,
  rawQueryString: '',
  headers,
  requestContext: { domainName, stage: '$default', http: { method, path, sourceIp: '203.0.113.7' }, ...requestContext },
  ...(body === undefined ? {} : { body }),
  isBase64Encoded: false,
});

const lists = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

/** The HTTP front doors, with events made by hand, without normalization. */
export const DOORS: readonly Door[] = [
  { name: 'gateway v2', event: (sent) => v2('api1.execute-api.us-east-1.amazonaws.com', sent) },
  { name: 'function URL', event: (sent) => v2('url1.lambda-url.us-east-1.on.aws', sent) },
  {
    name: 'gateway v1',
    event: ({ method = 'GET', path = '/op', headers = {}, body, requestContext }) => ({
      httpMethod: method,
      path,
      headers,
      multiValueHeaders: lists(headers),
      requestContext: { stage: 'prod', identity: { sourceIp: '203.0.113.7' }, ...requestContext },
      body: body ?? null,
      isBase64Encoded: false,
    }),
  },
  {
    name: 'load balancer',
    event: ({ method = 'GET', path = '/op', headers = {}, body, requestContext }) => ({
      httpMethod: method,
      path,
      headers,
      requestContext: {
        elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/t/1' },
        ...requestContext,
      },
      body: body ?? '',
      isBase64Encoded: false,
    }),
  },
];

export const DIRECT = 'serve';

/** Sends a request through a door, or through `serve`. */
export async function send(
  app: SecureApp,
  door: Door | typeof DIRECT,
  sent: Sent,
  lambda?: LambdaContext,
): Promise<Answer> {
  if (door === DIRECT) {
    const { method = 'GET', path = '/op', headers = {}, body = '' } = sent;
    const { status, body: bytes, headers: lists } = await app.serve({ method, path, headers, body }, lambda);
    const first = Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values[0] ?? '']));
    return toAnswer(status, Buffer.from(bytes).toString(), first, '');
  }
  return readHttp(await app.handleLambda(door.event(sent), lambda));
}

export function readHttp(result: unknown): Answer {
  const { statusCode, body, headers } = result as { statusCode: number; body: string; headers: Record<string, string> };
  return toAnswer(statusCode, body, headers, JSON.stringify(result));
}

function toAnswer(status: number, text: string, headers: Record<string, string>, raw: string): Answer {
  const body: unknown = text === '' ? null : JSON.parse(text);
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: { code: string; message: string };
  };
  return { status, code: error?.code ?? '', message: error?.message ?? '', headers, body, raw: raw || text };
}

export interface FieldNames {
  readonly parentType?: string;
  readonly field?: string;
}

export function graphqlEvent({
  parentType = 'Query',
  field = 'op',
  ...extra
}: FieldNames & Record<string, unknown> = {}) {
  return { arguments: {}, info: { fieldName: field, parentTypeName: parentType }, identity: null, ...extra };
}

export function readGraphql(payload: unknown): Answer {
  const { framework_error, error_data, error_info, error_message } = (payload ?? {}) as {
    framework_error?: boolean;
    error_data?: { status_code?: number };
    error_info?: { code?: string };
    error_message?: string;
  };
  const raw = JSON.stringify(payload);
  if (framework_error !== true) return { status: 200, code: '', message: '', headers: {}, body: payload, raw };
  const status = error_data?.status_code ?? 0;
  return { status, code: error_info?.code ?? '', message: error_message ?? '', headers: {}, body: payload, raw };
}

export interface SocketEvent {
  readonly routeKey?: string;
  readonly eventType?: string;
  readonly connectionId?: string;
  readonly connectedAt?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly requestContext?: Readonly<Record<string, unknown>>;
}

const EVENT_TYPES: Readonly<Record<string, string>> = { $connect: 'CONNECT', $disconnect: 'DISCONNECT' };

export function socketEvent({ routeKey = 'op', eventType, connectionId, connectedAt, ...sent }: SocketEvent = {}) {
  return {
    headers: sent.headers ?? {},
    requestContext: {
      routeKey,
      eventType: eventType ?? EVENT_TYPES[routeKey] ?? 'MESSAGE',
      connectionId: connectionId ?? 'conn-1',
      connectedAt: connectedAt ?? 1_000,
      apiId: 'api1',
      stage: 'dev',
      domainName: 'api1.execute-api.us-east-1.amazonaws.com',
      requestId: 'req-1',
      ...sent.requestContext,
    },
    ...(sent.body === undefined ? {} : { body: sent.body }),
    isBase64Encoded: false,
  };
}

/** One operation on each surface. */
export interface Operation {
  readonly name: string;
  readonly register: (app: SecureApp, handler: Handler, posture: Posture) => void;
  readonly call: (app: SecureApp, lambda?: LambdaContext) => Promise<Answer>;
}

export const OPERATIONS: readonly Operation[] = [
  ...[...DOORS, DIRECT as typeof DIRECT].map((door) => ({
    name: door === DIRECT ? DIRECT : door.name,
    register: (app: SecureApp, handler: Handler, posture: Posture) => void app.get('/op', handler, posture),
    call: (app: SecureApp, lambda?: LambdaContext) => send(app, door, {}, lambda),
  })),
  {
    name: 'GraphQL',
    register: (app, handler, posture) => void app.appSyncField('Query', 'op', handler, posture),
    call: async (app, lambda) => readGraphql(await app.handleLambda(graphqlEvent(), lambda)),
  },
  {
    name: 'WebSocket',
    register: (app, handler, posture) => void app.webSocket('op', handler, posture),
    call: async (app, lambda) => readHttp(await app.handleLambda(socketEvent(), lambda)),
  },
];
