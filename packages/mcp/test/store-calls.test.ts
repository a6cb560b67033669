import { ManualClock } from '@sallyport/core/testing';
import { type McpServer, memoryMcpStore } from '../src/index.js';
import { counting } from './support/counting.js';
import { parseSse, Rig, type RigOptions, readAll } from './support/rig.js';

const START = 1_700_000_000_000;

/** A function whose time the test moves, over a store that counts its calls from the call of the tool on. */
async function prepared(register: (server: McpServer, clock: ManualClock) => void, options: RigOptions = {}) {
  const clock = new ManualClock(START);
  const store = counting(memoryMcpStore({ clock }));
  const rig = new Rig({
    clock,
    remainingMs: 900_000,
    register: (s) => register(s, clock),
    ...options,
    server: { store, ...options.server },
  });
  const session = await rig.connect();
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', _meta: { progressToken: 1 } } };
  const counts = () => {
    const { get = 0, list = 0, put = 0, take = 0 } = store.counts;
    return { reads: get + list, writes: put + take };
  };
  for (const name of Object.keys(store.counts)) store.counts[name] = 0;
  return { clock, rig, session, counts, open: () => rig.open('POST', JSON.stringify(request), session.sent()) };
}

const wait = (clock: ManualClock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));

/** Reads a body while time passes in small steps. */
async function readWhile(clock: ManualClock, opening: ReturnType<Rig['open']>, totalMs: number): Promise<string> {
  const reading = opening.then(({ body }) => readAll(body));
  let text: string | undefined;
  void reading.then((whole) => {
    text = whole;
  });
  for (let passed = 0; passed < totalMs && text === undefined; passed += 5) await clock.advance(5);
  return reading;
}

const progressing = (events: number, everyMs: number) => (server: McpServer, clock: ManualClock) =>
  server.tool('t', {}, async (_, ctx) => {
    for (let event = 1; event <= events; event += 1) {
      await wait(clock, everyMs);
      ctx.progress(event, events);
    }
    return 'done';
  });

describe('store operations of a call', () => {
  it.each([
    ['100 events in half a second', 5, true, { reads: 3, writes: 12 }],
    ['100 events in five seconds', 50, true, { reads: 8, writes: 16 }],
    ['100 events at a buffered door', 5, false, { reads: 3, writes: 6 }],
  ])('%s: so much at most, and all of them arrive in order', async (_, everyMs, streaming, most) => {
    const { clock, open, counts } = await prepared(progressing(100, everyMs), { streaming });
    const events = parseSse(await readWhile(clock, open(), 20_000));
    const progress = events.flatMap(({ data }) => (data?.params ? [data.params.progress] : []));
    expect(progress).toEqual(Array.from({ length: 100 }, (__, index) => index + 1));
    expect(events.at(-1)?.data.result.content[0].text).toBe('done');
    const { reads, writes } = counts();
    expect(reads).toBeLessThanOrEqual(most.reads);
    expect(writes).toBeLessThanOrEqual(most.writes);
  });

  it('nothing for log events below the level of the client, which make no stream either', async () => {
    const { open, counts } = await prepared(
      (server) =>
        server.tool('t', {}, (_, ctx) => {
          for (let line = 0; line < 20; line += 1) ctx.log('debug', line);
          return 'done';
        }),
      { streaming: true },
    );
    const opened = await open();
    expect(opened.headers['content-type']).toBe('application/json');
    // The session is read once.
    expect(counts()).toEqual({ reads: 1, writes: 0 });
  });

  it('one read for the level of a sealed session, regardless of the number of logs', async () => {
    const { open, counts } = await prepared(
      (server) =>
        server.tool('t', {}, (_, ctx) => {
          for (let line = 0; line < 20; line += 1) ctx.log('info', line);
          return 'done';
        }),
      { server: { sessions: 'sealed' } },
    );
    expect(parseSse(await readAll((await open()).body)).filter(({ data }) => data?.params)).toHaveLength(20);
    // The level, and one look for a cancellation.
    expect(counts().reads).toBe(2);
  });

  it('one look for a cancellation a second, regardless of the number of steps', async () => {
    const { clock, open, counts } = await prepared((server, time) =>
      server.tool('t', {}, async (_, ctx) => {
        for (let step = 0; step < 60; step += 1) await ctx.step(`${step}`, () => wait(time, 50).then(() => null));
        return 'done';
      }),
    );
    await readWhile(clock, open(), 10_000);
    expect(counts().reads).toBeLessThanOrEqual(5);
  });

  it('a few looks while a client waits for a run that is in progress', async () => {
    const { clock, rig, session, counts } = await prepared((server, time) =>
      server.tool('t', {}, async (_, ctx) => {
        await ctx.closeStream();
        await wait(time, 60_000);
        return 'done';
      }),
    );
    const closed = await session.call('t');
    const id = closed.events[0]?.id ?? '';
    const running = session.resume(id);
    await clock.advance(10);
    const before = counts().reads;
    const waiting = session.resume(id);
    await clock.advance(1500);
    expect((await waiting).events.at(-1)?.retry).toBe(500);
    expect(counts().reads - before).toBeLessThanOrEqual(12);
    await clock.advance(60_000);
    expect((await running).text).toContain('done');
    expect(rig.violations).toEqual([]);
  });
});

describe('a question that a machine answers', () => {
  it('answers the client to wait a tenth of a second', async () => {
    const { clock, session } = await prepared((server) =>
      server.tool('t', { asks: ['roots'] }, async (_, ctx) => String((await ctx.roots()).length)),
    );
    const parked = await session.call('t');
    expect(parked.events.at(-1)?.retry).toBe(100);
    clock.tick(20);
    await session.answer(parked.events[1]?.data.id, { roots: [{ uri: 'file:///a' }] });
    clock.tick(80);
    expect((await session.resume(parked.events[1]?.id ?? '')).events[0]?.data.result.content[0].text).toBe('1');
  });

  it('on a stream that is open is looked up immediately', async () => {
    const { clock, rig, session, open } = await prepared(
      (server) => server.tool('t', { asks: ['roots'] }, async (_, ctx) => String((await ctx.roots()).length)),
      { streaming: true, server: { whileWaiting: 'hold', store: memoryMcpStore({ clock: new ManualClock(START) }) } },
    );
    const opening = open();
    await clock.advance(10);
    const iterator = (await opening).body as AsyncIterable<Uint8Array>;
    let text = '';
    const reading = (async () => {
      for await (const chunk of iterator) text += Buffer.from(chunk).toString('utf8');
    })();
    await clock.advance(10);
    const id = /"id":"([\w-]{12}\.q1)"/.exec(text)?.[1];
    await session.answer(id, { roots: [] }, { streaming: false });
    await clock.advance(150);
    await reading;
    expect(text).toContain('"text":"0"');
    expect(rig.violations).toEqual([]);
  });
});
