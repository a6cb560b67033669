import { ManualClock } from '@sallyport/core/testing';
import type { ElicitParams, ElicitRequest, McpAskingContext, McpServer } from '../src/index.js';
import { ALL, type Answer, type Connection, Rig } from './support/rig.js';
import { registerAll } from './support/server.js';

const MINUTE = 60_000;
const form = (message: string): ElicitParams => ({
  message,
  requestedSchema: { type: 'object', properties: { v: { type: 'string' } }, required: ['v'] },
});
const accept = (v: string) => ({ action: 'accept', content: { v } });
const model = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm-1' };

/** Questions of a stream, by key. */
const questions = (answer: Answer) =>
  answer.events.filter(({ data }) => data?.method && data.id !== undefined).map(({ data }) => data);
const lastId = (answer: Answer) => answer.events.filter(({ id }) => id !== undefined).at(-1)?.id ?? '';
const textOf = (answer: Answer) => answer.events.at(-1)?.data.result.content[0].text;

async function ask(
  register: (server: McpServer) => void,
  clock?: ManualClock,
): Promise<{ rig: Rig; session: Connection; first: Answer }> {
  const rig = new Rig({ register, ...(clock ? { clock } : {}) });
  const session = await rig.connect();
  return { rig, session, first: await session.call('t') };
}

