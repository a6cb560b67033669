import { FrameworkError, type LogRecord, type WebSocketClient } from '@sallyport/core';
import { json, type OpenPipelineOptions, text } from '../src/index.js';
import { createOpenKernel } from '../src/pipeline/options.js';
import { WebSocketSurface } from '../src/websocket/surface.js';
import { LAMBDA } from './support/doors.js';

function surfaceWith(options: OpenPipelineOptions = {}): WebSocketSurface {
  return new WebSocketSurface(createOpenKernel(options), options);
}

function socketEvent(routeKey: string, change: Record<string, unknown> = {}, context: Record<string, unknown> = {}) {
  return {
    requestContext: {
      routeKey,
      eventType: 'MESSAGE',
      connectionId: 'conn-1',
      connectedAt: 1_795_252_520_000,
      requestId: 'ws-1',
      domainName: 'w.execute-api.eu-west-1.amazonaws.com',
      stage: 'live',
      apiId: 'w',
      ...context,
    },
    body: 'hello',
    isBase64Encoded: false,
    ...change,
  };
}

const serve = async (surface: WebSocketSurface, event: unknown) =>
  (await surface.serve('websocket', event, { lambdaContext: LAMBDA })) as {
    statusCode: number;
    body: string;
    headers: Record<string, string>;
  };

