import { ManualClock } from '@sallyport/core/testing';
import { type McpServer, type McpStore, memoryMcpStore, type Row } from '../src/index.js';
import { type Answer, type Connection, type Line, logTo, parseSse, Rig, readAll } from './support/rig.js';
import { registerAll } from './support/server.js';

const lastId = (answer: Answer) => answer.events.filter(({ id }) => id !== undefined).at(-1)?.id ?? '';
const texts = (answer: Answer) =>
  answer.events.flatMap(({ data }) =>
    data ? [data.params?.data ?? data.result?.content[0].text ?? data.error.message] : [],
  );

const closing = (server: McpServer, between: () => void = () => {}) =>
  server.tool('t', {}, async (args, ctx) => {
    ctx.log('info', `before ${args.n}`);
    await ctx.closeStream();
    between();
    ctx.log('info', `after ${args.n}`);
    return `done ${args.n}`;
  });

async function recorded(store: McpStore): Promise<{ store: McpStore; rows: Row[] }> {
  const rows: Row[] = [];
  const wrapped: McpStore = {
    ...bound(store),
    put: (row, when) => {
      rows.push(row);
      return store.put(row, when);
    },
  };
  return { store: wrapped, rows };
}

describe('a closed stream', () => {
  it('continues when the client reconnects, and is run once', async () => {
    let runs = 0;
    const rig = new Rig({ register: (server) => closing(server, () => (runs += 1)) });
    const session = await rig.connect();
    const first = await session.call('t', { n: 1 });
    expect(first.events.at(-1)).toEqual({ retry: 100, data: undefined });
    expect(texts(first)).toEqual(['before 1']);
    const rest = await session.resume(lastId(first));
    expect(texts(rest)).toEqual(['after 1', 'done 1']);
    expect((await session.resume(lastId(rest))).status).toBe(405);
    expect(texts(await session.resume(lastId(first)))).toEqual(['after 1', 'done 1']);
    expect(runs).toBe(1);
    expect(rig.violations).toEqual([]);
  });

  it('is claimed by one of two clients that connect at the same time', async () => {
    let runs = 0;
    const rig = new Rig({ register: (server) => closing(server, () => (runs += 1)), server: { resumeWaitMs: 2000 } });
    const session = await rig.connect();
    const first = await session.call('t', { n: 1 });
    const both = await Promise.all([session.resume(lastId(first)), session.resume(lastId(first))]);
    expect(both.map(texts)).toEqual([
      ['after 1', 'done 1'],
      ['after 1', 'done 1'],
    ]);
    expect(runs).toBe(1);
  });

  it('of two streams, resumed crosswise, each returns only its own events', async () => {
    const rig = new Rig({ register: closing });
    const session = await rig.connect();
    const [one, two] = [await session.call('t', { n: 1 }), await session.call('t', { n: 2 })];
    expect(texts(await session.resume(lastId(two)))).toEqual(['after 2', 'done 2']);
    expect(texts(await session.resume(lastId(one)))).toEqual(['after 1', 'done 1']);
    expect(lastId(one).slice(0, 12)).not.toBe(lastId(two).slice(0, 12));
  });

  it('is not for another session', async () => {
    const rig = new Rig({ register: closing });
    const first = await (await rig.connect()).call('t', { n: 1 });
    expect((await (await rig.connect()).resume(lastId(first))).status).toBe(405);
  });

  it.each(['2025-03-26', '2025-06-18'])('does not exist in revision %s', async (version) => {
    const session = await new Rig({ register: closing }).connect({ version });
    expect(texts(await session.call('t', { n: 1 }))).toEqual(['before 1', 'after 1', 'done 1']);
  });

  it('is replayed beyond one page, in order', async () => {
    const rig = new Rig({
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          await ctx.closeStream();
          for (let index = 0; index < 2000; index += 1) ctx.log('info', index);
          return 'done';
        }),
    });
    const session = await rig.connect();
    const first = await session.call('t');
    const stream = lastId(first).slice(0, 12);
    await session.resume(lastId(first));
    const all = texts(await session.resume(`${stream}.0`));
    expect(all).toEqual([...Array.from({ length: 2000 }, (_, index) => index), 'done']);
    const tail = texts(await session.resume(`${stream}.1997`));
    expect(tail).toEqual([1997, 1998, 1999, 'done']);
  });

  it('is replayed up to a gap', async () => {
    const inner = memoryMcpStore();
    const { store, rows } = await recorded(inner);
    const rig = new Rig({
      server: { store },
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          await ctx.closeStream();
          for (let index = 1; index <= 100; index += 1) ctx.log('info', index);
          return 'done';
        }),
    });
    const session = await rig.connect();
    const first = await session.call('t');
    await session.resume(lastId(first));
    const lost = rows.find(({ sort }) => sort === '0000000033');
    await inner.take(lost as Row);
    expect(texts(await session.resume(lastId(first)))).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  });
});

