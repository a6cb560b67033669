import { ManualClock } from '@sallyport/core/testing';
import type { McpServer } from '../src/index.js';
import { type Line, logTo, Rig, type RigOptions } from './support/rig.js';

function register(server: McpServer): void {
  const fail = () => {
    throw new Error('no database');
  };
  server.tool('delete', {}, fail);
  server.tool('odd', { output: { type: 'object', required: ['n'] } }, () => ({ structured: {} }));
  server.tool('twice', {}, async (_, ctx) => {
    await ctx.step('a', () => 1);
    await ctx.step('a', () => 2);
    return 'never';
  });
  server.tool('slow', {}, () => new Promise<string>(() => {}));
  server.tool('checked', { authorize: fail }, () => 'never');
  server.tool('large', {}, (_, ctx) => {
    ctx.progress(1);
    return 'x'.repeat(300_000);
  });
  server.resource('notes://index', { name: 'index' }, fail);
  server.resourceTemplate('notes://{id}', { name: 'note', complete: { id: fail } }, fail);
  server.prompt('review', {}, fail);
}

function rigOf(options: RigOptions = {}) {
  const lines: Line[] = [];
  return { lines, rig: new Rig({ register, log: logTo(lines), ...options }) };
}

const TOOL = (target: string) => ({ method: 'tools/call', kind: 'tool', target });
const CASES: readonly (readonly [string, string, object, object])[] = [
  ['mcp.handler_failed', 'tools/call', { name: 'delete' }, TOOL('delete')],
  [
    'mcp.handler_failed',
    'resources/read',
    { uri: 'notes://index' },
    { method: 'resources/read', kind: 'resource', target: 'notes://index' },
  ],
  [
    'mcp.handler_failed',
    'resources/read',
    { uri: 'notes://7' },
    { method: 'resources/read', kind: 'resource', target: 'notes://{id}' },
  ],
  [
    'mcp.handler_failed',
    'prompts/get',
    { name: 'review' },
    { method: 'prompts/get', kind: 'prompt', target: 'review' },
  ],
  [
    'mcp.handler_failed',
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'notes://{id}' }, argument: { name: 'id', value: '' } },
    { method: 'completion/complete', kind: 'resource', target: 'notes://{id}' },
  ],
  ['mcp.output_mismatch', 'tools/call', { name: 'odd' }, { ...TOOL('odd'), issues: ['/n: required'] }],
  [
    'mcp.call_ended',
    'tools/call',
    { name: 'twice' },
    { ...TOOL('twice'), why: 'the name of a step is used twice: "a"' },
  ],
  ['mcp.authorize_failed', 'tools/call', { name: 'checked' }, TOOL('checked')],
];

describe('a log line of a call', () => {
  it.each(CASES)('%s of %s %j names it, in both eras', async (message, method, params, facts) => {
    const { rig, lines } = rigOf();
    await (await rig.connect()).request(method, params);
    await rig.stateless(method, params);
    expect(lines).toEqual([
      expect.objectContaining({ message, ...facts }),
      expect.objectContaining({ message, ...facts }),
    ]);
  });

  it('mcp.timeout names it', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const { rig, lines } = rigOf({ clock, remainingMs: 3000 });
    const calling = rig.stateless('tools/call', { name: 'slow' });
    for (let at = 0; at < 10; at += 1) await clock.advance(500);
    await calling;
    expect(lines).toEqual([expect.objectContaining({ message: 'mcp.timeout', ...TOOL('slow') })]);
  });

  it('mcp.too_large names it', async () => {
    const { rig, lines } = rigOf({ streaming: true });
    await (await rig.connect()).call('large', {}, { meta: { progressToken: 1 } });
    expect(lines).toEqual([expect.objectContaining({ message: 'mcp.too_large', ...TOOL('large'), what: 'result' })]);
  });
});

describe('the record request.completed', () => {
  const named = (rig: Rig) => rig.logged.map((record) => pick(record as Line));
  const pick = ({ event, method, route, rpc_method, kind, target }: Line) => ({
    event,
    method,
    route,
    rpc_method,
    kind,
    target,
  });
  const POST = { event: 'request.completed', method: 'POST', route: '/mcp' };

  it('names the method and the tool', async () => {
    const { rig } = rigOf();
    await rig.stateless('tools/call', { name: 'delete' });
    await rig.stateless('resources/read', { uri: 'notes://7' });
    await rig.stateless('tools/list');
    await rig.stateless('tools/call', { name: 'unknown' });
    expect(named(rig)).toEqual([
      { ...POST, rpc_method: 'tools/call', kind: 'tool', target: 'delete' },
      { ...POST, rpc_method: 'resources/read', kind: 'resource', target: 'notes://{id}' },
      { ...POST, rpc_method: 'tools/list' },
      { ...POST },
    ]);
  });

  it('names them in the session era', async () => {
    const { rig } = rigOf();
    const session = await rig.connect();
    await session.call('delete');
    expect(named(rig).at(-1)).toEqual({ ...POST, rpc_method: 'tools/call', kind: 'tool', target: 'delete' });
  });
});