describe('a call with elicitations', () => {
  it('ends its response with the question, and any instance continues with the answer', async () => {
    const rig = new Rig({ register: registerAll });
    const session = await rig.connect();
    const first = await session.call('ask', {}, { id: 'call' });
    const [priming, question, retry] = first.events;
    expect(priming).toEqual({ id: expect.stringMatching(/\.0$/), data: '' });
    const stream = priming?.id?.slice(0, 12);
    expect(question).toEqual({
      id: `${stream}.1`,
      data: {
        jsonrpc: '2.0',
        id: `${stream}.q1`,
        method: 'elicitation/create',
        params: {
          message: 'Name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
    });
    expect(retry).toEqual({ retry: 100, data: undefined });
    const taken = await session.answer(`${stream}.q1`, { action: 'accept', content: { name: 'Ada' } });
    expect([taken.status, taken.text]).toEqual([202, '']);
    const rest = await session.resume(`${stream}.1`);
    expect(rest.events).toEqual([
      {
        id: `${stream}.2`,
        data: { jsonrpc: '2.0', id: 'call', result: { content: [{ type: 'text', text: 'accept {"name":"Ada"}' }] } },
      },
    ]);
    expect((await session.resume(`${stream}.2`)).status).toBe(405);
    expect(rig.violations).toEqual([]);
  });

  it.each([
    ['declines', { action: 'decline' }, 'decline null'],
    ['cancels', { action: 'cancel' }, 'cancel null'],
  ])('receives the result when the user chooses %s', async (_, result, text) => {
    const { session, first } = await ask((server) => registerAllAs(server));
    await session.answer(questions(first)[0].id, result);
    expect(textOf(await session.resume(lastId(first)))).toBe(text);
  });

  it.each([
    ['an error', { error: { code: -1, message: 'hunter2' } }],
    ['an answer of another shape', { result: { roots: [] } }],
    ['an answer against the schema', { result: { action: 'accept', content: { name: 5 } } }],
    ['null', { result: null }],
  ])('fails in plain words on %s', async (_, answer) => {
    const { session, first } = await ask((server) => registerAllAs(server));
    expect((await session.post({ jsonrpc: '2.0', id: questions(first)[0].id, ...answer })).status).toBe(202);
    const rest = await session.resume(lastId(first));
    expect(rest.events.at(-1)?.data.result).toEqual({
      content: [{ type: 'text', text: 'The client gave no valid answer to elicitation/create.' }],
      isError: true,
    });
    expect(rest.text).not.toContain('hunter2');
  });

  it('sends several questions together, and runs after the last answer', async () => {
    let runs = 0;
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation', 'sampling', 'roots'] }, async (_, ctx) => {
        runs += 1;
        const [named, sampled, roots] = await Promise.all([
          ctx.elicit(form('A')),
          ctx.sample({ messages: [], maxTokens: 1 }, 'llm'),
          ctx.roots(),
        ]);
        return `${named.content?.v} ${sampled.model} ${roots[0]?.uri}`;
      }),
    );
    const asked = questions(first);
    expect(asked.map(({ id, method }) => `${id.slice(13)} ${method}`)).toEqual([
      'q1 elicitation/create',
      'llm sampling/createMessage',
      'q2 roots/list',
    ]);
    await session.answer(asked[2].id, { roots: [{ uri: 'file:///a' }] });
    await session.answer(asked[0].id, accept('x'));
    const waiting = await session.resume(lastId(first));
    expect(waiting.events).toEqual([{ id: lastId(first), retry: expect.any(Number), data: '' }]);
    expect(runs).toBe(1);
    await session.answer(asked[1].id, model);
    expect(runs).toBe(2);
    expect(textOf(await session.resume(lastId(first)))).toBe('x m-1 file:///a');
  });

  it('sends questions in rounds, keeps steps, and sends each event once', async () => {
    const ran: string[] = [];
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
        ctx.log('info', 'begin');
        const charge = await ctx.step('charge', () => {
          ran.push('charge');
          return { id: 7 };
        });
        const one = await ctx.elicit(form('one'));
        ctx.log('info', 'between');
        const two = await ctx.elicit(form('two'), 'second');
        return `${charge.id} ${one.content?.v} ${two.content?.v}`;
      }),
    );
    expect(first.events.map(({ data }) => data?.params?.data ?? data?.params?.message)).toEqual([
      undefined,
      'begin',
      'one',
      undefined,
    ]);
    await session.answer(questions(first)[0].id, accept('1'));
    const second = await session.resume(lastId(first));
    expect(second.events.map(({ data }) => data?.params?.data ?? data?.params?.message)).toEqual([
      'between',
      'two',
      undefined,
    ]);
    await session.answer(questions(second)[0].id, accept('2'));
    const third = await session.resume(lastId(second));
    expect(third.events.map(({ data }) => data.result.content[0].text)).toEqual(['7 1 2']);
    expect(ran).toEqual(['charge']);
    const all = await session.resume(`${lastId(first).slice(0, 12)}.0`);
    expect(all.events.map(({ id }) => Number(id?.slice(13)))).toEqual([1, 2, 3, 4, 5]);
  });

  it('can return its questions, with a state', async () => {
    const seen: unknown[] = [];
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, (_, ctx) => {
        seen.push([ctx.state, { ...ctx.inputs }]);
        if (ctx.inputs.a) return 'done';
        return ctx.inputRequired({ a: { method: 'elicitation/create', params: form('A') } }, { round: 1 });
      }),
    );
    await session.answer(questions(first)[0].id, { action: 'accept', content: { v: 5 } });
    const again = await session.resume(lastId(first));
    expect(questions(again)).toHaveLength(1);
    await session.answer(questions(again)[0].id, accept('ok'));
    expect(textOf(await session.resume(lastId(again)))).toBe('done');
    expect(seen).toEqual([
      [undefined, {}],
      [{ round: 1 }, {}],
      [{ round: 1 }, { a: accept('ok') }],
    ]);
  });

  it('runs once when its answer is repeated, and when two answers arrive at the same time', async () => {
    let runs = 0;
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
        runs += 1;
        const answers = await Promise.all([ctx.elicit(form('a')), ctx.elicit(form('b'))]);
        return answers.map(({ content }) => content?.v).join();
      }),
    );
    const [a, b] = questions(first);
    const taken = await Promise.all([
      session.answer(a.id, accept('1')),
      session.answer(b.id, accept('2')),
      session.answer(b.id, accept('3')),
      session.answer(a.id, accept('4')),
    ]);
    expect(taken.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect((await session.answer(a.id, accept('5'))).status).toBe(202);
    expect(runs).toBe(2);
    expect(textOf(await session.resume(lastId(first)))).toMatch(/^[14],[23]$/);
  });

  it('accepts no answer from another session or another principal', async () => {
    let runs = 0;
    const rig = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
          runs += 1;
          return String((await ctx.elicit(form('a'))).content?.v);
        }),
    });
    const session = await rig.connect({ user: 'ada' });
    const first = await session.call('t');
    const id = questions(first)[0].id;
    const stranger = await rig.connect({ user: 'eve' });
    expect((await stranger.answer(id, accept('evil'))).status).toBe(202);
    expect((await session.answer(id, accept('evil'), { user: 'eve' })).status).toBe(404);
    expect((await stranger.resume(lastId(first))).status).toBe(405);
    expect(runs).toBe(1);
    await session.answer(id, accept('good'));
    expect(textOf(await session.resume(lastId(first)))).toBe('good');
  });

  it('accepts no answer after its end', async () => {
    const { session, first } = await ask((server) => registerAllAs(server));
    const { id } = questions(first)[0];
    await session.answer(id, { action: 'decline' });
    expect((await session.answer(id, { action: 'accept', content: { name: 'late' } })).status).toBe(202);
    expect(textOf(await session.resume(lastId(first)))).toBe('decline null');
  });

  it('waits fifteen minutes, while the client polls at growing intervals', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const { session, first } = await ask((server) => registerAllAs(server), clock);
    const retryAfter = async () => (await session.resume(lastId(first))).events.at(-1)?.retry;
    expect(await retryAfter()).toBe(100);
    clock.tick(500);
    expect(await retryAfter()).toBe(250);
    clock.tick(500);
    expect(await retryAfter()).toBe(500);
    clock.tick(5000);
    expect(await retryAfter()).toBe(2000);
    clock.tick(30_000);
    expect(await retryAfter()).toBe(5000);
    clock.tick(15 * MINUTE);
    expect((await session.answer(questions(first)[0].id, { action: 'decline' })).status).toBe(202);
    const over = await session.resume(lastId(first));
    expect(over.events.at(-1)?.data.error).toEqual({ code: -32603, message: 'Interrupted' });
    expect((await session.resume(lastId(over))).status).toBe(405);
  });

  it('that sends an unannounced question is an internal error', async () => {
    const { first } = await ask((server) =>
      server.tool('t', { asks: ['sampling'] }, async (_, ctx) => {
        // @ts-expect-error -- the compiler checks the option `asks`; callers without types are not checked
        await ctx.elicit(form('x')).catch(() => {});
        return 'swallowed';
      }),
    );
    expect(first.json.error).toEqual({ code: -32603, message: 'Internal error' });
  });

  it('that sends another question on replay is an internal error', async () => {
    let turn = 0;
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
        turn += 1;
        return String((await ctx.elicit(form(`turn ${turn}`))).action);
      }),
    );
    await session.answer(questions(first)[0].id, accept('x'));
    expect((await session.resume(lastId(first))).events.at(-1)?.data.error).toEqual({
      code: -32603,
      message: 'Internal error',
    });
  });

  it.each([
    ['17 questions in a round', (ctx: Asker) => Promise.all(Array.from({ length: 17 }, () => ctx.elicit(form('x'))))],
    ['one key twice', (ctx: Asker) => Promise.all([ctx.elicit(form('x'), 'k'), ctx.elicit(form('y'), 'k')])],
    ['a malformed key', (ctx: Asker) => ctx.elicit(form('x'), 'a b')],
    [
      'more than 256 KiB recorded',
      async (ctx: Asker) => {
        await ctx.step('big', () => 'x'.repeat(256 * 1024));
        await ctx.elicit(form('x'));
      },
    ],
  ])('%s is an internal error', async (_, run) => {
    const { first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, async (__, ctx) => {
        await run(ctx);
        return '';
      }),
    );
    expect(first.json.error.code).toBe(-32603);
  });

  it('allows at most eight rounds of questions', async () => {
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
        for (;;) await ctx.elicit(form('again'));
      }),
    );
    let stream = first;
    for (let round = 1; round <= 8; round += 1) {
      expect(questions(stream)).toHaveLength(1);
      await session.answer(questions(stream)[0].id, accept('x'));
      stream = await session.resume(lastId(stream));
    }
    expect(stream.events.at(-1)?.data.error.code).toBe(-32603);
  });

  it('questions may be named like members of objects', async () => {
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
        const answers = await Promise.all([ctx.elicit(form('a'), '__proto__'), ctx.elicit(form('b'), 'constructor')]);
        const step = await ctx.step('__proto__', () => 's');
        return `${answers.map(({ content }) => content?.v)} ${step}`;
      }),
    );
    for (const { id } of questions(first)) await session.answer(id, accept(id.slice(13)));
    expect(textOf(await session.resume(lastId(first)))).toBe('__proto__,constructor s');
  });

  it('at most 32 calls of a session are parked', async () => {
    const rig = new Rig({ register: registerAll });
    const session = await rig.connect();
    const parked: Answer[] = [];
    for (let call = 0; call < 32; call += 1) parked.push(await session.call('ask'));
    expect(parked.every((answer) => questions(answer).length === 1)).toBe(true);
    expect((await session.call('ask')).json.error).toEqual({ code: -32603, message: 'Too many parked calls' });
    await session.answer(questions(parked[0] as Answer)[0].id, { action: 'decline' });
    expect(questions(await session.call('ask'))).toHaveLength(1);
  });

  it('waits for steps in progress before it stops', async () => {
    const ran: string[] = [];
    const { session, first } = await ask((server) =>
      server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
        const slow = ctx.step('slow', async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          ran.push('slow');
          return 'slow';
        });
        const [value, answer] = await Promise.all([slow, ctx.elicit(form('x'))]);
        return `${value} ${answer.action}`;
      }),
    );
    await session.answer(questions(first)[0].id, { action: 'decline' });
    expect(textOf(await session.resume(lastId(first)))).toBe('slow decline');
    expect(ran).toEqual(['slow']);
  });

  it('prompts and resources can also send questions', async () => {
    const rig = new Rig({
      register: (server) => {
        server.prompt('p', { asks: ['elicitation'] }, async (_, ctx) =>
          String((await ctx.elicit(form('p'))).content?.v),
        );
        server.resource(
          'a://b',
          { name: 'b', asks: ['sampling'] },
          async (_, ctx) => (await ctx.sample({ messages: [], maxTokens: 1 })).model,
        );
      },
    });
    const session = await rig.connect();
    const prompt = await session.request('prompts/get', { name: 'p' });
    await session.answer(questions(prompt)[0].id, accept('hello'));
    expect((await session.resume(lastId(prompt))).events[0]?.data.result.messages[0].content.text).toBe('hello');
    const resource = await session.request('resources/read', { uri: 'a://b' });
    await session.answer(questions(resource)[0].id, model);
    expect((await session.resume(lastId(resource))).events[0]?.data.result.contents[0].text).toBe('m-1');
  });
});

