import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import type { SecurePrincipal } from '@sallyport/core';
import {
  createAwsMicrovmProvider,
  createHttpsTransport,
  createMicrovmController,
  type InvokeInput,
  internalCaller,
  type MicrovmController,
  type MicrovmControllerOptions,
  mountMicrovmController,
} from '@sallyport/microvm';
import { createMemoryMicrovmRegistry } from '@sallyport/microvm/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  createTestEnv,
} from '@sallyport/testkit';
import type { MicrovmsService } from '@sallyport/testkit/services';
import { watchLeaks } from './support/leaks.js';
import { createClient, IMAGE, startService, wireProvider } from './support/wire.js';

const watch = watchLeaks();
const CALLER = internalCaller({ identity: 'ada', tenantId: 't1', namespace: 'default' });
const ADA: SecurePrincipal = { identity: 'ada', tenantId: 't1', claims: { namespace: 'default' } };

/** Test programs by path. */
const PROGRAMS: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/silent': () => {},
  '/hang': (_, response) => void response.writeHead(200).write('first'),
  '/break': (_, response) =>
    response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy()),
  '/reset': (request) => request.socket.destroy(),
  '/large-headers': (_, response) => {
    const raw = response.socket as NonNullable<typeof response.socket>;
    raw.write('HTTP/1.1 200 OK\r\n');
    const line = `x-a: ${'a'.repeat(8000)}\r\n`;
    // 20 MiB of headers, unless the client closes the connection earlier.
    for (let sent = 0; sent < 20 * 1024 * 1024 && !raw.destroyed; sent += line.length) raw.write(line);
  },
  '/token': (_, response) => response.writeHead(200, { 'x-echo': service.secrets.at(-1) ?? '' }).end(),
  '/upgrade': (_, response) => {
    const raw = response.socket as NonNullable<typeof response.socket>;
    raw.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  },
  '/garbage': (_, response) => void response.socket?.write('no HTTP at all\r\n\r\n'),
  '/status': (_, response) => void response.socket?.end('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'),
  '/binary': (_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0, 255, 254, 137, 80])),
  '/large': (_, response) => response.writeHead(200).end(Buffer.alloc(7 * 1024 * 1024, 'x')),
  '/large-binary': (_, response) => response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024, 0xff)),
  '/cookies': (_, response) => response.writeHead(200, { 'set-cookie': ['a=1', 'b=2; Path=/'] }).end('ok'),
  '/cors': (_, response) =>
    response
      .writeHead(200, {
        'access-control-allow-origin': 'https://workload.example',
        'access-control-allow-methods': 'PUT',
      })
      .end('ok'),
  '/echo': (request, response) => void response.end(JSON.stringify({ url: request.url, headers: request.headers })),
};

let service: MicrovmsService;
/** The path of every request that reached the program. */
const asked: string[] = [];
/** Requests whose connection is still open. */
const open = new Set<ServerResponse>();

beforeAll(async () => {
  service = await startService({
    program: (request, response) => {
      open.add(response);
      response.once('close', () => open.delete(response));
      const [path = ''] = (request.url ?? '').split('?', 1);
      asked.push(path);
      (PROGRAMS[path] ?? PROGRAMS['/echo'])?.(request, response);
    },
  });
  watch.secrets(() => service.secrets);
});
afterAll(() => service.stop());

function create(options: Partial<MicrovmControllerOptions> = {}): MicrovmController {
  const registry = createMemoryMicrovmRegistry();
  return createMicrovmController({ provider: wireProvider(service), registry, images: [{ ref: IMAGE }], ...options });
}

async function start(options: Partial<MicrovmControllerOptions> = {}) {
  const controller = create(options);
  await controller.run(CALLER, { sessionId: 's1' });
  const invoke = async (path: string, input: Partial<InvokeInput> = {}) => {
    const answer = await controller.invoke(CALLER, { sessionId: 's1', method: 'GET', path, ...input });
    watch.keep([answer.status, answer.headers]);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.bodyStream) chunks.push(chunk);
    return { ...answer, body: watch.keep(Buffer.concat(chunks)) };
  };
  return { controller, invoke };
}

/** Resolves when the program has no open requests. */
async function allClosed(): Promise<void> {
  await Promise.all([...open].map((response) => new Promise<void>((resolve) => response.once('close', resolve))));
}

