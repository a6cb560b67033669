import { ManualClock } from '@sallyport/core/testing';
import type { ElicitParams, McpServer } from '../src/index.js';
import { type Answer, Rig, type Sent } from './support/rig.js';

const form = (message: string): ElicitParams => ({
  message,
  requestedSchema: { type: 'object', properties: { v: { type: 'string' } }, required: ['v'] },
});
const accept = (v: unknown) => ({ action: 'accept', content: { v } });
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
type More = Sent & { responses?: unknown; state?: unknown; args?: object };

function call(rig: Rig, { responses, state, args = {}, ...sent }: More = {}): Promise<Answer> {
  const params = {
    name: 't',
    arguments: args,
    ...(responses === undefined ? {} : { inputResponses: responses }),
    ...(state === undefined ? {} : { requestState: state }),
  };
  return rig.stateless('tools/call', params, { capabilities, ...sent });
}

const two = (server: McpServer) =>
  server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
    const step = await ctx.step('once', () => 'stepped');
    const one = await ctx.elicit(form('one'), 'one');
    const other = await ctx.elicit(form('two'), 'two');
    return `${step} ${one.content?.v} ${other.content?.v}`;
  });
const single = (server: McpServer) =>
  server.tool(
    't',
    { asks: ['elicitation'] },
    async (_, ctx) => `${(await ctx.elicit(form('name'), 'name')).content?.v}`,
  );

describe('a stateless call with elicitations', () => {
  it('returns the questions, and accepts an answer without the state that lists the questions', async () => {
    const rig = new Rig({ register: single, server: { store: null } });
    const first = await call(rig);
    expect(first.status).toBe(200);
    expect(first.json.result).toEqual({
      resultType: 'input_required',
      inputRequests: { name: { method: 'elicitation/create', params: form('name') } },
      requestState: expect.stringMatching(/^v1\.[\w-]{1,400}$/),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tested', version: '1.0.0' } },
    });
    const second = await call(rig, { responses: { name: accept('Ada'), other: 5, __proto__: 1 } });
    expect(second.json.result).toMatchObject({ resultType: 'complete', content: [{ text: 'Ada' }] });
  });

  it('carries answers and steps, sealed', async () => {
    let steps = 0;
    const rig = new Rig({
      server: { store: null },
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
          const step = await ctx.step('once', () => {
            steps += 1;
            return `secret-step-${steps}`;
          });
          const one = await ctx.elicit(form('one'), 'one');
          const other = await ctx.elicit(form('two'), 'two');
          return `${step} ${one.content?.v} ${other.content?.v}`;
        }),
    });
    const first = (await call(rig)).json.result;
    expect(first.requestState).toMatch(/^v1\.[\w-]+$/);
    expect(Buffer.from(first.requestState.slice(3), 'base64url').toString('latin1')).not.toContain('secret-step');
    const second = (await call(rig, { responses: { one: accept('1') }, state: first.requestState })).json.result;
    expect(Object.keys(second.inputRequests)).toEqual(['two']);
    const third = (await call(rig, { responses: { two: accept('2') }, state: second.requestState })).json.result;
    expect(third.content[0].text).toBe('secret-step-1 1 2');
    expect(steps).toBe(1);
  });

  it.each([
    ['missing', {}],
    ['a number', { name: 5 }],
    ['of another shape', { name: { roots: [] } }],
    ['against the schema', { name: accept(5) }],
    ['without content', { name: { action: 'accept' } }],
  ])('sends the question again when an answer is %s', async (_, responses) => {
    const rig = new Rig({ register: single });
    expect((await call(rig, { responses })).json.result.resultType).toBe('input_required');
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
  ])('rejects answers that are %s', async (_, responses) => {
    const answer = await call(new Rig({ register: single }), { responses });
    expect([answer.status, answer.json.error.code]).toEqual([200, -32602]);
  });

  it('shows a returned question again when its answer does not fit', async () => {
    const rig = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, (_, ctx) => {
          if (ctx.inputs.a) return `got ${JSON.stringify(ctx.state)}`;
          return ctx.inputRequired({ a: { method: 'elicitation/create', params: form('A') } }, { n: 1 });
        }),
    });
    const { requestState } = (await call(rig)).json.result;
    const again = (await call(rig, { responses: { a: accept(5) }, state: requestState })).json.result;
    expect(again.resultType).toBe('input_required');
    const done = (await call(rig, { responses: { a: accept('x') }, state: again.requestState })).json.result;
    expect(done.content[0].text).toBe('got {"n":1}');
  });

  it('keeps the answers that came when others are still missing', async () => {
    const rig = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
          const answers = await Promise.all([ctx.elicit(form('a'), 'a'), ctx.elicit(form('b'), 'b')]);
          return answers.map(({ content }) => content?.v).join();
        }),
    });
    const some = (await call(rig, { responses: { a: accept('1') } })).json.result;
    expect(Object.keys(some.inputRequests)).toEqual(['b']);
    const all = await call(rig, { responses: { b: accept('2') }, state: some.requestState });
    expect(all.json.result.content[0].text).toBe('1,2');
  });

  it('keeps a large state in the store, and returns a sealed name of it', async () => {
    const rig = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
          const big = await ctx.step('big', () => 'x'.repeat(20_000));
          await ctx.elicit(form('a'), 'a');
          return String(big.length);
        }),
    });
    const { requestState } = (await call(rig)).json.result;
    expect(requestState.length).toBeLessThan(200);
    expect((await call(rig, { responses: { a: accept('x') }, state: requestState })).json.result.content[0].text).toBe(
      '20000',
    );
    expect((await call(rig, { responses: { a: accept('x') }, state: requestState })).json.result.resultType).toBe(
      'complete',
    );
  });

  it('allows at most eight rounds of questions', async () => {
    const rig = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
          for (let round = 1; ; round += 1) await ctx.elicit(form('again'), `r${round}`);
        }),
    });
    let answer = await call(rig);
    for (let round = 1; round <= 8; round += 1) {
      const { requestState } = answer.json.result;
      answer = await call(rig, { responses: { [`r${round}`]: accept('x') }, state: requestState });
    }
    expect([answer.status, answer.json.error?.code, answer.json.result?.resultType]).toEqual([200, -32603, undefined]);
  });

  it('does not close streams', async () => {
    const rig = new Rig({
      register: (server) =>
        server.tool('t', {}, async (_, ctx) => {
          await ctx.closeStream();
          return 'went on';
        }),
    });
    expect((await call(rig)).json.result.content[0].text).toBe('went on');
  });
});

