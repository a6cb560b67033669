import { ManualClock } from '@sallyport/core/testing';
import { createMcpServer, memoryMcpStore } from '../src/index.js';
import { counting } from './support/counting.js';
import { parseSse, Rig, readAll, statelessHeaders, statelessMessage } from './support/rig.js';
import { registerAll } from './support/server.js';

const START = 1_700_000_000_000;

function live(remainingMs = 60_000) {
  const clock = new ManualClock(START);
  const rig = new Rig({ register: registerAll, server: { changes: true }, streaming: true, clock, remainingMs });
  return { clock, rig, server: rig.server() };
}

const dataOf = (text: string) => parseSse(text).flatMap(({ data }) => (data ? [data] : []));

describe('a listener of a session', () => {
  it('receives changes of lists and of subscribed resources from any instance', async () => {
    const { clock, rig, server } = live(10_000);
    const session = await rig.connect();
    expect((await session.request('resources/subscribe', { uri: 'notes://index' })).json.result).toEqual({});
    await session.request('resources/subscribe', { uri: 'notes://8/text' });
    await session.request('resources/unsubscribe', { uri: 'notes://8/text' });
    const opened = await rig.open('GET', '', session.sent({ headers: { accept: 'text/event-stream' } }));
    expect(opened.status).toBe(200);
    const reading = readAll(opened.body);
    await clock.advance(500);
    await server.publish({ list: 'prompts' });
    clock.tick(1);
    await server.publish({ resource: 'notes://index' });
    await server.publish({ resource: 'notes://8/text' });
    await clock.advance(1000);
    await server.publish({ list: 'tools' });
    await clock.advance(10_000);
    const text = await reading;
    expect(dataOf(text)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'notes://index' } },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
    expect(parseSse(text).at(-1)).toEqual({
      id: expect.stringMatching(/^[\w-]{12}\.\d{13}$/),
      retry: 30_000,
      data: '',
    });
    expect(rig.violations).toEqual([]);
  });

  it('continues where the last stream ended', async () => {
    const { clock, rig, server } = live(10_000);
    const session = await rig.connect();
    const first = await rig.open('GET', '', session.sent({ headers: { accept: 'text/event-stream' } }));
    const reading = readAll(first.body);
    await clock.advance(10_000);
    const { id = '' } = parseSse(await reading).at(-1) ?? {};
    await server.publish({ list: 'tools' });
    await clock.advance(20_000);
    const second = await rig.open(
      'GET',
      '',
      session.sent({ headers: { accept: 'text/event-stream', 'last-event-id': id } }),
    );
    const again = readAll(second.body);
    await clock.advance(10_000);
    expect(dataOf(await again)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
    expect((await session.resume(id, { streaming: false })).status).toBe(405);
  });

  it.each([
    ['at most 25 seconds', 900_000, 25_000],
    ['until two seconds before the deadline', 12_000, 10_000],
  ])('lives %s, and looks once a second', async (_, remainingMs, lifeMs) => {
    const clock = new ManualClock(START);
    const store = counting(memoryMcpStore({ clock }));
    const server = { changes: true, store };
    const rig = new Rig({ register: registerAll, server, streaming: true, clock, remainingMs });
    const session = await rig.connect();
    const opened = await rig.open('GET', '', session.sent({ headers: { accept: 'text/event-stream' } }));
    let ended = false;
    const reading = readAll(opened.body).then(() => {
      ended = true;
    });
    await clock.advance(lifeMs - 1);
    expect(ended).toBe(false);
    await clock.advance(1);
    await reading;
    expect([store.counts.list, clock.pendingTimers]).toEqual([lifeMs / 1000, 0]);
  });

  it('receives changes that a publisher with a slow clock wrote', async () => {
    const { clock, rig } = live(5000);
    const session = await rig.connect();
    const slow = createMcpServer({
      ...{ name: 'tested', version: '1.0.0', changes: true, clock: new ManualClock(START - 1500) },
      ...(rig.store ? { store: rig.store } : {}),
    });
    const opened = await rig.open('GET', '', session.sent({ headers: { accept: 'text/event-stream' } }));
    const reading = readAll(opened.body);
    await slow.publish({ list: 'tools' });
    await clock.advance(5000);
    expect(dataOf(await reading)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  });

  it('subscribes for as long as its session lives, which slides', async () => {
    const { clock, rig, server } = live(10_000);
    const session = await rig.connect();
    await session.request('resources/subscribe', { uri: 'notes://index' });
    for (let hour = 0; hour < 60; hour += 5) {
      clock.tick(5 * 3_600_000);
      expect((await session.request('ping')).status).toBe(200);
    }
    const opened = await rig.open('GET', '', session.sent({ headers: { accept: 'text/event-stream' } }));
    const reading = readAll(opened.body);
    await server.publish({ resource: 'notes://index' });
    await clock.advance(10_000);
    expect(dataOf(await reading)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'notes://index' } },
    ]);
  });

  it('writes no event without data to an older client', async () => {
    const { clock, rig } = live(5000);
    const session = await rig.connect({ version: '2025-06-18' });
    const opened = await rig.open('GET', '', session.sent({ headers: { accept: 'text/event-stream' } }));
    const reading = readAll(opened.body);
    await clock.advance(5000);
    expect(await reading).toBe(':\n\nretry: 30000\n\n');
  });

  it('is unknown to a server without the option changes', async () => {
    const session = await new Rig({ register: registerAll, streaming: true }).connect();
    const answer = await session.rig.send('GET', undefined, session.sent({ headers: { accept: 'text/event-stream' } }));
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, DELETE']);
  });

  it('has at most a hundred subscriptions', async () => {
    const { rig } = live();
    const session = await rig.connect();
    for (let index = 0; index < 100; index += 1)
      await session.request('resources/subscribe', { uri: `notes://${index}/text` });
    expect((await session.request('resources/subscribe', { uri: 'notes://100/text' })).json.error.code).toBe(-32602);
    expect((await session.request('resources/subscribe', { uri: 'notes://99/text' })).json.result).toEqual({});
  });

  it('can subscribe to existing resources only', async () => {
    const { rig } = live();
    const session = await rig.connect();
    const answer = await session.request('resources/subscribe', { uri: 'notes://nope' });
    expect(answer.json.error).toEqual({ code: -32002, message: 'Resource not found', data: { uri: 'notes://nope' } });
    expect((await session.request('resources/subscribe', {})).json.error.code).toBe(-32602);
  });
});

