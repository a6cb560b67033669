import { inspect } from 'node:util';
import * as aws from '@aws-sdk/client-apigatewaymanagementapi';
import { FrameworkError } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import {
  createWebSocketClient,
  createWebSocketClientFactory,
  type ManagementClient,
  type ManagementSdk,
  type WebSocketClientOptions,
} from '../src/websocket.js';
import { startManagementApi } from './support/management-api.js';

const CONFIG = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  maxAttempts: 1,
};
const SECRET = Buffer.from('the payload that nobody may read');

let api: Awaited<ReturnType<typeof startManagementApi>>;
const clients: ManagementClient[] = [];

function connect(options: WebSocketClientOptions = {}): ManagementClient {
  const client = createWebSocketClient(api.endpoint, { config: CONFIG, ...options });
  clients.push(client);
  return client;
}

async function failure(run: Promise<unknown>): Promise<FrameworkError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof FrameworkError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

beforeAll(async () => {
  api = await startManagementApi();
});
beforeEach(() => {
  api.received.length = 0;
});
afterAll(async () => {
  for (const client of clients) client.close();
  await api.stop();
});

describe('the API that the test server speaks', () => {
  it('behaves like the AWS client in each operation', () => {
    const operations = Object.entries(aws)
      .filter(([, value]) => Array.isArray(value) && value[0] === 9)
      .map(([name, value]) => [name, (value as unknown as [number, string, string, { http: unknown }])[3].http]);
    expect(operations.sort()).toEqual([
      ['DeleteConnection$', ['DELETE', '/@connections/{ConnectionId}', 204]],
      ['GetConnection$', ['GET', '/@connections/{ConnectionId}', 200]],
      ['PostToConnection$', ['POST', '/@connections/{ConnectionId}', 200]],
    ]);
  });
});

