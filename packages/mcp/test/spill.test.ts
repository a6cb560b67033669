import { SecureApp } from '@sallyport/secure';
import { type McpServer, type McpSpill, memoryMcpStore } from '../src/index.js';
import { packText, readText } from '../src/store/internal/row-text.js';
import { type McpTaskEvent, mcpTasks } from '../src/tasks.js';
import { Rig } from './support/rig.js';

const BIG = 'x'.repeat(300_000);
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} };
const ADA = { action: 'accept', content: {} };

/** A spill in memory, with what was put, read and deleted. */
class MemorySpill implements McpSpill {
  readonly objects = new Map<string, Uint8Array>();
  puts = 0;
  deletes = 0;
  failsToDelete = false;

  async put(key: string, data: Uint8Array): Promise<void> {
    this.puts += 1;
    this.objects.set(key, data);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.objects.get(key);
  }

  async delete(key: string): Promise<void> {
    this.deletes += 1;
    if (this.failsToDelete) throw new Error('denied');
    this.objects.delete(key);
  }
}

const register = (server: McpServer) => {
  server.tool('echo', { task: {} }, (args) => String(args.text).slice(0, 3));
  server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => {
    await ctx.step('large', () => BIG);
    return (await ctx.elicit({ message: 'Go on?' })).action;
  });
  server.tool('hold', { asks: ['elicitation'] }, async (_, ctx) => (await ctx.elicit({ message: 'Go on?' })).action);
};

function service(spill: McpSpill) {
  const events: McpTaskEvent[] = [];
  const rig = new Rig({ register, server: { spill, tasks: { start: (event) => events.push(event) } } });
  const deliver = () =>
    new SecureApp({ log: false, surfaces: [mcpTasks(rig.server())], principalResolver: () => null }).handleLambda(
      events[0],
      { awsRequestId: 'r' },
    );
  const start = async () => {
    const params = { name: 'echo', arguments: { text: BIG } };
    const { taskId } = (await rig.stateless('tools/call', params, { capabilities: CAPABILITIES })).json.result;
    return async () => {
      const sent = { capabilities: CAPABILITIES, headers: { 'mcp-name': taskId } };
      return (await rig.stateless('tasks/get', { taskId }, sent)).json.result.status as string;
    };
  };
  return { rig, events, deliver, start };
}

it('a large task has one object, regardless of the number of changes', async () => {
  const spill = new MemorySpill();
  const { deliver, start } = service(spill);
  const status = await start();
  expect(spill.objects.size).toBe(1);
  await deliver();
  expect([await status(), spill.objects.size, spill.puts, spill.deletes]).toEqual(['completed', 1, 3, 2]);
});

it('of two simultaneous deliveries, the losing delivery keeps no object', async () => {
  const spill = new MemorySpill();
  const { deliver, start } = service(spill);
  const status = await start();
  await Promise.all([deliver(), deliver()]);
  expect([await status(), spill.objects.size]).toEqual(['completed', 1]);
});

it('a task that cannot be started leaves no object', async () => {
  const spill = new MemorySpill();
  const rig = new Rig({
    register,
    server: {
      spill,
      tasks: {
        start: () => {
          throw new Error('down');
        },
      },
    },
  });
  const params = { name: 'echo', arguments: { text: BIG } };
  const { error } = (await rig.stateless('tools/call', params, { capabilities: CAPABILITIES })).json;
  expect([error.code, spill.puts, spill.objects.size]).toEqual([-32603, 1, 0]);
});

it('a parked call that is over leaves no object', async () => {
  const spill = new MemorySpill();
  const session = await service(spill).rig.connect();
  const parked = await session.call('ask');
  expect(spill.objects.size).toBe(1);
  const question = parked.events.find(({ data }) => data?.method)?.data.id;
  expect((await session.answer(question, ADA)).status).toBe(202);
  expect(spill.objects.size).toBe(0);
});

it.each<[string, (spill: MemorySpill) => McpSpill]>([
  ['fails to delete', (spill) => Object.assign(spill, { failsToDelete: true })],
  ['cannot delete', (spill) => ({ put: (key, data) => spill.put(key, data), get: (key) => spill.get(key) })],
])('a spill that %s keeps the objects for a lifecycle rule, and loses nothing', async (_, spillOf) => {
  const spill = new MemorySpill();
  const { deliver, start } = service(spillOf(spill));
  const status = await start();
  await deliver();
  expect([await status(), spill.objects.size]).toEqual(['completed', 3]);
});

describe('a row whose object was deleted after the row was read', () => {
  const key = { partition: 'p', sort: 's' };
  const row = async (spill: McpSpill, version: number, text: string) => ({
    ...key,
    version,
    ttl: 4_000_000_000,
    data: await packText(spill, text),
  });

  it('is read again, with the object of its new version', async () => {
    const spill = new MemorySpill();
    const store = memoryMcpStore();
    await store.put(await row(spill, 1, `${BIG}1`));
    const get = spill.get.bind(spill);
    let reads = 0;
    spill.get = async (name) => {
      reads += 1;
      if (reads > 1) return get(name);
      await store.put(await row(spill, 2, `${BIG}2`));
      spill.objects.delete(name);
      return undefined;
    };
    expect(await readText(store, spill, key)).toMatchObject({ row: { version: 2 }, text: `${BIG}2` });
  });

  it('is absent when nothing has replaced it', async () => {
    const spill = new MemorySpill();
    const store = memoryMcpStore();
    await store.put(await row(spill, 1, BIG));
    spill.objects.clear();
    expect(await readText(store, spill, key)).toBeUndefined();
    expect(await readText(store, spill, { ...key, sort: 'other' })).toBeUndefined();
  });
});
