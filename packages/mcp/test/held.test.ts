import type { SpanHook } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import {
  type ElicitParams,
  type McpServer,
  type McpServerOptions,
  type McpStore,
  memoryMcpStore,
} from '../src/index.js';
import { counting } from './support/counting.js';
import { type Connection, Rig } from './support/rig.js';

const START = new Date('2026-11-23T10:00:00Z');
const form = (message: string): ElicitParams => ({
  message,
  requestedSchema: { type: 'object', properties: { v: { type: 'string' } }, required: ['v'] },
});
const accept = (v: string) => ({ action: 'accept', content: { v } });

let runs = 0;
function register(server: McpServer): void {
  server.tool('one', { asks: ['elicitation'] }, async (_, ctx) => {
    runs += 1;
    return `one ${(await ctx.elicit(form('A?'))).content?.v}`;
  });
  server.tool('two', { asks: ['elicitation'] }, async (_, ctx) => {
    runs += 1;
    const first = await ctx.elicit(form('A?'));
    ctx.progress(1, 2);
    const second = await ctx.elicit(form('B?'));
    return `two ${first.content?.v} ${second.content?.v}`;
  });
  server.tool('returns', { asks: ['elicitation', 'roots'] }, (_, ctx) => {
    runs += 1;
    ctx.log('info', 'run');
    const state = (ctx.state ?? []) as string[];
    const said = ctx.inputs.a && 'content' in ctx.inputs.a ? String((ctx.inputs.a.content as { v?: string })?.v) : '-';
    if (state.length === 2) return `returns ${state.join(' ')} ${said}`;
    const requests = {
      a: { method: 'elicitation/create', params: form(`Round ${state.length}?`) },
      b: { method: 'roots/list' },
    } as const;
    return ctx.inputRequired(requests, [...state, said]);
  });
  server.tool('both', { asks: ['elicitation'] }, async (_, ctx) => {
    runs += 1;
    const answers = await Promise.all([ctx.elicit(form('A?'), 'a'), ctx.elicit(form('B?'), 'b')]);
    return `both ${answers.map(({ content }) => content?.v).join(' ')}`;
  });
}

/** A call on a door that streams. Each request is served by a new instance. */
async function call(
  name: string,
  {
    store: given,
    server = {},
    remainingMs,
    span,
  }: { store?: McpStore; server?: Partial<McpServerOptions>; remainingMs?: number; span?: SpanHook } = {},
) {
  runs = 0;
  const clock = new ManualClock(START);
  const store = given ?? memoryMcpStore({ clock });
  const rig = new Rig({
    register,
    streaming: true,
    clock,
    server: { ...server, store },
    ...(remainingMs ? { remainingMs } : {}),
    ...(span ? { span } : {}),
  });
  const session = await rig.connect();
  const state = { text: '', isOver: false };
  const rpc = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name, _meta: { progressToken: 1 } } };
  const opening = rig.open('POST', JSON.stringify(rpc), session.sent());
  const reading = (async () => {
    for await (const chunk of (await opening).body) state.text += Buffer.from(chunk).toString('utf8');
    state.isOver = true;
  })();
  await clock.advance(100);
  return { clock, rig, session, state, store, reading };
}