describe('createWebSocketClient', () => {
  it('posts the very bytes to the connection, signed', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(await connect().postToConnection('L0SM9cOFvHcCIhw=', bytes)).toEqual({ gone: false });
    expect(api.received).toHaveLength(1);
    const [request] = api.received;
    expect(request).toMatchObject({ method: 'POST', path: '/prod/@connections/L0SM9cOFvHcCIhw%3D' });
    expect(request?.body.equals(bytes)).toBe(true);
    expect(request?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/execute-api\//);
  });

  it('reads a connection', async () => {
    expect(await connect().getConnection('c1')).toEqual({
      connectedAt: new Date('2026-11-21T05:00:00Z'),
      lastActiveAt: new Date('2026-11-21T05:30:00Z'),
      sourceIp: '192.0.2.7',
      userAgent: 'wscat',
    });
  });

  it('deletes a connection', async () => {
    expect(await connect().deleteConnection('c1')).toBeUndefined();
    expect(api.received[0]).toMatchObject({ method: 'DELETE', path: '/prod/@connections/c1' });
  });

  it.each(['gone', 'gone-bare'])('reports a 410 as a connection that is gone (%s)', async (id) => {
    const client = connect();
    expect(await client.postToConnection(id, SECRET)).toEqual({ gone: true });
    expect(await client.getConnection(id)).toBeNull();
    expect(await client.deleteConnection(id)).toBeUndefined();
  });

  it.each([
    ['forbidden', 403],
    ['limited', 429],
    ['large', 413],
    ['broken', 500],
    ['reset', 0],
  ])('names operation and status of a failure, never the payload (%s)', async (id, status) => {
    const client = connect();
    const posted = await failure(client.postToConnection(id, SECRET));
    expect([posted.code, posted.message]).toEqual([
      'websocket.request_failed',
      `framework: post_to_connection failed (${status})`,
    ]);
    expect(posted.details).toBeUndefined();
    expect(posted.cause).toBeInstanceOf(Error);
    const seen = inspect(posted, { depth: 10, showHidden: true });
    expect(seen).not.toContain('the payload that nobody may read');
    expect(seen).not.toContain(SECRET.toString('hex').slice(0, 20).replace(/../g, '$& ').trim());
    expect((await failure(client.getConnection(id))).message).toBe(`framework: get_connection failed (${status})`);
    expect((await failure(client.deleteConnection(id))).message).toBe(
      `framework: delete_connection failed (${status})`,
    );
  });

  it('gives up on an API that does not answer, and leaves no timer', async () => {
    const clock = new ManualClock();
    const sending = failure(connect({ clock, timeoutMs: 2000 }).postToConnection('slow', SECRET));
    while (api.received.length === 0) await new Promise(setImmediate);
    await clock.advance(1999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    expect((await sending).message).toBe('framework: post_to_connection failed (0)');
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves no timer after an answer', async () => {
    const clock = new ManualClock();
    await connect({ clock }).postToConnection('c1', SECRET);
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends 128 KiB and rejects a byte more before sending', async () => {
    const client = connect();
    expect(await client.postToConnection('c1', new Uint8Array(131_072))).toEqual({ gone: false });
    const error = await failure(client.postToConnection('c1', new Uint8Array(131_073)));
    expect([error.code, error.status, error.message]).toEqual([
      'websocket.too_large',
      413,
      'framework: message exceeds 131072 bytes',
    ]);
    expect(api.received).toHaveLength(1);
  });

  it('sends a part of a larger buffer, and rejects a value that is not bytes', async () => {
    const client = connect();
    await client.postToConnection('c1', Buffer.from('xhellox').subarray(1, 6));
    expect(api.received[0]?.body.toString()).toBe('hello');
    const error = await failure(client.postToConnection('c1', 'hello' as unknown as Uint8Array));
    expect([error.code, error.message]).toEqual(['websocket.invalid_message', 'framework: message must be bytes']);
  });

  it('rejects an empty connection id', async () => {
    expect((await failure(connect().deleteConnection(''))).code).toBe('websocket.invalid_connection');
    expect(api.received).toHaveLength(0);
  });

  it('works again after it was closed', async () => {
    const client = connect();
    await client.deleteConnection('c1');
    client.close();
    expect(await client.deleteConnection('c1')).toBeUndefined();
  });

  it.each([
    ['https://abc.execute-api.ap-south-1.amazonaws.com/prod', {}, 'ap-south-1'],
    ['https://abc.execute-api.cn-north-1.amazonaws.com.cn/prod', {}, 'cn-north-1'],
    ['https://abc.execute-api.eu-west-1.amazonaws.com/prod', { region: 'us-east-1' }, 'us-east-1'],
    ['https://ws.example.com/chat', {}, undefined],
  ])('reads the region off %s', async (endpoint, config, region) => {
    const configs: unknown[] = [];
    const loadSdk = async () => fakeSdk((given) => configs.push(given));
    await createWebSocketClient(endpoint, { config, loadSdk }).deleteConnection('c1');
    expect(configs).toEqual([region === undefined ? { endpoint } : { endpoint, region }]);
  });

  it('imports the AWS client at the first call, once, and again after a failed import', async () => {
    let loads = 0;
    const loadSdk = async () => {
      loads += 1;
      if (loads === 1) throw new FrameworkError('app.missing_package', 'not installed');
      return fakeSdk();
    };
    const client = createWebSocketClient('https://ws.example.com', { loadSdk });
    expect(loads).toBe(0);
    expect((await failure(client.deleteConnection('c1'))).code).toBe('app.missing_package');
    await Promise.all([client.deleteConnection('c1'), client.deleteConnection('c2')]);
    await client.deleteConnection('c3');
    expect(loads).toBe(2);
  });

  it.each<[unknown, object, string]>([
    ['', {}, 'option "endpoint"'],
    ['wss://a', {}, 'option "endpoint"'],
    [undefined, {}, 'option "endpoint"'],
    ['https://a', { timeoutMs: 0 }, 'option "timeoutMs"'],
    ['https://a', { timeout: 5 }, 'unknown option "timeout"'],
  ])('rejects %j with %j', (endpoint, options, message) => {
    expect(() => createWebSocketClient(endpoint as string, options)).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });
});

describe('createWebSocketClientFactory', () => {
  it('keeps one client for each endpoint', () => {
    const factory = createWebSocketClientFactory();
    expect(factory('https://a')).toBe(factory('https://a'));
    expect(factory('https://a')).not.toBe(factory('https://b'));
  });

  it('keeps a bounded number and closes the oldest', async () => {
    let closed = 0;
    const loadSdk = async () =>
      fakeSdk(undefined, () => {
        closed += 1;
      });
    const factory = createWebSocketClientFactory({ loadSdk });
    const first = factory('https://host-0');
    await first.deleteConnection('c1');
    for (let index = 1; index <= 16; index += 1) factory(`https://host-${index}`);
    await Promise.resolve();
    expect(closed).toBe(1);
    expect(factory('https://host-0')).not.toBe(first);
  });
});

function fakeSdk(onConfig?: (config: unknown) => void, onDestroy?: () => void): ManagementSdk {
  class Command {}
  return {
    ApiGatewayManagementApiClient: class {
      constructor(config: unknown) {
        onConfig?.(config);
      }
      async send() {}
      destroy() {
        onDestroy?.();
      }
    },
    PostToConnectionCommand: Command,
    GetConnectionCommand: Command,
    DeleteConnectionCommand: Command,
  };
}