describe('the WebSocket surface', () => {
  it.each([
    ['{"data":{"a":1}}', 200, '{"a":1}'],
    ['no json', 400, expect.stringContaining('invalid json')],
  ])('reads the message %s as JSON without a media type', async (body, statusCode, answer) => {
    const surface = surfaceWith();
    surface.register('say', (ctx) => json(200, (ctx.bodyJson() as { data: unknown }).data));
    expect(await serve(surface, socketEvent('say', { body }))).toMatchObject({ statusCode, body: answer });
  });

  it('routes by the exact key and never falls back to $default', async () => {
    const surface = surfaceWith();
    surface.register('$default', () => text(200, 'default'));
    surface.register(' watch ', () => text(200, 'watch'));
    expect((await serve(surface, socketEvent('watch'))).body).toBe('watch');
    expect((await serve(surface, socketEvent('$default'))).body).toBe('default');
    expect((await serve(surface, socketEvent('other'))).statusCode).toBe(404);
  });

  it.each<[string, unknown, string]>([
    ['a blank key', ' ', 'invalid websocket route'],
    ['a key that is no string', 5, 'invalid websocket route'],
    ['a key twice', 'taken', 'duplicate route: taken'],
  ])('rejects %s', (_name, key, message) => {
    const surface = surfaceWith();
    surface.register('taken', () => text(200, ''));
    expect(() => surface.register(key as string, () => text(200, ''))).toThrow(
      expect.failure('app.bad_request', message),
    );
  });

  it('rejects a value that is not a handler', () => {
    expect(() => surfaceWith().register('x', undefined as never)).toThrow(
      expect.failure('app.bad_request', 'route handler must be a function: x'),
    );
  });

  it('binds the connection to the context', async () => {
    const surface = surfaceWith();
    surface.register('$disconnect', (ctx) => {
      const socket = ctx.asWebSocket();
      return json(200, [
        socket?.connectionId,
        socket?.routeKey,
        socket?.eventType,
        socket?.stage,
        socket?.apiId,
        socket?.connectedAt,
        socket?.disconnectReason,
        socket?.managementEndpoint,
        Buffer.from(socket?.body ?? []).toString(),
        ctx.requestId,
        ctx.route,
        ctx.asAppSync(),
      ]);
    });
    const event = socketEvent('$disconnect', {}, { eventType: 'DISCONNECT', disconnectReason: 'bye' });
    expect(JSON.parse((await serve(surface, event)).body)).toEqual([
      'conn-1',
      '$disconnect',
      'DISCONNECT',
      'live',
      'w',
      1_795_252_520_000,
      'bye',
      'https://w.execute-api.eu-west-1.amazonaws.com/live',
      'hello',
      'ws-1',
      { surface: 'websocket', method: '', pattern: '$disconnect' },
      null,
    ]);
  });

  const VARIABLE = 'FRAMEWORK_WEBSOCKET_ENDPOINT';
  const CUSTOM = { domainName: 'ws.example.com' };

  it.each<[string, object, Record<string, string>, string]>([
    ['its own host name', {}, {}, 'https://w.execute-api.eu-west-1.amazonaws.com/live'],
    [
      'its own host name in another region than the function',
      {},
      { AWS_REGION: 'us-east-1' },
      'https://w.execute-api.eu-west-1.amazonaws.com/live',
    ],
    ['a custom domain', CUSTOM, { AWS_REGION: 'us-east-1' }, 'https://w.execute-api.us-east-1.amazonaws.com/live'],
    [
      'a custom domain in China',
      CUSTOM,
      { AWS_REGION: 'cn-north-1' },
      'https://w.execute-api.cn-north-1.amazonaws.com.cn/live',
    ],
    [
      'no host name',
      { domainName: '' },
      { AWS_REGION: 'us-east-1' },
      'https://w.execute-api.us-east-1.amazonaws.com/live',
    ],
    [
      'no stage',
      { ...CUSTOM, stage: '' },
      { AWS_REGION: 'us-east-1' },
      'https://w.execute-api.us-east-1.amazonaws.com',
    ],
    ['a custom domain and no region', CUSTOM, {}, 'https://ws.example.com'],
    ['a custom domain and no API', { ...CUSTOM, apiId: '' }, { AWS_REGION: 'us-east-1' }, 'https://ws.example.com'],
    ['nothing', { domainName: '' }, {}, ''],
    ['the variable', {}, { [VARIABLE]: ' https://ws.example.com/chat/ ' }, 'https://ws.example.com/chat'],
    ['a blank variable', {}, { [VARIABLE]: ' ' }, 'https://w.execute-api.eu-west-1.amazonaws.com/live'],
  ])('finds the management endpoint by %s', async (_name, context, environment, endpoint) => {
    const surface = surfaceWith({ environment });
    surface.register('x', (ctx) => text(200, ctx.asWebSocket()?.managementEndpoint ?? '-'));
    expect((await serve(surface, socketEvent('x', {}, { ...context }))).body).toBe(endpoint);
  });

  it('prefers the endpoint of the option to the variable', async () => {
    const made: string[] = [];
    const surface = surfaceWith({
      webSocketEndpoint: 'http://127.0.0.1:3001/',
      environment: { [VARIABLE]: 'https://ws.example.com' },
      webSocketClientFactory: (endpoint) => {
        made.push(endpoint);
        throw new FrameworkError('app.overloaded');
      },
    });
    surface.register('x', async (ctx) => {
      await ctx.asWebSocket()?.sendMessage('a');
      return text(200, '');
    });
    expect((await serve(surface, socketEvent('x'))).statusCode).toBe(503);
    expect(made).toEqual(['http://127.0.0.1:3001']);
  });

  it.each<[unknown]>([
    ['ws.example.com'],
    ['wss://ws.example.com'],
    [''],
    [5],
    ['https://u:p@ws.example.com'],
    ['https://a/?b'],
  ])('rejects the endpoint %j, from the option and from the variable', (endpoint) => {
    expect(() => surfaceWith({ webSocketEndpoint: endpoint as string })).toThrow(
      expect.failure('app.invalid_configuration', '"webSocketEndpoint"'),
    );
    if (typeof endpoint !== 'string' || endpoint === '') return;
    expect(() => surfaceWith({ environment: { [VARIABLE]: endpoint } })).toThrow(
      expect.failure('app.invalid_configuration', `"${VARIABLE}"`),
    );
  });

  it('reports why a connection closed', async () => {
    const surface = surfaceWith();
    surface.register('$disconnect', (ctx) => {
      const { disconnectReason, disconnectStatusCode } = ctx.asWebSocket() ?? {};
      return json(200, { disconnectReason, disconnectStatusCode });
    });
    const bodies = [
      { disconnectStatusCode: 1001, disconnectReason: 'Going away' },
      {},
      { disconnectStatusCode: '1001' },
    ].map(async (context) => JSON.parse((await serve(surface, socketEvent('$disconnect', {}, context))).body));
    expect(await Promise.all(bodies)).toEqual([
      { disconnectReason: 'Going away', disconnectStatusCode: 1001 },
      { disconnectReason: '', disconnectStatusCode: 0 },
      { disconnectReason: '', disconnectStatusCode: 0 },
    ]);
  });

  it('sends through one client per context, and calls a failed factory again', async () => {
    const made: string[] = [];
    const sent: string[] = [];
    const client = {
      postToConnection: async (id: string, data: Uint8Array) => {
        sent.push(`${id}:${Buffer.from(data).toString()}`);
        return { gone: sent.length > 2 };
      },
    } as unknown as WebSocketClient;
    const surface = surfaceWith({
      webSocketClientFactory: async (endpoint) => {
        made.push(endpoint);
        if (made.length === 1) throw new FrameworkError('app.overloaded');
        return client;
      },
    });
    surface.register('x', async (ctx) => {
      const socket = ctx.asWebSocket();
      await socket?.sendMessage('lost').catch(() => {});
      await socket?.sendMessage('a');
      await socket?.sendJSONMessage({ b: 1 });
      await socket?.sendMessage('gone');
      return text(200, '');
    });
    const answer = await serve(surface, socketEvent('x'));
    expect([made.length, sent]).toEqual([2, ['conn-1:a', 'conn-1:{"b":1}', 'conn-1:gone']]);
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([
      410,
      { error: { code: 'websocket.gone', message: 'connection is gone', status_code: 410, request_id: 'ws-1' } },
    ]);
  });

  it('answers nested errors in any format, without x-request-id', async () => {
    const surface = surfaceWith({ httpErrorFormat: 'flat_legacy', cors: {} });
    surface.register('x', () => {
      throw new Error('secret');
    });
    expect(await serve(surface, socketEvent('x'))).toEqual({
      statusCode: 500,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"error":{"code":"app.internal","message":"internal error","request_id":"ws-1"}}',
      isBase64Encoded: false,
    });
  });

  it.each([
    ['128 KiB of text', 'x'.repeat(128 * 1024), 200],
    ['128 KiB of quotes: the JSON around a message is not sent', '"'.repeat(128 * 1024), 200],
    ['128 KiB of characters that take more bytes', `${'x'.repeat(128 * 1024 - 2)}€`, 413],
    ['a byte more than 128 KiB', 'x'.repeat(128 * 1024 + 1), 413],
  ])('counts the message alone: %s', async (_name, message, status) => {
    const surface = surfaceWith();
    surface.register('x', () => text(200, message));
    expect((await serve(surface, socketEvent('x'))).statusCode).toBe(status);
  });

  it('rejects a header value with characters that are not one byte', async () => {
    const surface = surfaceWith();
    surface.register('x', () => ({ headers: { 'x-a': '€' } }));
    const { statusCode, headers } = await serve(surface, socketEvent('x'));
    expect([statusCode, headers['x-a']]).toEqual([500, undefined]);
  });

  it('answers a stream with an error', async () => {
    let closed = false;
    async function* chunks() {
      try {
        yield Buffer.from('a');
      } finally {
        closed = true;
      }
    }
    const surface = surfaceWith();
    surface.register('stream', () => ({ bodyStream: chunks() }));
    expect((await serve(surface, socketEvent('stream'))).statusCode).toBe(500);
    expect(closed).toBe(false);
  });

  it('is observed under its route key', async () => {
    const logs: LogRecord[] = [];
    const surface = surfaceWith({ observability: { log: (record) => logs.push(record) } });
    surface.register('x', () => text(200, ''));
    await serve(surface, socketEvent('x'));
    await serve(surface, socketEvent('y'));
    expect(logs.map(({ trigger, route, status }) => [trigger, route, status])).toEqual([
      ['websocket', 'x', 200],
      ['websocket', '(unmatched)', 404],
    ]);
  });

  it('reads malformed events without failing', async () => {
    const surface = surfaceWith();
    for (const event of [{}, { requestContext: null }, { requestContext: { routeKey: 5, connectedAt: 'x' } }]) {
      expect((await serve(surface, event)).statusCode).toBe(404);
    }
  });
});