const idsOf = (text: string) => [...text.matchAll(/"id":"([\w-]{12}\.[\w-]+)"/g)].map(([, id = '']) => id);
const lastEventId = (text: string) => [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
const answer = (session: Connection, id: string | undefined, v: string) =>
  session.answer(id, accept(v), { streaming: false });

describe('a question on a door that streams', () => {
  it('is answered on its stream, for a client that never resumes', async () => {
    const { clock, rig, session, state, reading } = await call('one');
    const [id] = idsOf(state.text);
    await clock.advance(5000);
    expect(state.isOver).toBe(false);
    expect((await answer(session, id, 'x')).status).toBe(202);
    await clock.advance(2500);
    await reading;
    expect(state.text).toContain('"text":"one x"');
    expect([runs, rig.violations]).toEqual([1, []]);
  });

  it('comes with the first event id: the head of the response waits for the store', async () => {
    const clock = new ManualClock(START);
    const inner = memoryMcpStore({ clock });
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store: McpStore = {
      get: inner.get.bind(inner),
      list: inner.list.bind(inner),
      take: inner.take.bind(inner),
      async put(row, when) {
        if (row.partition.startsWith('e#')) await blocked;
        return inner.put(row, when);
      },
    };
    const rig = new Rig({ register, streaming: true, clock, server: { store } });
    const session = await rig.connect();
    const rpc = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'one' } };
    let hasHead = false;
    const opening = rig.open('POST', JSON.stringify(rpc), session.sent()).then((opened) => {
      hasHead = true;
      return opened;
    });
    await clock.advance(1000);
    expect(hasHead).toBe(false);
    release();
    await clock.advance(100);
    const { body } = await opening;
    const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const first = await iterator.next();
    expect(Buffer.from(first.value ?? []).toString()).toMatch(/^id: [\w-]{12}\.0\n/);
    void iterator.return?.();
    await clock.advance(20_000);
  });

  it('can be followed by another', async () => {
    const { clock, session, state, reading } = await call('two');
    await answer(session, idsOf(state.text)[0], 'x');
    await clock.advance(2500);
    expect(idsOf(state.text)).toHaveLength(2);
    await answer(session, idsOf(state.text)[1], 'y');
    await clock.advance(2500);
    await reading;
    expect(state.text).toContain('"text":"two x y"');
    expect(runs).toBe(1);
  });

  it('that a handler returns is answered on its stream, and the handler runs again there', async () => {
    const { clock, rig, session, state, reading } = await call('returns');
    for (const v of ['x', 'y']) {
      const [a, b] = idsOf(state.text).slice(-2);
      await answer(session, a, v);
      await session.answer(b, { roots: [] }, { streaming: false });
      await clock.advance(2500);
    }
    await reading;
    expect(state.text).toContain('"text":"returns - x y"');
    // An event that the handler emits again is not sent again.
    expect([runs, idsOf(state.text).length, state.text.split('"data":"run"').length - 1]).toEqual([3, 4, 1]);
    expect(rig.violations).toEqual([]);
  });

  it('has the span of its run in _meta, and an event is not sent again although the span of its run is another', async () => {
    let spans = 0;
    const span: SpanHook = {
      start() {
        spans += 1;
        const id = String(spans).padStart(16, '0');
        return { traceparent: `00-${'a'.repeat(32)}-${id}-01`, set() {}, error() {}, end() {}, run: (work) => work() };
      },
    };
    const { clock, session, state, reading } = await call('returns', { span });
    for (const v of ['x', 'y']) {
      const [a, b] = idsOf(state.text).slice(-2);
      await answer(session, a, v);
      await session.answer(b, { roots: [] }, { streaming: false });
      await clock.advance(2500);
    }
    await reading;
    const sent = [...state.text.matchAll(/^data: (\{.*"_meta":\{"traceparent".*)$/gm)].map(([, text = '']) => text);
    const parents = sent.map((text) => /"method":"([^"]+)".*-0*(\d+)-01/.exec(text)?.slice(1).join(' '));
    const [first = '', ...others] = parents;
    expect(first).toMatch(/^notifications\/message \d+$/);
    const run = Number(first.split(' ')[1]);
    expect(others).toEqual([
      `elicitation/create ${run}`,
      `roots/list ${run}`,
      // The requests with the two answers have spans too.
      `elicitation/create ${run + 3}`,
      `roots/list ${run + 3}`,
    ]);
  });

  it('that a handler returns is parked with its call, which keeps the answer to the other question', async () => {
    const { clock, session, state, reading } = await call('returns');
    const [a, b] = idsOf(state.text);
    await answer(session, a, 'x');
    await clock.advance(16_000);
    await reading;
    expect(idsOf(state.text)).toEqual([a, b]);
    await session.answer(b, { roots: [] }, { streaming: false });
    const second = await session.resume(lastEventId(state.text), { streaming: false });
    const [c, d] = second.events.flatMap(({ data }) => (data?.method && data.id !== undefined ? [data.id] : []));
    await answer(session, c, 'y');
    await session.answer(d, { roots: [] }, { streaming: false });
    const last = second.events.findLast(({ id }) => id !== undefined)?.id ?? '';
    const rest = await session.resume(last, { streaming: false });
    expect(rest.events.at(-1)?.data.result.content[0].text).toBe('returns - x y');
  });

  it.each([
    ['is declined', { action: 'decline' }, '"text":"one undefined"'],
    ['is answered against its schema', { action: 'accept', content: { v: 5 } }, 'gave no valid answer'],
  ])('%s', async (_, result, text) => {
    const { clock, session, state, reading } = await call('one');
    await session.answer(idsOf(state.text)[0], result, { streaming: false });
    await clock.advance(2500);
    await reading;
    expect(state.text).toContain(text);
  });

  it.each([
    ['asked immediately', 0, 14_800],
    // The second question is open when the lease of the run is ten seconds old.
    ['asked after eight seconds', 8000, 14_500],
  ])('%s costs no write in its first 15 seconds, beyond the question itself', async (_, afterMs, waitedMs) => {
    const store = counting(memoryMcpStore({ clock: new ManualClock(START) }));
    const { clock, session, state, reading } = await call('two', { store });
    if (afterMs > 0) {
      await clock.advance(afterMs);
      await answer(session, idsOf(state.text)[0], 'x');
      await clock.advance(2500);
      expect(idsOf(state.text)).toHaveLength(2);
    }
    const { put } = store.counts;
    await clock.advance(waitedMs - (afterMs > 0 ? 2500 : 0));
    expect([state.isOver, store.counts.put]).toEqual([false, put]);
    // The session, the head of the stream, and the question as an event of it.
    if (afterMs === 0) expect(put).toBe(3);
    await clock.advance(2500);
    await reading;
    expect(state.isOver).toBe(true);
  });

  it('renews the lease of its run if it waits longer than the lease', async () => {
    const store = counting(memoryMcpStore({ clock: new ManualClock(START) }));
    const { clock, session, state, reading } = await call('one', { store, server: { holdMs: 60_000 } });
    await clock.advance(24_000);
    expect(store.counts.put).toBe(3);
    await clock.advance(2000);
    expect(store.counts.put).toBe(4);
    await answer(session, idsOf(state.text)[0], 'x');
    await clock.advance(2500);
    await reading;
    expect(state.text).toContain('"text":"one x"');
  });

  it('parks its call after 15 seconds, and the call continues with a later answer', async () => {
    const { clock, rig, session, state, reading } = await call('one');
    const [id] = idsOf(state.text);
    await clock.advance(14_000);
    expect(state.isOver).toBe(false);
    await clock.advance(2000);
    await reading;
    expect([state.isOver, idsOf(state.text), state.text.match(/^retry: \d+$/gm)]).toEqual([true, [id], ['retry: 100']]);
    await clock.advance(60_000);
    expect((await answer(session, id, 'late')).status).toBe(202);
    const rest = await session.resume(lastEventId(state.text), { streaming: false });
    expect(rest.events.at(-1)?.data.result.content[0].text).toBe('one late');
    expect([runs, rig.violations]).toEqual([2, []]);
  });

  it('does not lose the answers before it when its call is parked', async () => {
    const { clock, session, state, reading } = await call('two');
    const [first] = idsOf(state.text);
    await answer(session, first, 'x');
    await clock.advance(2500);
    const [, second] = idsOf(state.text);
    await clock.advance(16_000);
    await reading;
    expect(idsOf(state.text)).toEqual([first, second]);
    await answer(session, second, 'y');
    const rest = await session.resume(lastEventId(state.text), { streaming: false });
    expect(rest.events.map(({ data }) => data?.result?.content[0].text)).toEqual(['two x y']);
    expect(runs).toBe(2);
  });

  it('parks with the other questions of its call, even if one is answered', async () => {
    const { clock, session, state, reading } = await call('both');
    const [a, b] = idsOf(state.text);
    await answer(session, a, 'x');
    await clock.advance(16_000);
    await reading;
    expect(idsOf(state.text)).toEqual([a, b]);
    await answer(session, b, 'y');
    const rest = await session.resume(lastEventId(state.text), { streaming: false });
    expect(rest.events.at(-1)?.data.result.content[0].text).toBe('both x y');
  });

  it('parks with all open questions of its call, and sends each only once', async () => {
    const { clock, session, state, reading } = await call('both');
    const [a, b] = idsOf(state.text);
    await clock.advance(16_000);
    await reading;
    expect(idsOf(state.text)).toEqual([a, b]);
    await answer(session, b, 'y');
    await answer(session, a, 'x');
    const rest = await session.resume(lastEventId(state.text), { streaming: false });
    expect(rest.events.at(-1)?.data.result.content[0].text).toBe('both x y');
  });

  it('parks earlier if the invocation ends earlier', async () => {
    const { clock, state, reading } = await call('one', { remainingMs: 9000 });
    await clock.advance(5000);
    expect(state.isOver).toBe(false);
    await clock.advance(2000);
    await reading;
    expect(state.isOver).toBe(true);
  });

  it.each([
    ['before the call is parked', 'before'],
    ['while the call is being parked', 'after'],
  ] as const)('is not lost when its answer arrives %s', async (_, when) => {
    const clock = new ManualClock(START);
    const inner = memoryMcpStore({ clock });
    let onPark: () => Promise<unknown> = async () => undefined;
    const store: McpStore = {
      get: inner.get.bind(inner),
      list: inner.list.bind(inner),
      take: inner.take.bind(inner),
      async put(row, condition) {
        const isMark = Buffer.from(row.data).toString().includes('"parked":true');
        if (isMark && when === 'before') await onPark();
        const isPut = await inner.put(row, condition);
        if (isMark && when === 'after') void onPark();
        return isPut;
      },
    };
    const held = await call('one', { store });
    const [id] = idsOf(held.state.text);
    let answered: Promise<{ status: number }> | undefined;
    onPark = () => {
      answered = answer(held.session, id, 'x');
      return when === 'before' ? answered : Promise.resolve();
    };
    for (let step = 0; step < 40; step += 1) await held.clock.advance(500);
    await held.reading;
    expect((await answered)?.status).toBe(202);
    if (when === 'before') expect(held.state.text).toContain('"text":"one x"');
    else {
      const rest = await held.session.resume(lastEventId(held.state.text), { streaming: false });
      expect(rest.events.at(-1)?.data.result.content[0].text).toBe('one x');
    }
  });

  it('ends without an answer when its client cancels', async () => {
    const { clock, session, state, reading } = await call('one');
    await session.post(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } },
      { streaming: false },
    );
    await clock.advance(3000);
    await reading;
    expect(state.text).not.toContain('"result"');
  });

  it('accepts the first of two answers, and no answer of another principal', async () => {
    const { clock, session, state, reading } = await call('one');
    const [id] = idsOf(state.text);
    expect((await session.answer(id, accept('bob'), { streaming: false, user: 'bob' })).status).toBe(404);
    await answer(session, id, 'x');
    expect((await answer(session, id, 'y')).status).toBe(202);
    await clock.advance(2500);
    await reading;
    expect(state.text).toContain('"text":"one x"');
  });

  it('parks immediately with whileWaiting: park', async () => {
    const { clock, state } = await call('one', { server: { whileWaiting: 'park' } });
    await clock.advance(1000);
    expect(state.isOver).toBe(true);
  });
});
