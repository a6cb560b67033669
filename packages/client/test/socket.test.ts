/** The WebSocket of the client against a real server that rejects, ignores and loses connections. */
import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { openSocket, type SocketOptions } from '../src/index.js';

type Reply = 'open' | 'reject' | 'ignore';

let server: Server;
let sockets: WebSocketServer;
let replies: Reply[];
let opened: WebSocket[];
let attempts: number;
let events: EventEmitter;
const raw = new Set<Duplex>();

beforeAll(async () => {
  sockets = new WebSocketServer({ noServer: true });
  server = createServer();
  server.on('upgrade', (request, socket, head) => {
    raw.add(socket);
    attempts += 1;
    const reply = replies.shift() ?? 'open';
    if (reply === 'reject') socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n');
    if (reply === 'open')
      sockets.handleUpgrade(request, socket, head, (one) => {
        opened.push(one);
        events.emit('open', one);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  [replies, opened, attempts, events] = [[], [], 0, new EventEmitter()];
  // The jitter has no part in these tests.
  import.meta.jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => import.meta.jest.restoreAllMocks());
afterAll(() => {
  for (const socket of raw) socket.destroy();
  server.close();
});

const open = (options: Partial<SocketOptions> = {}) =>
  openSocket({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, webSocket: WebSocket, ...options });
const say = (to: WebSocket | undefined, type: string, data: unknown) => to?.send(JSON.stringify({ type, data }));

it.each<[string, Reply, Partial<SocketOptions>, string, number]>([
  ['is rejected', 'reject', {}, 'client.network', 1],
  ['is not answered', 'ignore', { timeoutMs: 50 }, 'client.timeout', 1],
  ['has a caller that left before', 'open', { signal: AbortSignal.abort() }, 'client.aborted', 0],
])('a first connection that %s fails', async (_title, reply, options, code, expected) => {
  replies = [reply];
  await expect(open(options)).rejects.toMatchObject({ code, message: 'the WebSocket did not open' });
  // On a busy machine, 50 ms can pass before the request arrives.
  expect(attempts).toBeLessThanOrEqual(expected);
});

it('a caller can leave while it waits', async () => {
  replies = ['ignore'];
  const leave = new AbortController();
  const opening = open({ signal: leave.signal });
  await once(server, 'upgrade');
  leave.abort();
  await expect(opening).rejects.toMatchObject({ code: 'client.aborted' });
});

it('a lost connection is opened again, even if attempts fail, and listeners remain', async () => {
  const changes: boolean[] = [];
  const url = import.meta.jest.fn(async () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const socket = await open({ url, onConnection: (isOpen) => events.emit('change', changes.push(isOpen)) });
  const heard: unknown[] = [];
  const remove = socket.on('note', (data) => events.emit('heard', heard.push(['first', data])));
  socket.on('note', (data) => events.emit('heard', heard.push(['second', data])));
  replies = ['reject', 'reject'];
  const lost = once(events, 'change');
  opened[0]?.terminate();
  await lost;
  expect(() => socket.send('say', 1)).toThrow('say: the WebSocket is not open');
  await once(events, 'change');
  expect([changes, attempts, url.mock.calls.length]).toEqual([[false, true], 4, 4]);
  remove();
  const second = once(events, 'heard');
  say(opened[1], 'note', { id: 1 });
  await second;
  expect(heard).toEqual([['second', { id: 1 }]]);
  const said = once(opened[1] as WebSocket, 'message');
  socket.send('say', { text: 'hello' });
  expect(JSON.parse(String((await said)[0]))).toEqual({ action: 'say', data: { text: 'hello' } });
  socket.close();
});

it.each(['close()', 'the signal'])('%s closes it permanently', async (way) => {
  const leave = new AbortController();
  const onConnection = import.meta.jest.fn();
  const made: WebSocket[] = [];
  class Noted extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      made.push(this);
    }
  }
  const socket = await open({ signal: leave.signal, onConnection, webSocket: Noted });
  const timers = import.meta.jest.spyOn(globalThis, 'setTimeout');
  const closed = once(made[0] as WebSocket, 'close');
  if (way === 'close()') socket.close();
  else leave.abort();
  await closed;
  // A socket that connects again reports the loss and sets a timer, without a pause here.
  expect([onConnection.mock.calls, timers.mock.calls.filter(([, ms]) => ms === 0)]).toEqual([[], []]);
  expect(() => socket.send('say', 1)).toThrow('the WebSocket is not open');
});

it('leaves no listener on a signal that lives longer', async () => {
  const { signal } = new AbortController();
  const remove = import.meta.jest.spyOn(signal, 'removeEventListener');
  const add = import.meta.jest.spyOn(signal, 'addEventListener');
  (await open({ signal })).close();
  const added = add.mock.calls.map(([, listener]) => listener);
  expect(added.length).toBeGreaterThan(0);
  expect(remove.mock.calls.map(([, listener]) => listener)).toEqual(added);
});

it('without an option the constructor is the one of the platform', async () => {
  const { WebSocket: own } = globalThis as { WebSocket?: unknown };
  Object.assign(globalThis, { WebSocket });
  try {
    (await openSocket({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` })).close();
  } finally {
    Object.assign(globalThis, { WebSocket: own });
  }
  expect(attempts).toBe(1);
});