describe('a run whose instance is lost', () => {
  it('is never run again: the client receives an error', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const inner = memoryMcpStore({ clock });
    let runs = 0;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const rig = new Rig({
      clock,
      server: { store: inner, resumeWaitMs: 0 },
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          await ctx.closeStream();
          runs += 1;
          ctx.log('info', 'lost');
          begin();
          return new Promise<string>(() => {});
        }),
    });
    const session = await rig.connect();
    const first = await session.call('t');
    const lost = session.resume(lastId(first));
    await begun;
    const running = await session.resume(lastId(first));
    expect(running.events).toEqual([{ id: lastId(first), retry: 100, data: '' }]);
    clock.tick(36_000);
    const told = await session.resume(lastId(first));
    expect(told.events.map(({ data }) => data)).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Interrupted' } },
    ]);
    expect((await session.resume(lastId(told))).status).toBe(405);
    expect(runs).toBe(1);
    void lost;
  });
});

describe('a run that lives', () => {
  const lasting = (totalMs: number) => (server: McpServer, clock: ManualClock, begun: string[]) =>
    server.tool('t', {}, async (_, ctx) => {
      begun.push('run');
      await ctx.closeStream();
      await new Promise<void>((resolve) => clock.after(totalMs, resolve));
      return 'done';
    });

  it('sends a sign of life every ten seconds, so that a long run is not considered lost', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const begun: string[] = [];
    const rig = new Rig({
      clock,
      remainingMs: 900_000,
      server: { resumeWaitMs: 0 },
      register: (server) => lasting(600_000)(server, clock, begun),
    });
    const session = await rig.connect();
    const first = await session.call('t');
    const running = session.resume(lastId(first));
    for (let passed = 0; passed < 560_000; passed += 29_000) {
      await clock.advance(29_000);
      const looked = await session.resume(lastId(first));
      expect([looked.status, looked.events.at(-1)?.data]).toEqual([200, '']);
    }
    await clock.advance(30_000);
    expect(texts(await running)).toEqual(['done']);
    expect([begun, clock.pendingTimers, rig.violations]).toEqual([['run', 'run'], 0, []]);
  });

  it('and that is lost is noticed within thirty seconds, though its function might run for fifteen minutes', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const inner = memoryMcpStore({ clock });
    let isDead = false;
    const mortal: McpStore = {
      ...bound(inner),
      put: (row, when) => (isDead ? new Promise(() => {}) : inner.put(row, when)),
    };
    const begun: string[] = [];
    const options = {
      clock,
      remainingMs: 900_000,
      register: (server: McpServer) => lasting(600_000)(server, clock, begun),
    };
    const dying = new Rig({ ...options, server: { store: mortal } });
    const session = await dying.connect();
    const first = await session.call('t');
    void session.resume(lastId(first));
    await clock.advance(100);
    isDead = true;
    await clock.advance(29_000);
    const healthy = new Rig({ ...options, server: { store: inner, resumeWaitMs: 0 } });
    const look = () =>
      healthy.send(
        'GET',
        undefined,
        session.sent({ headers: { accept: 'text/event-stream', 'last-event-id': lastId(first) } }),
      );
    expect((await look()).events.at(-1)?.data).toBe('');
    await clock.advance(2000);
    expect(texts(await look())).toEqual(['Interrupted']);
  });

  it('is cancelled when another instance has ended its stream in the meantime', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const inner = memoryMcpStore({ clock });
    let release = () => {};
    let held: Promise<void> | undefined;
    const slow: McpStore = {
      ...bound(inner),
      put: async (row, when) => {
        await held;
        return inner.put(row, when);
      },
    };
    let signal: AbortSignal | undefined;
    const register = (server: McpServer) =>
      server.tool('t', {}, async (_, ctx) => {
        await ctx.closeStream();
        signal = ctx.signal;
        return new Promise<string>(() => {});
      });
    const options = { clock, remainingMs: 900_000, register };
    const session = await new Rig({ ...options, server: { store: slow } }).connect();
    const first = await session.call('t');
    void session.resume(lastId(first));
    await clock.advance(100);
    held = new Promise((resolve) => {
      release = resolve;
    });
    await clock.advance(31_000);
    const other = new Rig({ ...options, server: { store: inner, resumeWaitMs: 0 } });
    const headers = { accept: 'text/event-stream', 'last-event-id': lastId(first) };
    expect(texts(await other.send('GET', undefined, session.sent({ headers })))).toEqual(['Interrupted']);
    expect(signal?.aborted).toBe(false);
    release();
    await clock.advance(1);
    expect(signal?.aborted).toBe(true);
  });
});