describe('subscriptions/listen', () => {
  const listen = (rig: Rig, notifications: unknown, id: unknown = 'sub') => {
    const message = statelessMessage(id, 'subscriptions/listen', { notifications });
    return rig.open('POST', JSON.stringify(message), { headers: statelessHeaders('subscriptions/listen', {}) });
  };

  it.each(['sub', 5, 0])(
    'acknowledges first, sends the requested changes under the id %p, and ends with a result',
    async (id) => {
      const { clock, rig, server } = live(10_000);
      const wanted = {
        toolsListChanged: true,
        resourceSubscriptions: ['notes://7/text', 'other://x'],
        promptsListChanged: false,
        what: 1,
      };
      const opened = await listen(rig, wanted, id);
      const reading = readAll(opened.body);
      await clock.advance(100);
      await server.publish({ list: 'prompts' });
      await server.publish({ list: 'tools' });
      clock.tick(1);
      await server.publish({ resource: 'notes://7/text' });
      await server.publish({ resource: 'other://x' });
      await clock.advance(10_000);
      const text = await reading;
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      expect(dataOf(text)).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['notes://7/text'] }, _meta },
        },
        { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
        { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'notes://7/text', _meta } },
        {
          jsonrpc: '2.0',
          id,
          result: {
            resultType: 'complete',
            _meta: { ..._meta, 'io.modelcontextprotocol/serverInfo': { name: 'tested', version: '1.0.0' } },
          },
        },
      ]);
      expect(text).not.toMatch(/^(id|retry):/m);
    },
  );

  it('ends when its client is gone', async () => {
    const { clock, rig } = live();
    const opened = await listen(rig, {});
    const iterator = (opened.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    await new Promise((resolve) => setImmediate(resolve));
    opened.abort?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await clock.advance(0);
    expect(rig.violations).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['URIs that are none', { resourceSubscriptions: [5] }],
    ['too many URIs', { resourceSubscriptions: Array.from({ length: 101 }, () => 'notes://index') }],
  ])('rejects a filter of %s', async (_, notifications) => {
    const opened = await listen(live().rig, notifications);
    expect(JSON.parse(await readAll(opened.body)).error.code).toBe(-32602);
  });

  it('is unknown at a buffered door and without changes', async () => {
    const { rig } = live();
    expect((await rig.stateless('subscriptions/listen', { notifications: {} }, { streaming: false })).status).toBe(404);
    const still = new Rig({ register: registerAll, streaming: true });
    expect((await still.stateless('subscriptions/listen', { notifications: {} })).status).toBe(404);
  });
});
