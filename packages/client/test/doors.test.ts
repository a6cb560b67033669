/** The client against `sallyport dev`: four doors, streams, WebSocket, tools. */
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { type Client, callTool, createClient, events, openSocket } from '../src/index.js';
import type { Shop } from './service/contract.js';
import { type Running, startDev } from './support/dev.js';

let dev: Running;
beforeAll(async () => {
  dev = await startDev();
});
afterAll(() => dev?.stop());

const DOORS = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'] as const;
type Door = (typeof DOORS)[number];
const clientOf = (door: Door, token?: string): Client<Shop> =>
  createClient<Shop>({
    url: `http://127.0.0.1:${dev.ports[door]}`,
    headers: () => ({ authorization: token && `Bearer ${token}` }),
  });

/** A server before a door that passes requests on, and loses so many of the replies. */
async function losing(replies: number, door: Door) {
  let lost = 0;
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const onward = send({ host: '127.0.0.1', port: dev.ports[door], method, path: url, headers }, (reply) => {
      lost += 1;
      if (lost <= replies) return void reply.resume().once('end', () => request.socket.destroy());
      response.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(response);
    });
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe.each(DOORS)('through the door %s', (door) => {
  it('parameters and lists of the query arrive unchanged', async () => {
    const api = clientOf(door);
    await expect(api('GET /orders/{id}', { params: { id: 'a b;ü?+%' } })).resolves.toMatchObject({
      ok: true,
      status: 200,
      data: { id: 'a b;ü?+%', item: 'tea' },
    });
    await expect(api('GET /files/{path+}', { params: { path: 'a/b c/d' } })).resolves.toMatchObject({
      data: 'a/b c/d',
    });
    await expect(api('GET /orders', { query: { tag: ['a b', 'c&d=+'], limit: undefined } })).resolves.toMatchObject({
      // A load balancer without multi-value headers passes on the last value.
      data: { tag: door === 'load-balancer' ? ['c&d=+'] : ['a b', 'c&d=+'], limit: null },
    });
  });

  it('an error is a value with its code, its details and the id of the request', async () => {
    const answer = await clientOf(door)('GET /orders/{id}', { params: { id: 'gone' } });
    expect(answer).toMatchObject({
      ok: false,
      status: 404,
      error: { code: 'app.not_found', message: 'no such order', details: { id: 'gone' } },
      requestId: expect.stringMatching(/./),
    });
  });

  it.each([
    [undefined, { item: 'tea' }, 401, 'app.unauthorized'],
    ['eve', { item: 'tea' }, 403, 'app.forbidden'],
    ['ada', {}, 422, 'app.validation_failed'],
  ] as const)('an order of %s with %j is %i %s', async (token, body, status, code) => {
    const answer = await clientOf(door, token)('POST /orders', {
      body: body as { item: string },
      idempotencyKey: true,
    });
    expect(answer).toMatchObject({ ok: false, status, error: { code } });
  });

  it('a created order has its location', async () => {
    const answer = await clientOf(door, 'ada')('POST /orders', { body: { item: 'tea' }, idempotencyKey: true });
    expect(answer).toMatchObject({ ok: true, status: 201, data: { id: 'o1', item: 'tea' } });
    expect(answer.headers.get('location')).toBe('/orders/o1');
  });

  it('an order whose replies are lost is made once', async () => {
    const before = await clientOf(door)('GET /made');
    const { url, server } = await losing(2, door);
    const api = createClient<Shop>({ url, headers: () => ({ authorization: 'Bearer ada' }) });
    const answer = await api('POST /orders', { body: { item: 'tea' }, idempotencyKey: true });
    server.close();
    expect(answer).toMatchObject({ ok: true, status: 201, data: { id: 'o1', item: 'tea' } });
    const after = await clientOf(door)('GET /made');
    expect(after.ok && before.ok && after.data - before.data).toBe(1);
  });

  it('an empty answer has no data, and bytes are a Blob', async () => {
    const api = clientOf(door);
    const removed = await api('DELETE /orders/{id}', { params: { id: 'o1' } });
    expect([removed.status, removed.ok && removed.data]).toEqual([204, undefined]);
    const answer = await api('GET /bytes');
    if (!answer.ok) throw new Error('no bytes');
    expect([...new Uint8Array(await answer.data.arrayBuffer())]).toEqual([0, 255, 128]);
  });

  it('server-sent events arrive in order, and the iteration ends with the stream', async () => {
    const seen: unknown[] = [];
    for await (const event of events(clientOf(door), 'GET /ticks', { query: { count: 3 } })) seen.push(event);
    expect(seen).toEqual([
      { event: 'tick', data: { at: 1 }, id: '1' },
      { event: 'tick', data: { at: 2 }, id: '2' },
      { event: 'tick', data: { at: 3 }, id: '3' },
    ]);
  });

  it('a tool answers, fails as a value, and needs its caller', async () => {
    const api = clientOf(door, 'ada');
    const progress: unknown[] = [];
    const onProgress = (...report: unknown[]) => progress.push(report);
    const sum = await callTool(api, 'add', { a: 1, b: 2 }, { onProgress });
    expect([sum, progress]).toMatchObject([{ ok: true, data: { sum: 3 } }, [[1, 2, 'half']]]);
    await expect(callTool(api, 'fail', {})).resolves.toMatchObject({
      ok: false,
      error: { code: 'tool', message: 'nothing to do' },
    });
    await expect(callTool(api, 'add', { a: 'x' } as never)).resolves.toMatchObject({ ok: false });
    await expect(callTool(clientOf(door, 'eve'), 'add', { a: 1, b: 2 })).rejects.toMatchObject({
      code: 'client.rejected',
      status: 403,
      answer: { error: { code: 'app.forbidden' } },
    });
  });
});

it('a WebSocket sends and receives typed messages, and closes', async () => {
  const socket = await openSocket<Shop>({ url: `ws://127.0.0.1:${dev.ports.websocket}`, webSocket: WebSocket });
  const said = new Promise((resolve) => {
    socket.on('said', resolve);
  });
  socket.send('say', { text: 'hello' });
  await expect(said).resolves.toEqual({ text: 'hello' });
  socket.close();
  expect(() => socket.send('say', { text: 'late' })).toThrow('say: the WebSocket is not open');
});
