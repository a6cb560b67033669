import type { McpServer } from '../src/index.js';
import { type Answer, type Line, logTo, Rig, type RigOptions } from './support/rig.js';

const LIMIT = 256 * 1024;
const BIG = 'x'.repeat(300_000);
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const lastId = (answer: Answer) => answer.events.filter(({ id }) => id !== undefined).at(-1)?.id ?? '';
const questionOf = (answer: Answer) => answer.events.find(({ data }) => data?.id !== undefined && data.method)?.data;
const tooLarge = (what: string) => ({
  code: -32603,
  message: `Too large to keep: ${what}`,
  data: { code: 'mcp.too_large', what, limit: LIMIT, bytes: expect.any(Number) },
});

function rigOf(register: (server: McpServer) => void, options: RigOptions = {}) {
  const log: Line[] = [];
  const rig = new Rig({ register, log: logTo(log), ...options });
  return { rig, told: () => log.map(({ message, target, what }) => ({ message, target, what })) };
}
const line = (what: string) => ({ message: 'mcp.too_large', target: 't', what });

const asking = (server: McpServer) =>
  server.tool('t', { asks: ['elicitation', 'sampling'] }, async ({ mode }, ctx) => {
    ctx.progress(1);
    if (mode === 'question') await ctx.elicit({ message: BIG });
    if (mode === 'state') await ctx.step('big', () => BIG);
    if (mode === 'image') return (await ctx.sample({ messages: [], maxTokens: 1 })).model;
    if (mode === 'result') return BIG;
    return (await ctx.elicit({ message: 'Go on?' })).action;
  });
const args = (mode: string) => (mode === 'arguments' ? { mode, text: BIG } : { mode });

describe.each([
  ['buffered', false],
  ['streaming', true],
])('at a %s door', (_, streaming) => {
  it.each(['arguments', 'question', 'state'])(
    '%s that are too large to be kept end the call in both eras',
    async (mode) => {
      const { rig, told } = rigOf(asking, { streaming });
      const session = await rig.connect();
      const answer = await session.call('t', args(mode), { meta: { progressToken: 1 } });
      expect((answer.events.at(-1)?.data ?? answer.json).error).toEqual(tooLarge(mode));
      expect(told()).toEqual([line(mode)]);
      if (mode === 'arguments') return;
      const params = { name: 't', arguments: args(mode) };
      const stateless = await rig.stateless('tools/call', params, { capabilities });
      expect((stateless.events.at(-1)?.data ?? stateless.json).error).toEqual(tooLarge(mode));
      expect(told()).toEqual([line(mode), line(mode)]);
    },
  );

  it('large arguments of a call without questions are accepted', async () => {
    const { rig, told } = rigOf(asking, { streaming });
    const session = await rig.connect();
    const answer = await session.call('t', { mode: 'result', text: BIG }, { meta: { progressToken: 1 } });
    expect(answer.events.at(-1)?.data.result.content[0].text).toBe(BIG);
    expect(told()).toEqual([line('result')]);
  });

  it('a large result reaches the client that reads, and is logged; a client that reconnects receives an error', async () => {
    const { rig, told } = rigOf(asking, { streaming });
    const session = await rig.connect();
    const answer = await session.call('t', args('result'), { meta: { progressToken: 1 } });
    expect(answer.events.at(-1)?.data.result.content[0].text).toBe(BIG);
    const again = await session.resume(answer.events[0]?.id ?? '', { streaming: false });
    expect(again.events.at(-1)?.data.error).toEqual(tooLarge('result'));
    expect(told()).toEqual([line('result')]);
  });
});

describe('an answer that is too large to be kept', () => {
  const image = { role: 'assistant', model: 'm', content: { type: 'image', mimeType: 'image/png', data: BIG } };

  it('is rejected, and the handler continues without it', async () => {
    const { rig, told } = rigOf(asking);
    const session = await rig.connect();
    const parked = await session.call('t', args('image'));
    const refused = await session.answer(questionOf(parked).id, image);
    expect([refused.status, refused.json.error.message]).toEqual([413, 'Too large to keep: answer']);
    expect((await session.resume(lastId(parked))).events.at(-1)?.data.result).toEqual({
      content: [{ type: 'text', text: "The client's answer to sampling/createMessage is too large." }],
      isError: true,
    });
    expect(told()).toEqual([line('answer')]);
  });

  it('counts what was answered before', async () => {
    const { rig } = rigOf((server) =>
      server.tool('t', { asks: ['sampling'] }, async (_, ctx) => {
        const ask = () =>
          ctx.sample({ messages: [], maxTokens: 1 }).then(
            ({ model }) => model,
            (error: Error) => error.message,
          );
        return (await Promise.all([ask(), ask()])).join(' / ');
      }),
    );
    const session = await rig.connect();
    const parked = await session.call('t');
    const ids = parked.events.flatMap(({ data }) => (data?.method ? [data.id] : []));
    const half = { ...image, content: { ...image.content, data: BIG.slice(0, 150_000) } };
    expect((await session.answer(ids[0], half)).status).toBe(202);
    expect((await session.answer(ids[1], half)).status).toBe(413);
    expect((await session.resume(lastId(parked))).events.at(-1)?.data.result.content[0].text).toBe(
      "m / The client's answer to sampling/createMessage is too large.",
    );
  });

  it('goes to the handler as a failure in the stateless era too', async () => {
    const { rig, told } = rigOf(asking);
    const params = { name: 't', arguments: args('image') };
    const { requestState } = (await rig.stateless('tools/call', params, { capabilities })).json.result;
    const retry = { ...params, requestState, inputResponses: { q1: image } };
    expect((await rig.stateless('tools/call', retry, { capabilities })).json.result).toMatchObject({
      content: [{ text: "The client's answer to sampling/createMessage is too large." }],
      isError: true,
    });
    expect(told()).toEqual([line('answer')]);
  });

  it('fits if a spill stores it', async () => {
    const spilled = new Map<string, Uint8Array>();
    const spill = {
      put: async (key: string, data: Uint8Array) => void spilled.set(key, data),
      get: async (key: string) => spilled.get(key),
    };
    const { rig } = rigOf(asking, { server: { spill } });
    const session = await rig.connect();
    const parked = await session.call('t', args('image'));
    expect((await session.answer(questionOf(parked).id, image)).status).toBe(202);
    expect((await session.resume(lastId(parked))).events.at(-1)?.data.result.content[0].text).toBe('m');
  });
});