describe('a hostile program', () => {
  const quick = { invoke: { firstByteTimeoutMs: 200, idleTimeoutMs: 200 } };
  it.each([
    ['answers never', '/silent', 'microvm.workload_timeout', 504],
    ['stops in the middle', '/hang', 'microvm.workload_timeout', 504],
    ['breaks off', '/break', 'microvm.workload_unreachable', 502],
    ['hangs up', '/reset', 'microvm.workload_unreachable', 502],
    ['sends 20 MiB of headers', '/large-headers', 'microvm.response_too_large', 502],
    ['upgrades the connection by itself', '/upgrade', 'microvm.upgrade_unsupported', 501],
    ['speaks no HTTP', '/garbage', 'microvm.workload_unreachable', 502],
    ['has a status that is none', '/status', 'microvm.workload_unreachable', 502],
    ['sends the token back', '/token', 'microvm.leak_blocked', 500],
  ])('%s', async (_, path, code, status) => {
    const { invoke } = await start(code === 'microvm.workload_timeout' ? quick : {});
    await expect(watch.shown(invoke(path))).rejects.toMatchObject({ code, status });
    await allClosed();
  });

  it('that is interrupted has the code of the connection', async () => {
    const { invoke } = await start();
    await expect(watch.shown(invoke('/break'))).rejects.toMatchObject({ cause: { code: 'ECONNRESET', message: '' } });
    await allClosed();
  });

  it('is abandoned immediately by a caller who gives up', async () => {
    const { controller } = await start();
    const answer = await controller.invoke(CALLER, { sessionId: 's1', method: 'GET', path: '/hang' });
    const reader = answer.bodyStream[Symbol.asyncIterator]();
    expect(Buffer.from((await reader.next()).value as Uint8Array).toString()).toBe('first');
    const pending = reader.next();
    await reader.return?.();
    await expect(pending).rejects.toMatchObject({ code: 'microvm.workload_unreachable' });
    await allClosed();
  });
});

describe('cookies of a program', () => {
  const PATH = '/microvms/s1/invoke';
  it.each([
    ['are dropped by default', {}, PATH, 0],
    ['are dropped without a path to which they belong', { cookies: 'scoped' as const }, undefined, 0],
    ['belong to the path of their session', { cookies: 'scoped' as const }, PATH, 2],
  ])('%s', async (_, options, publicPath, count) => {
    const { invoke } = await start({ invoke: options });
    const { cookies, headers } = await invoke('/cookies', publicPath === undefined ? {} : { publicPath });
    expect([cookies.length, headers['set-cookie']]).toEqual([count, undefined]);
    expect(cookies.filter((cookie) => !cookie.endsWith('; Path=/microvms/s1/invoke'))).toEqual([]);
  });
});

