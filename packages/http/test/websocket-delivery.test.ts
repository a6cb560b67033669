import { json } from '../src/index.js';
import { createOpenKernel } from '../src/pipeline/options.js';
import { WebSocketSurface } from '../src/websocket/surface.js';
import { createMemoryConnectionRegistry, createWebSocketClientFactory } from '../src/websocket.js';
import { LAMBDA } from './support/doors.js';
import { startManagementApi } from './support/management-api.js';

const CONFIG = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  maxAttempts: 1,
};

let api: Awaited<ReturnType<typeof startManagementApi>>;
let surface: WebSocketSurface;
const endpoints: string[] = [];

beforeAll(async () => {
  api = await startManagementApi();
  const clients = createWebSocketClientFactory({ config: CONFIG });
  const options = {
    webSocketClientFactory: (endpoint: string) => {
      endpoints.push(endpoint);
      return clients(api.endpoint);
    },
  };
  surface = new WebSocketSurface(createOpenKernel(options), options);
  surface.register('send', async (ctx) => {
    const socket = ctx.asWebSocket();
    await socket?.sendMessage('ü');
    await socket?.sendJSONMessage({ a: 1 });
    return json(200, await (await socket?.client())?.getConnection(socket?.connectionId ?? ''));
  });
});
afterAll(() => api.stop());
beforeEach(() => {
  api.received.length = 0;
  endpoints.length = 0;
});

async function send(connectionId: string) {
  const requestContext = {
    routeKey: 'send',
    connectionId,
    requestId: 'ws-1',
    domainName: 'w.execute-api.eu-west-1.amazonaws.com',
    stage: 'live',
    apiId: 'w',
  };
  return (await surface.serve('websocket', { requestContext, body: '' }, { lambdaContext: LAMBDA })) as {
    statusCode: number;
    body: string;
  };
}

describe('messages of a WebSocket handler', () => {
  it('reach the connection through one client a context', async () => {
    const { statusCode, body } = await send('conn-1');
    expect([statusCode, JSON.parse(body)]).toEqual([
      200,
      {
        connectedAt: '2026-11-21T05:00:00.000Z',
        lastActiveAt: '2026-11-21T05:30:00.000Z',
        sourceIp: '192.0.2.7',
        userAgent: 'wscat',
      },
    ]);
    expect(api.received.map(({ method, body: sent }) => `${method} ${sent}`)).toEqual([
      'POST ü',
      'POST {"a":1}',
      'GET ',
    ]);
    expect(endpoints).toEqual(['https://w.execute-api.eu-west-1.amazonaws.com/live']);
  });

  it.each([
    [
      'gone',
      410,
      '{"error":{"code":"websocket.gone","message":"connection is gone","status_code":410,"request_id":"ws-1"}}',
    ],
    ['forbidden', 500, '{"error":{"code":"websocket.request_failed","message":"internal error","request_id":"ws-1"}}'],
  ])('that cannot be sent fail by code (%s)', async (connectionId, status, body) => {
    const got = await send(connectionId);
    expect([got.statusCode, got.body]).toEqual([status, body]);
  });
});

describe('a registry', () => {
  it('is keyed by the context of a socket', async () => {
    const registry = createMemoryConnectionRegistry<string>();
    surface.register('$connect', async (ctx) => {
      const socket = ctx.asWebSocket();
      if (socket) await registry.put(socket, { connectedAt: socket.connectedAt, data: 'ada' }, 7200);
      return json(200, null);
    });
    const requestContext = {
      routeKey: '$connect',
      connectionId: 'c1',
      connectedAt: 5,
      domainName: 'd',
      stage: 'live',
      apiId: 'w',
    };
    await surface.serve('websocket', { requestContext }, { lambdaContext: LAMBDA });
    expect(await registry.get({ apiId: 'w', stage: 'live', connectionId: 'c1' })).toEqual({
      connectedAt: 5,
      data: 'ada',
    });
  });
});