describe('a request state', () => {
  const clock = new ManualClock(1_700_000_000_000);
  const keys = ['a'.repeat(32), 'b'.repeat(32)] as const;
  const make = (current: string, ...previous: string[]) =>
    new Rig({
      clock,
      server: { secret: { current, previous }, store: null },
      register: (server) => {
        two(server);
        server.tool('u', { asks: ['elicitation'] }, () => 'u');
        server.prompt('t', { asks: ['elicitation'] }, () => 'prompt');
      },
    });
  const rig = make(keys[0]);
  const first = async () => (await call(rig, { args: { n: 1 }, user: 'ada' })).json.result.requestState as string;
  const retry = async (target: Rig, more: More) => {
    const answer = await call(target, { args: { n: 1 }, user: 'ada', responses: { one: accept('1') }, ...more });
    return answer.json.error?.code ?? answer.json.result.resultType;
  };

  it('opens for the same call, and until it expires again', async () => {
    const state = await first();
    expect(await retry(rig, { state })).toBe('input_required');
    expect(await retry(rig, { state, args: { n: 1 } })).toBe('input_required');
    clock.tick(15 * 60_000 - 1);
    expect(await retry(rig, { state })).toBe('input_required');
    clock.tick(1);
    expect(await retry(rig, { state })).toBe(-32602);
  });

  it.each([
    ['another principal', { user: 'eve' }],
    ['nobody', { user: '' }],
    ['other arguments', { args: { n: 2 } }],
    ['no arguments', { args: {} }],
  ])('does not open for %s', async (_, more) => {
    expect(await retry(rig, { state: await first(), ...more })).toBe(-32602);
  });

  it('does not open for another tool or another method', async () => {
    const state = await first();
    const params = { name: 'u', arguments: { n: 1 }, requestState: state };
    expect((await rig.stateless('tools/call', params, { capabilities, user: 'ada' })).json.error.code).toBe(-32602);
    const prompt = { name: 't', arguments: {}, requestState: state };
    expect((await rig.stateless('prompts/get', prompt, { capabilities, user: 'ada' })).json.error.code).toBe(-32602);
  });

  it('does not open with any bit flipped, cut, or with more characters after it', async () => {
    const state = await first();
    for (const at of [0, 1, 3, 9, 25, Math.floor(state.length / 2), state.length - 1]) {
      const flipped = state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1);
      expect(await retry(rig, { state: flipped })).toBe(-32602);
    }
    for (const wrong of [`${state}-TAMPERED`, `${state}A`, state.slice(0, -1), 'v1.', '', 'v2.AAAA', 5, {}, null]) {
      expect(await retry(rig, { state: wrong })).toBe(-32602);
    }
  });

  it('opens with a previous key and not with a key that was rotated out', async () => {
    const state = await first();
    expect(await retry(make(keys[1], keys[0]), { state })).toBe('input_required');
    expect(await retry(make(keys[1]), { state })).toBe(-32602);
  });
});