type Asker = McpAskingContext<'elicitation'>;

function registerAllAs(server: McpServer): void {
  server.tool('t', { asks: ['elicitation'] }, async (_, ctx) => {
    const answer = await ctx.elicit({
      message: 'Name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return `${answer.action} ${JSON.stringify(answer.content ?? null)}`;
  });
}

describe('a client of an older revision', () => {
  it.each(['2025-03-26', '2025-06-18'])('%s receives no question on a buffered door', async (version) => {
    const session = await new Rig({ register: registerAll }).connect({ version });
    expect((await session.call('ask')).json.result.isError).toBe(true);
  });

  it.each([
    ['2025-06-18', {}],
    ['2025-03-26', {}],
    ['2025-11-25', { whileWaiting: 'hold' }],
  ] as const)('%s receives the question on a stream that is held open', async (version, server) => {
    const rig = new Rig({ register: registerAll, server, streaming: true });
    const session = await rig.connect({ version });
    const rpc = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'ask' } };
    const opened = await rig.open('POST', JSON.stringify(rpc), session.sent());
    let text = '';
    let answered = false;
    for await (const chunk of opened.body) {
      text += Buffer.from(chunk).toString('utf8');
      const id = /"id":"([\w-]{12}\.q1)"/.exec(text)?.[1];
      if (id !== undefined && !answered) {
        answered = true;
        expect(
          (await session.answer(id, { action: 'accept', content: { name: 'Ada' } }, { streaming: false })).status,
        ).toBe(202);
      }
    }
    expect(text).toContain('accept {\\"name\\":\\"Ada\\"}');
    expect(text.includes('data: \n')).toBe(version === '2025-11-25');
    expect(rig.violations).toEqual([]);
  });
});

describe('capabilities', () => {
  it.each([
    ['elicitation by form', { elicitation: { url: {} } }, form('x')],
    [
      'elicitation by URL',
      { elicitation: {} },
      { message: 'Go', mode: 'url' as const, url: 'https://a.example', elicitationId: 'e' },
    ],
  ])('%s must be declared', async (_, capabilities, request) => {
    const rig = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (__, ctx) => {
          await ctx.elicit(request as ElicitRequest);
          return '';
        }),
    });
    const lacking = await (await rig.connect({ capabilities })).call('t');
    expect(lacking.json.result.content[0].text).toBe('This needs a client that supports elicitation.');
    const able = await (await rig.connect({ capabilities: { ...ALL, elicitation: { form: {}, url: {} } } })).call('t');
    expect(questions(able)).toHaveLength(1);
  });
});
