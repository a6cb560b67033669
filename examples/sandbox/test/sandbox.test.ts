import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as sdk from '@aws-sdk/client-lambda-microvms';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';
import { createAwsMicrovmProvider, createDynamoMicrovmRegistry, createHttpsTransport } from '@sallyport/microvm';
import { MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import { scanForLeaks } from '@sallyport/microvm/testing';
import type { SecureApp } from '@sallyport/secure';
import { buildLambdaFunctionURLRequest, buildScheduledEvent, createTestEnv } from '@sallyport/testkit';
import { type MicrovmsService, startMicrovms } from '@sallyport/testkit/services';
import { createSandbox } from '../src/app.js';
import { startProgram } from '../src/program.js';

let service: MicrovmsService;
let dynamo: DynamoDBClient;
let app: SecureApp;
const shown: unknown[] = [];

beforeAll(async () => {
  dynamo = await createLocalClient();
});
afterAll(() => dynamo.destroy());

beforeEach(async () => {
  service = await startMicrovms({
    sdk,
    program: (request, response, { microvmId }) => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      if (path === '/stream') {
        response.write('one,');
        response.end('two');
        return;
      }
      const { authorization = '', cookie = '' } = request.headers;
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=1' });
      response.end(JSON.stringify({ microvmId, path, query, credentials: authorization + cookie }));
    },
  });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new sdk.LambdaMicrovmsClient({ endpoint: service.endpoint, region: 'eu-west-1', credentials });
  const tableName = await createTable(dynamo, MICROVM_TABLE_SCHEMA);
  app = createSandbox({
    secure: { principalResolver: (ctx) => ({ identity: ctx.header('x-user') ?? '' }), log: false },
    microvms: {
      provider: createAwsMicrovmProvider({
        client: client as never,
        transport: createHttpsTransport({ agent: service.agent }),
      }),
      registry: createDynamoMicrovmRegistry({ client: dynamo, tableName }),
      images: [{ ref: 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook' }],
      onLifecycleEvent: (event) => shown.push(event),
    },
  });
});

afterEach(async () => {
  expect(scanForLeaks(shown.splice(0), { secrets: service.secrets })).toEqual([]);
  await service.stop();
});

async function ask(user: string, method: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const event = buildLambdaFunctionURLRequest(method, path, { headers: { 'x-user': user, ...headers } });
  const answer = (await app.handleLambda(event)) as { statusCode: number; body: string; cookies?: string[] };
  shown.push(answer);
  return { ...answer, json: answer.body.startsWith('{') ? (JSON.parse(answer.body) as Record<string, string>) : {} };
}

it('starts one machine for each user, and returns it again', async () => {
  const [first, again, other] = [
    await ask('ada', 'POST', '/sandbox'),
    await ask('ada', 'POST', '/sandbox'),
    await ask('bob', 'POST', '/sandbox'),
  ];
  expect(first.json).toMatchObject({ state: 'running', url: `/microvms/${first.json.session_id}/invoke/` });
  expect(again.json).toEqual(first.json);
  expect(other.json.session_id).not.toBe(first.json.session_id);
  expect(service.machines).toHaveLength(2);
});

it('runs one machine for requests at the same time', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask('ada', 'POST', '/sandbox')));
  expect(new Set(answers.map(({ json }) => json.session_id)).size).toBe(1);
  expect(service.machines).toHaveLength(1);
});

it('carries requests to the machine, without the credentials of the user', async () => {
  const { json } = await ask('ada', 'POST', '/sandbox');
  const headers = { authorization: 'Bearer of-the-user', cookie: 'session=of-the-user' };
  const { statusCode, json: seen, cookies } = await ask('ada', 'GET', `${json.url}a/b?q=1`, headers);
  expect([statusCode, cookies]).toEqual([200, undefined]);
  expect(seen).toEqual({ microvmId: service.machines[0]?.microvmId, path: '/a/b', query: 'q=1', credentials: '' });
});

it('hides the data of other users', async () => {
  const { json } = await ask('ada', 'POST', '/sandbox');
  const session = `/microvms/${json.session_id}`;
  for (const [method, path] of [
    ['GET', session],
    ['DELETE', session],
    ['POST', `${session}/suspend`],
    ['GET', `${session}/invoke/`],
  ] as const) {
    expect((await ask('bob', method, path)).statusCode).toBe(404);
  }
  expect((await ask('bob', 'GET', '/microvms')).json.sessions).toEqual([]);
  expect((await ask('', 'POST', '/sandbox')).statusCode).toBe(401);
});

it('returns a new machine when the old one has ended', async () => {
  const first = await ask('ada', 'POST', '/sandbox');
  expect((await ask('ada', 'DELETE', `/microvms/${first.json.session_id}`)).json.state).toBe('terminated');
  const second = await ask('ada', 'POST', '/sandbox');
  expect(second.json.session_id).not.toBe(first.json.session_id);
  expect(service.machines.map(({ state }) => state)).toEqual(['TERMINATED', 'RUNNING']);
});

it('streams the answers of the machine', async () => {
  const { json } = await ask('ada', 'POST', '/sandbox');
  const event = buildLambdaFunctionURLRequest('GET', `${json.url}stream`, { headers: { 'x-user': 'ada' } });
  const answer = await createTestEnv().invokeStreaming(app, event);
  shown.push(answer);
  expect(Buffer.concat(answer.chunks.map((chunk) => Buffer.from(chunk))).toString()).toBe('one,two');
});

it('sweeps on its schedule', async () => {
  await ask('ada', 'POST', '/sandbox');
  service.clear();
  await app.handleLambda(buildScheduledEvent({ rule: 'sandbox-sweep' }));
  expect(service.requests.map(({ operation }) => operation)).toEqual(['ListMicrovms']);
});

describe('the program in the image', () => {
  let servers: readonly Server[] = [];
  afterEach(() => {
    for (const server of servers) server.close();
  });

  it('receives its session from the hook, before its first request', async () => {
    servers = await startProgram(0, 0);
    const [port, hookPort] = servers.map((server) => (server.address() as AddressInfo).port);
    const payload = JSON.stringify({ session_id: 's1' });
    const body = JSON.stringify({ microvmId: 'm1', runHookPayload: payload });
    await fetch(`http://127.0.0.1:${hookPort}/aws/lambda-microvms/runtime/v1/run`, { method: 'POST', body });
    const seen = await (await fetch(`http://127.0.0.1:${port}/x`)).json();
    expect(seen).toEqual({ path: '/x', session: 's1', visits: 1 });
  });
});