function bound(store: McpStore): McpStore {
  return {
    get: (key) => store.get(key),
    put: (row, when) => store.put(row, when),
    take: (key) => store.take(key),
    list: (partition, after, limit) => store.list(partition, after, limit),
  };
}

describe('a door that streams', () => {
  async function* chunksOf(rig: Rig, session: Connection, name: string, args: object = {}) {
    const rpc = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta: { progressToken: 1 } },
    };
    const opened = await rig.open('POST', JSON.stringify(rpc), session.sent());
    for await (const chunk of opened.body) yield Buffer.from(chunk).toString('utf8');
  }

  it('sends the first event before the tool ends, and keeps it for a client that reconnects', async () => {
    let release = () => {};
    const rig = new Rig({
      streaming: true,
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          ctx.progress(1);
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return 'done';
        }),
    });
    const session = await rig.connect();
    const chunks = chunksOf(rig, session, 't');
    const head = (await chunks.next()).value ?? '';
    const first = (await chunks.next()).value ?? '';
    expect(head).toMatch(/^id: [\w-]{12}\.0\ndata: \n\n$/);
    expect(parseSse(first)[0]?.data.params.progress).toBe(1);
    const elsewhere = await session.resume(head.slice(4, 18), { streaming: false });
    expect(elsewhere.events[0]?.data.params.progress).toBe(1);
    release();
    const rest = await readRest(chunks);
    expect(rest).toContain('"text":"done"');
    const replayed = await session.resume(head.slice(4, 18), { streaming: false });
    expect(replayed.events.map(({ data }) => data.method ?? data.result.content[0].text)).toEqual([
      'notifications/progress',
      'done',
    ]);
    expect(rig.violations).toEqual([]);
  });

  it('answers JSON if the result is the first message', async () => {
    const rig = new Rig({ streaming: true, register: registerAll });
    const answer = await (await rig.connect()).call('echo', { a: 1 });
    expect([answer.headers['content-type'], answer.json.result.content[0].text]).toEqual([
      'application/json',
      '{"a":1}',
    ]);
  });

  it('opens after five seconds, comments every fifteen, and keeps the order', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    let release = () => {};
    const rig = new Rig({
      clock,
      streaming: true,
      remainingMs: 100_000,
      register: (server) =>
        server.tool('t', {}, async () => {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return 'done';
        }),
    });
    const session = await rig.connect();
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't' } };
    const opening = rig.open('POST', JSON.stringify(rpc), session.sent());
    await clock.advance(5000);
    const opened = await opening;
    expect(opened.headers['content-type']).toBe('text/event-stream');
    const reading = readAll(opened.body);
    await clock.advance(31_000);
    release();
    await clock.advance(1000);
    const text = await reading;
    expect(text.match(/^:$/gm)).toHaveLength(2);
    expect(text).toMatch(/"text":"done"[^\n]*\n\n$/);
  });

  it('continues without its client if the client can reconnect', async () => {
    let release = () => {};
    let aborted = false;
    const rig = new Rig({
      streaming: true,
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          ctx.signal.addEventListener('abort', () => {
            aborted = true;
          });
          ctx.progress(1);
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          ctx.progress(2);
          return 'done';
        }),
    });
    const session = await rig.connect();
    const chunks = chunksOf(rig, session, 't');
    const head = (await chunks.next()).value ?? '';
    await chunks.next();
    const leaving = chunks.return(undefined);
    release();
    await leaving;
    expect(aborted).toBe(false);
    const rest = await session.resume(`${head.slice(4, 16)}.1`, { streaming: false });
    expect(rest.events.map(({ data }) => data.params?.progress ?? data.result.content[0].text)).toEqual([2, 'done']);
    expect(rig.violations).toEqual([]);
  });

  it('ends a stateless call when its client is gone', async () => {
    let reason: unknown;
    const rig = new Rig({
      streaming: true,
      register: (server) =>
        server.tool('t', {}, (_, ctx) => {
          ctx.progress(1);
          return new Promise<string>((_resolve, reject) => {
            ctx.signal.addEventListener('abort', () => {
              reason = ctx.signal.reason;
              reject(new Error('aborted'));
            });
          });
        }),
    });
    const { body, headers } = statelessCall('t', { progressToken: 1 });
    const opened = await rig.open('POST', body, { headers });
    const iterator = (opened.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.(undefined);
    expect(reason).toBeInstanceOf(Error);
  });
});