describe('the transport', () => {
  it('uses one connection for many requests', async () => {
    const { invoke } = await start();
    const sockets = new Set<unknown>();
    const count = (response: ServerResponse) => sockets.add(response.socket);
    for (let at = 0; at < 3; at += 1) {
      const before = [...open];
      await invoke('/echo');
      for (const response of before) count(response);
    }
    expect(sockets.size).toBeLessThanOrEqual(1);
  });

  it.each([
    ['GET', '/reset', 2],
    ['HEAD', '/reset', 2],
    ['POST', '/reset', 1],
    ['DELETE', '/reset', 1],
    ['GET', '/large-headers', 1],
    ['GET', '/garbage', 1],
  ])('sends a %s over a kept connection to %s: %d times', async (method, path, times) => {
    const { invoke } = await start();
    await invoke('/echo');
    const before = asked.length;
    await expect(watch.shown(invoke(path, { method }))).rejects.toMatchObject({ status: 502 });
    expect(asked.slice(before)).toEqual(Array<string>(times).fill(path));
  });

  it('repeats a GET when a connection that was kept has gone', async () => {
    const { invoke } = await start();
    await invoke('/echo');
    const drop = () => {
      for (const sockets of Object.values(service.agent.freeSockets))
        for (const socket of sockets ?? []) socket.destroySoon();
    };
    drop();
    expect((await invoke('/echo')).status).toBe(200);
  });

  it('checks the certificate of an endpoint', async () => {
    class Distrusting extends Agent {
      /** The same server, without its certificate authority in the trusted authorities. */
      override createConnection(...[options, callback]: Parameters<Agent['createConnection']>) {
        return service.agent.createConnection({ ...options, ca: [] } as never, callback);
      }
    }
    const transport = createHttpsTransport({ agent: new Distrusting() });
    const controller = create({
      provider: createAwsMicrovmProvider({ client: createClient(service) as never, transport }),
    });
    await controller.run(CALLER, { sessionId: 's1' });
    const before = open.size;
    const request = { sessionId: 's1', method: 'GET', path: '/echo' };
    await expect(watch.shown(controller.invoke(CALLER, request))).rejects.toMatchObject({
      code: 'microvm.workload_unreachable',
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    expect(open.size).toBe(before);
  });

  it.each([
    ['evil.example'],
    ['http://a.lambda-microvm.eu-west-1.on.aws'],
    ['https://user@a.lambda-microvm.eu-west-1.on.aws'],
    ['https://a.lambda-microvm.eu-west-1.on.aws:8443'],
    ['https://a.lambda-microvm.eu-west-1.on.aws/path'],
    ['https://evil.example#.on.aws'],
    ['on.aws'],
    ['127.0.0.1'],
    [''],
  ])('a machine whose endpoint is %j is rejected and ended', async (endpoint) => {
    const started: string[] = [];
    const controller = create({
      provider: {
        transport: { send: async () => Promise.reject(new Error('no request was to be sent')) },
        run: async () => ({
          microvmId: 'm1',
          state: 'RUNNING',
          endpoint,
          imageRef: IMAGE,
          imageVersion: '1',
          maximumDurationSeconds: 60,
          startedAt: new Date(),
        }),
        terminate: async (id: string) => void started.push(id),
        get: fail,
        list: fail,
        suspend: fail,
        resume: fail,
        authToken: fail,
        shellAuthToken: fail,
      },
    });
    await expect(watch.shown(controller.run(CALLER, { sessionId: 's1' }))).rejects.toMatchObject({
      code: 'microvm.endpoint_refused',
      status: 502,
    });
    expect(started).toEqual(['m1']);
    expect((await controller.get(CALLER, { sessionId: 's1' })).state).toBe('failed');
  });
});

function fail(): Promise<never> {
  return Promise.reject(new Error('not to be called'));
}

const DOORS = [
  ['gateway v2', buildAPIGatewayV2Request],
  ['function URL', buildLambdaFunctionURLRequest],
  ['gateway v1', buildAPIGatewayProxyRequest],
  ['load balancer', buildLoadBalancerRequest],
] as const;

describe.each(DOORS)('on %s', (name, build) => {
  async function createApp(options: Partial<MicrovmControllerOptions> = {}, secure: object = {}) {
    const controller = create(options);
    const app = new SecureApp({ principalResolver: () => ADA, log: watch.logger, ...secure });
    mountMicrovmController(app, controller, { posture: Authenticated(), shellPosture: Authenticated() });
    await controller.run(CALLER, { sessionId: 's1' });
    return async (method: string, path: string, headers: Record<string, string> = {}) => {
      const event = build(method, path, { headers } as never);
      return watch.keep(
        (await app.handleLambda(event, createTestEnv().lambdaContext())) as {
          statusCode: number;
          body: string;
          isBase64Encoded: boolean;
          headers?: Record<string, string>;
          multiValueHeaders?: Record<string, string[]>;
          cookies?: string[];
        },
      );
    };
  }
  const headersOf = (answer: { headers?: Record<string, string>; multiValueHeaders?: Record<string, string[]> }) => ({
    ...Object.fromEntries(
      Object.entries(answer.multiValueHeaders ?? {}).map(([key, values]) => [key, values.join(', ')]),
    ),
    ...answer.headers,
  });

  it('path and query arrive', async () => {
    const send = await createApp();
    const { statusCode, body } = await send('GET', '/microvms/s1/invoke/a/b?q=1&q=%26&r=');
    // A load balancer with single values sends the last value of each name.
    const query = name === 'load balancer' ? 'q=%26&r=' : 'q=1&q=%26&r=';
    expect([statusCode, JSON.parse(body).url]).toEqual([200, `/a/b?${query}`]);
    expect(JSON.parse((await send('GET', '/microvms/s1/invoke')).body).url).toBe('/');
    expect(JSON.parse((await send('GET', '/microvms/s1/invoke/')).body).url).toBe('/');
  });

  it('bytes that are not text are sent as base64', async () => {
    const send = await createApp();
    const { isBase64Encoded, body } = await send('GET', '/microvms/s1/invoke/binary');
    expect([isBase64Encoded, body]).toEqual([true, 'AP/+iVA=']);
  });

  it('an answer that is too large for the front door is 502, and the request to the program is stopped', async () => {
    const send = await createApp();
    for (const path of ['/large', '/large-binary']) {
      const { statusCode, body } = await send('GET', `/microvms/s1/invoke${path}`);
      expect([statusCode, JSON.parse(body).error.code]).toEqual([502, 'microvm.response_too_large']);
    }
    await allClosed();
  });

  it('cookies remain separate cookies', async () => {
    const send = await createApp({ invoke: { cookies: 'scoped' } });
    const answer = await send('GET', '/microvms/s1/invoke/cookies');
    const cookies = answer.cookies ?? answer.multiValueHeaders?.['set-cookie'] ?? [answer.headers?.['set-cookie']];
    // A load balancer with single values can send only one cookie.
    expect(cookies).toHaveLength(name === 'load balancer' && !answer.multiValueHeaders ? 1 : 2);
    expect(String(cookies?.at(-1))).toMatch(/^mvm-[0-9a-f]{16}-[ab]=[12]; Path=\/microvms\/s1\/invoke$/);
  });

  it('CORS headers are from the program or from the application, and never both', async () => {
    const origin = { origin: 'https://app.example' };
    const own = headersOf(await (await createApp())('GET', '/microvms/s1/invoke/cors', origin));
    expect(own['access-control-allow-origin']).toBe('https://workload.example');
    const cors = { cors: { allowedOrigins: ['https://app.example'] } };
    const ours = headersOf(await (await createApp({}, cors))('GET', '/microvms/s1/invoke/cors', origin));
    expect([ours['access-control-allow-origin'], ours['access-control-allow-methods']]).toEqual([
      'https://app.example',
      undefined,
    ]);
  });
});
