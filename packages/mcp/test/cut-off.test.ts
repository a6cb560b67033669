import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpServer } from '../src/index.js';
import { Rig, readAll } from './support/rig.js';

const INFO = { name: 'official', version: '1.0.0' };
const RECONNECTION = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 10,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 3,
};

let runs: number;
const register = (server: McpServer) =>
  server.tool('count', {}, (_, ctx) => {
    runs += 1;
    ctx.progress(1, 2, 'one');
    ctx.progress(2, 2, 'two');
    return 'counted';
  });

/** A function with a socket: a fresh instance for each request, whole answers only, and the first stream is cut off. */
class CuttingServer {
  readonly rig: Rig;
  readonly requests: string[] = [];
  readonly #cutAfter: string;
  readonly #server: Server;
  #cuts = 0;

  constructor(cutAfter: string) {
    this.rig = new Rig({ register });
    this.#cutAfter = cutAfter;
    this.#server = createServer((incoming, outgoing) => {
      void (async () => {
        const { method = 'GET' } = incoming;
        const headers = Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        );
        const answer = await this.rig.open(method, await text(incoming), { headers });
        const body = await readAll(answer.body);
        this.requests.push(`${method} ${answer.status}`);
        outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(body) });
        const at = body.indexOf(this.#cutAfter);
        if (this.#cuts > 0 || at < 0 || answer.headers['content-type'] !== 'text/event-stream')
          return outgoing.end(body);
        this.#cuts += 1;
        // The first part must have left before the socket is destroyed.
        return outgoing.write(body.slice(0, at + this.#cutAfter.length), () => outgoing.destroy());
      })();
    });
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`);
  }

  get cuts(): number {
    return this.#cuts;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

type Progress = (progress: number) => void;
const clients = {
  async 'SDK 1.x'(url: URL, seen: Progress) {
    const client = new Client1(INFO);
    await client.connect(new Transport1(url, { reconnectionOptions: RECONNECTION }));
    const call = () =>
      client.callTool({ name: 'count' }, undefined, { timeout: 5000, onprogress: ({ progress }) => seen(progress) });
    return { call, close: () => client.close() };
  },
  async 'SDK 2.x'(url: URL, seen: Progress) {
    const client = new Client2(INFO, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new Transport2(url, { reconnectionOptions: RECONNECTION }));
    const call = () =>
      client.callTool({ name: 'count' }, { timeout: 5000, onprogress: ({ progress }) => seen(progress) });
    return { call, close: () => client.close() };
  },
};

describe.each(Object.entries(clients))('the official client, %s, at a buffered door', (_, connect) => {
  it.each([
    ['behind the priming event', 'data: \n\n'],
    ['inside of the first event', '"progress":1'],
    ['between two events', '"message":"one"}}\n\n'],
    ['inside of the result', '"text":"coun'],
    ['before the last line break', '"counted"}]}}\n'],
  ])('gets the rest of a call whose connection broke %s', async (__, cutAfter) => {
    runs = 0;
    const seen: number[] = [];
    const server = new CuttingServer(cutAfter);
    const client = await connect(await server.listen(), (progress) => seen.push(progress));
    try {
      expect(await client.call()).toMatchObject({ content: [{ type: 'text', text: 'counted' }] });
      expect([server.cuts, runs, seen]).toEqual([1, 1, [1, 2]]);
      expect(server.requests).toContain('GET 200');
      expect(server.rig.violations).toEqual([]);
    } finally {
      await client.close();
      await server.close();
    }
  });
});

describe('a call with events at a buffered door', () => {
  beforeEach(() => {
    runs = 0;
  });
  const call = (session: Awaited<ReturnType<Rig['connect']>>) =>
    session.call('count', {}, { meta: { progressToken: 'p' } });
  const brief = (events: Awaited<ReturnType<typeof call>>['events']) =>
    events.map(({ data }) => data.params?.progress ?? data.result?.content[0].text);

  it('can be read again from each of its ids, from fresh instances, and is not run again', async () => {
    const rig = new Rig({ register });
    const session = await rig.connect();
    const { events } = await call(session);
    const rests = [];
    for (const { id = '' } of events) {
      const rest = await session.resume(id);
      rests.push(rest.status === 200 ? brief(rest.events) : rest.status);
    }
    // No events follow the last id.
    expect(rests).toEqual([[1, 2, 'counted'], [2, 'counted'], ['counted'], 405]);
    expect([runs, rig.violations]).toEqual([1, []]);
  });

  it('can be read only from the same session', async () => {
    const rig = new Rig({ register });
    const { events } = await call(await rig.connect());
    expect((await (await rig.connect()).resume(events[0]?.id ?? '')).status).toBe(405);
  });

  it.each<[string, ConstructorParameters<typeof Rig>[0]]>([
    ['sealed sessions', { server: { store: null } }],
    ['no sessions', { server: { store: null, sessions: 'none' } }],
  ])('and without a store has no ids and no priming event: %s', async (_, options) => {
    const { events } = await call(await new Rig({ ...options, register }).connect());
    expect(events.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
    expect(brief(events)).toEqual([1, 2, 'counted']);
  });

  it('whose result is too large to keep is answered whole, and reports this to a client that reconnects', async () => {
    const large = 'x'.repeat(300_000);
    const rig = new Rig({
      register: (server) =>
        server.tool('count', {}, (_, ctx) => {
          ctx.progress(1);
          return large;
        }),
    });
    const session = await rig.connect();
    const { events } = await call(session);
    expect(brief(events).slice(1)).toEqual([1, large]);
    const rest = await session.resume(events[0]?.id ?? '');
    expect(rest.events.map(({ data }) => data.params?.progress ?? data.error.data.code)).toEqual([1, 'mcp.too_large']);
  });

  it('has no ids when the store fails, and is answered whole', async () => {
    const rig = new Rig({ register });
    const session = await rig.connect();
    const put = import.meta.jest.spyOn(rig.store as NonNullable<Rig['store']>, 'put');
    put.mockRejectedValue(new Error('store is down'));
    const { events } = await call(session);
    expect(events.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
    expect(brief(events)).toEqual([1, 2, 'counted']);
    expect(runs).toBe(1);
  });

  it('without events stores nothing', async () => {
    const rig = new Rig({ register: (server) => server.tool('count', {}, () => 'counted') });
    const session = await rig.connect();
    const put = import.meta.jest.spyOn(rig.store as NonNullable<Rig['store']>, 'put');
    const answer = await call(session);
    expect([answer.headers['content-type'], put.mock.calls.length]).toEqual(['application/json', 0]);
  });

  it('of a client that accepts only streams has ids that can be resumed', async () => {
    const rig = new Rig({ register: (server) => server.tool('count', {}, () => 'counted') });
    const session = await rig.connect({ accept: 'text/event-stream' });
    const { events } = await call(session);
    expect(events.map(({ id }) => id?.slice(12))).toEqual(['.0', '.1']);
    expect(brief((await session.resume(events[0]?.id ?? '')).events)).toEqual(['counted']);
  });
});
