import { ManualClock } from '@sallyport/core/testing';
import { type McpStore, memoryMcpStore } from '../src/index.js';
import { counting } from './support/counting.js';
import { LATEST, Rig, SECRET } from './support/rig.js';
import { registerAll } from './support/server.js';

const HOUR = 3_600_000;

describe.each(['durable', 'sealed'] as const)('%s sessions', (sessions) => {
  const clock = new ManualClock(1_700_000_000_000);
  const rig = new Rig({ register: registerAll, server: { sessions }, clock });
  const ping = (id: string, user?: string) =>
    rig.post(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { headers: { 'mcp-session-id': id }, ...(user === undefined ? {} : { user }) },
    );

  it.each([
    ['nobody', undefined],
    ['another identity', 'eve'],
    ['another kind', 'internal/ada'],
    ['another tenant', 'external/ada/t2'],
  ])('do not open for %s', async (_, user) => {
    const session = await rig.connect({ user: 'ada' });
    expect((await ping(session.id, 'ada')).status).toBe(200);
    const answer = await ping(session.id, user);
    expect([answer.status, answer.json.error.code]).toEqual([404, -32001]);
    expect((await session.delete(user === undefined ? { user: '' } : { user })).status).toBe(404);
  });

  it('expire', async () => {
    const session = await rig.connect();
    clock.tick((sessions === 'durable' ? 24 : 7 * 24) * HOUR - 1000);
    const other = await rig.connect();
    clock.tick(2000);
    expect((await ping(session.id)).status).toBe(404);
    expect((await ping(other.id)).status).toBe(200);
  });

  it('store the client', async () => {
    const seen: unknown[] = [];
    const asking = new Rig({
      server: { sessions },
      register: (server) =>
        server.tool('who', {}, (_, ctx) => {
          seen.push(ctx.client?.name, ctx.clientCapabilities, ctx.protocolVersion, ctx.era);
          return '';
        }),
    });
    const session = await asking.connect({
      capabilities: { sampling: { tools: {} }, elicitation: { form: {}, url: {} } },
    });
    await session.call('who');
    const capabilities = { sampling: { tools: {} }, elicitation: { form: {}, url: {} } };
    expect(seen).toEqual(['tester', capabilities, LATEST, 'session']);
  });

  it('keep the log level', async () => {
    const session = await rig.connect();
    expect((await session.call('report')).events).toHaveLength(3);
    expect((await session.request('logging/setLevel', { level: 'error' })).json.result).toEqual({});
    expect((await session.call('report')).json.result.content[0].text).toBe('reported');
    await session.request('logging/setLevel', { level: 'debug' });
    expect((await session.call('report')).events).toHaveLength(3);
  });
});

describe('a durable session', () => {
  it('is read once a request', async () => {
    const store = counting(memoryMcpStore());
    const rig = new Rig({ register: registerAll, server: { store } });
    const session = await rig.connect();
    for (const key of Object.keys(store.counts)) delete store.counts[key];
    await session.call('echo');
    await session.request('tools/list');
    expect(store.counts).toEqual({ get: 2 });
  });

  it('slides, and is written at most four times a lifetime', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const store = counting(memoryMcpStore({ clock }));
    const rig = new Rig({ register: registerAll, server: { store }, clock });
    const session = await rig.connect();
    store.counts.put = 0;
    for (let request = 0; request < 100; request += 1) {
      clock.tick((24 * HOUR) / 100);
      expect((await session.request('ping')).status).toBe(200);
    }
    expect(store.counts.put).toBeLessThanOrEqual(4);
    expect(store.counts.put).toBeGreaterThanOrEqual(3);
    clock.tick(24 * HOUR);
    expect((await session.request('ping')).status).toBe(404);
  });

  it('leaves a tombstone that no late writer removes', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const rig = new Rig({ register: registerAll, clock });
    const session = await rig.connect();
    await session.delete();
    clock.tick(20 * HOUR);
    expect((await session.request('ping')).status).toBe(404);
    expect((await session.request('logging/setLevel', { level: 'info' })).status).toBe(404);
  });

  it('does not write its id to the store', async () => {
    const rows: string[] = [];
    const inner = memoryMcpStore();
    const store: McpStore = {
      ...counting(inner),
      put: (row, when) => {
        rows.push(row.partition, row.sort, Buffer.from(row.data).toString('utf8'));
        return inner.put(row, when);
      },
    };
    const session = await new Rig({ register: registerAll, server: { store } }).connect({ user: 'ada' });
    expect(rows[0]).toMatch(/^s#[A-Za-z0-9_-]{43}$/);
    expect(rows.join(' ')).not.toContain(session.id);
    expect(rows.join(' ')).not.toContain('ada');
  });
});

describe('a sealed session', () => {
  const rig = new Rig({ register: registerAll, server: { sessions: 'sealed', store: null } });

  it('reads nothing from a store', async () => {
    const store = counting(memoryMcpStore());
    const stored = new Rig({ register: registerAll, server: { sessions: 'sealed', store } });
    const session = await stored.connect();
    await session.call('echo');
    await session.request('tools/list');
    expect(store.counts).toEqual({});
  });

  it('has an id that is not readable and that no flipped bit opens', async () => {
    const { id } = await rig.connect({ user: 'ada' });
    expect(id).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(Buffer.from(id.slice(3), 'base64url').toString('latin1')).not.toContain('tester');
    for (const at of [3, 10, 20, id.length - 1]) {
      const flipped = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
      const answer = await rig.post(
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { headers: { 'mcp-session-id': flipped }, user: 'ada' },
      );
      expect(answer.status).toBe(404);
    }
  });

  it('opens with a previous key, and not with a removed key', async () => {
    const keys = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)] as const;
    const at = (current: string, ...previous: string[]) =>
      new Rig({ server: { sessions: 'sealed', store: null, secret: { current, previous } } });
    const { id } = await at(keys[0]).connect();
    const ping = async (rotated: Rig) =>
      (await rotated.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers: { 'mcp-session-id': id } })).status;
    expect(await ping(at(keys[1], keys[0]))).toBe(200);
    expect(await ping(at(keys[2], keys[1], keys[0]))).toBe(200);
    expect(await ping(at(keys[2], keys[1]))).toBe(404);
  });

  it('reads its secret from a function, once an engine', async () => {
    let calls = 0;
    const lazy = new Rig({
      server: {
        sessions: 'sealed',
        store: null,
        secret: async () => {
          calls += 1;
          return SECRET;
        },
      },
    });
    lazy.server();
    expect(calls).toBe(0);
    const session = await lazy.connect();
    expect((await session.request('ping')).status).toBe(200);
    expect(calls).toBe(2);
  });
});

describe('the default of sessions', () => {
  it.each([
    ['durable with a store', {}, 43],
    ['sealed with a secret', { store: null }, undefined],
  ] as const)('is %s', async (_, server, length) => {
    const { id } = await new Rig({ server }).connect();
    expect(id.length).toBeGreaterThan(40);
    if (length !== undefined) expect(id).toHaveLength(length);
    expect(id.startsWith('v1.')).toBe(length === undefined);
  });

  it('has no session with neither of them', async () => {
    const { id } = await new Rig({ server: { store: null, secret: undefined as never } }).connect();
    expect(id).toBe('');
  });
});