function statelessCall(name: string, meta: object) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta } }) };
}

async function readRest(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

describe('a large event', () => {
  const big = 'x'.repeat(300_000);
  const register = (server: McpServer) =>
    server.tool('t', {}, async (_, ctx) => {
      await ctx.closeStream();
      ctx.log('info', big);
      return 'done';
    });

  it('reaches the client that reads; a client that reconnects receives an error that it was too large', async () => {
    const log: Line[] = [];
    const session = await new Rig({ register, log: logTo(log) }).connect();
    const first = await session.call('t');
    expect(texts(await session.resume(lastId(first)))).toEqual([big, 'done']);
    const again = texts(await session.resume(lastId(first)));
    expect(again).toEqual([expect.stringMatching(/^An event of 300\d{3} bytes was too large to keep\.$/), 'done']);
    expect(log).toMatchObject([{ level: 'WARN', message: 'mcp.too_large', target: 't', what: 'event' }]);
  });

  it('goes to the spill, and is checked when it is read', async () => {
    const spilled = new Map<string, Uint8Array>();
    const spill = {
      put: async (key: string, data: Uint8Array) => void spilled.set(key, data),
      get: async (key: string) => spilled.get(key),
    };
    const session = await new Rig({ register, server: { spill } }).connect();
    const first = await session.call('t');
    expect(texts(await session.resume(lastId(first)))).toEqual([big, 'done']);
    expect(texts(await session.resume(lastId(first)))).toEqual([big, 'done']);
    const [[key = '', data = new Uint8Array()] = []] = spilled;
    expect(key).toMatch(/^mcp\/[\w-]{32}$/);
    data[50] = 0;
    expect(texts(await session.resume(lastId(first)))).toEqual([]);
  });

  it('past five megabytes is too large for the spill too', async () => {
    const spill = { put: async () => {}, get: async () => undefined };
    const large = 'x'.repeat(5 * 1024 * 1024);
    const session = await new Rig({
      server: { spill },
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          await ctx.closeStream();
          return large;
        }),
    }).connect();
    const first = await session.call('t');
    expect(texts(await session.resume(lastId(first)))).toEqual([large]);
    const { error } = (await session.resume(lastId(first))).events.at(-1)?.data ?? {};
    expect(error).toMatchObject({
      code: -32603,
      message: 'Too large to keep: result',
      data: { code: 'mcp.too_large', what: 'result', limit: 5 * 1024 * 1024 },
    });
  });

  it('of a response that is not stored may be as large as it likes', async () => {
    const session = await new Rig({ register: (server) => server.tool('t', {}, () => big) }).connect();
    expect((await session.call('t')).json.result.content[0].text).toBe(big);
  });
});

describe('rows', () => {
  it('all expire, in seconds', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const { store, rows } = await recorded(memoryMcpStore({ clock }));
    const rig = new Rig({ clock, server: { store, changes: true }, register: registerAll });
    const session = await rig.connect();
    const parked = await session.call('ask');
    await session.request('resources/subscribe', { uri: 'notes://index' });
    await session.notify('notifications/cancelled', { requestId: 99 });
    await rig.server().publish({ list: 'tools' });
    await session.answer(parked.events[1]?.data.id, { action: 'decline' });
    const lifetimes = new Map(
      rows.map(({ partition, sort, ttl }) => [
        `${partition.slice(0, 1)} ${sort.split('#')[0]?.slice(0, 8)}`,
        ttl - 1_700_000_000,
      ]),
    );
    expect(Object.fromEntries([...lifetimes].filter(([name]) => !name.startsWith('c ')))).toEqual({
      's session': 86_400,
      's open': 960,
      's sub': 86_400,
      's cancel': 600,
      'e !': 3600,
      'e 00000000': 3600,
    });
    expect([...lifetimes].find(([name]) => name.startsWith('c '))?.[1]).toBe(300);
    expect(rows.every(({ ttl }) => Number.isInteger(ttl))).toBe(true);
  });
});
