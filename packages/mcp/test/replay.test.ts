import type { ElicitRequest, McpAskingContext, McpServer, ToolAnswer } from '../src/index.js';
import { McpToolError } from '../src/index.js';
import { type Answer, type Line, logTo, Rig, type RigOptions } from './support/rig.js';

const form = (message: string): ElicitRequest => ({
  message,
  requestedSchema: { type: 'object', properties: { v: { type: 'string' } } },
});
const accept = (v: string) => ({ action: 'accept', content: { v } });
const lines = (events: readonly { data: { params?: { data?: unknown } } }[]) =>
  events.flatMap(({ data }) => (data?.params?.data === undefined ? [] : [data.params.data]));

interface Told {
  readonly text: string | undefined;
  readonly error: { code: number } | undefined;
  /** Log messages to the client, in the order of arrival. */
  readonly logs: readonly unknown[];
  /** Messages of the questions. */
  readonly asked: readonly string[];
}

/** Calls the tool `t` and answers all its questions, in the order in which they come, until the call is over. */
type Play = (rig: Rig, answer: (message: string) => object) => Promise<Told>;

const inSession: Play = async (rig, answer) => {
  const session = await rig.connect();
  const told = { logs: [] as unknown[], asked: [] as string[] };
  let reply: Answer = await session.call('t');
  for (;;) {
    told.logs.push(...lines(reply.events));
    const questions = reply.events.filter(({ data }) => data?.method === 'elicitation/create');
    const last = reply.events.at(-1)?.data ?? reply.json;
    if (questions.length === 0) return { ...told, text: last.result?.content[0].text, error: last.error };
    for (const { data } of questions) {
      told.asked.push(data.params.message);
      await session.answer(data.id, answer(data.params.message));
    }
    reply = await session.resume(reply.events.filter(({ id }) => id !== undefined).at(-1)?.id ?? '');
  }
};

const stateless: Play = async (rig, answer) => {
  const told = { logs: [] as unknown[], asked: [] as string[] };
  const sent = { capabilities: { elicitation: {} }, meta: { 'io.modelcontextprotocol/logLevel': 'info' } };
  let more: object = {};
  for (;;) {
    const reply = await rig.stateless('tools/call', { name: 't', ...more }, sent);
    told.logs.push(...lines(reply.events));
    const { result, error } = reply.events.at(-1)?.data ?? reply.json;
    if (result?.resultType !== 'input_required') return { ...told, text: result?.content[0].text, error };
    const requests = Object.entries<{ params: { message: string } }>(result.inputRequests);
    told.asked.push(...requests.map(([, { params }]) => params.message));
    const inputResponses = Object.fromEntries(requests.map(([key, { params }]) => [key, answer(params.message)]));
    more = { inputResponses, requestState: result.requestState };
  }
};

const ERAS: [string, Play][] = [
  ['session', inSession],
  ['stateless', stateless],
];

function rigOf(
  handler: (ctx: McpAskingContext<'elicitation'>) => ToolAnswer | Promise<ToolAnswer>,
  options: RigOptions = {},
): Rig {
  const register = (server: McpServer) => server.tool('t', { asks: ['elicitation'] }, (_, ctx) => handler(ctx));
  return new Rig({ ...options, register });
}

describe.each(ERAS)('a call that is run again, in the %s era', (era, play) => {
  it('gets the recorded failure of a step, and does not run the step again', async () => {
    let charges = 0;
    const seen: unknown[] = [];
    const rig = rigOf(async (ctx) => {
      try {
        await ctx.step('charge', () => {
          charges += 1;
          throw new RangeError('the card was charged twice');
        });
      } catch (error) {
        const { name, code, step, reason } = error as Record<string, unknown>;
        seen.push({ isError: error instanceof Error, name, code, step, reason });
        const { action } = await ctx.elicit(form('Once more?'));
        return action;
      }
      return 'charged';
    });
    expect((await play(rig, () => ({ action: 'decline' }))).text).toBe('decline');
    expect(charges).toBe(1);
    const failure = {
      isError: true,
      name: 'McpStepError',
      code: 'mcp.step_failed',
      step: 'charge',
      reason: { name: 'RangeError', message: 'the card was charged twice' },
    };
    expect(seen).toEqual([failure, failure]);
    expect(rig.violations).toEqual([]);
  });

  it('shows the message of a recorded failure that was meant to be shown', async () => {
    let tries = 0;
    const rig = rigOf(async (ctx) => {
      const pay = ctx.step('pay', () => {
        tries += 1;
        throw new McpToolError('No money left.');
      });
      const [, failure] = await Promise.all([ctx.elicit(form('Sure?')), pay.catch((error: unknown) => error)]);
      throw failure;
    });
    expect((await play(rig, () => accept('yes'))).text).toBe('No money left.');
    expect(tries).toBe(1);
  });

  it.each([
    [
      'after each other',
      (ctx: McpAskingContext<'elicitation'>, once: () => string) => ctx.step('a', once).then(() => ctx.step('a', once)),
    ],
    [
      'at once',
      (ctx: McpAskingContext<'elicitation'>, once: () => string) =>
        Promise.all([ctx.step('a', once), ctx.step('a', once)]),
    ],
  ])('does not pass over a second step of one name, %s: the call ends', async (_, twice) => {
    let ran = 0;
    const log: Line[] = [];
    const rig = rigOf(
      async (ctx) => {
        await twice(ctx, () => String(++ran));
        return 'all done';
      },
      { log: logTo(log) },
    );
    const { error } = await play(rig, () => accept('yes'));
    expect([error, ran]).toEqual([{ code: -32603, message: 'Internal error' }, 1]);
    expect(log).toMatchObject([{ level: 'ERROR', why: 'the name of a step is used twice: "a"' }]);
  });

  it('sends an event after a question although a step logged before it', async () => {
    const rig = rigOf(async (ctx) => {
      ctx.log('info', 'begin');
      await ctx.step('load', async () => {
        ctx.log('info', 'loading');
        await Promise.resolve();
        ctx.log('info', 'loaded');
        return null;
      });
      await ctx.elicit(form('Delete?'));
      ctx.log('info', 'DELETED 5000 NOTES');
      ctx.log('info', 'loading');
      return 'done';
    });
    const { logs } = await play(rig, () => accept('yes'));
    const again = era === 'stateless' ? ['begin'] : [];
    expect(logs).toEqual(['begin', 'loading', 'loaded', ...again, 'DELETED 5000 NOTES', 'loading']);
  });

  it('returns each answer to its branch when branches send questions in another order', async () => {
    let run = 0;
    const rig = rigOf(async (ctx) => {
      run += 1;
      const wait = async (turns: number) => {
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      };
      const late = run % 2;
      const [old, young] = await Promise.all([
        wait(late * 9).then(() => ctx.elicit(form('old'))),
        wait((1 - late) * 9).then(() => ctx.elicit(form('new'))),
      ]);
      return `old=${old.content?.v} new=${young.content?.v}`;
    });
    const { text, asked } = await play(rig, (message) => accept(`to ${message}`));
    expect([text, asked]).toEqual(['old=to old new=to new', ['new', 'old']]);
  });

  it('does not abort its signal when it stops at a question', async () => {
    const undone: string[] = [];
    const rig = rigOf(async (ctx) => {
      const aborted = new Promise<never>((_, reject) => {
        ctx.signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
      try {
        await Promise.race([ctx.elicit(form('Pay?')), aborted]);
      } catch (error) {
        undone.push('refund');
        throw error;
      } finally {
        undone.push('finally');
      }
      return 'paid';
    });
    expect((await play(rig, () => accept('yes'))).text).toBe('paid');
    expect(undone).toEqual(['finally']);
  });

  it('cannot send a question inside a step: the call ends immediately', async () => {
    const rig = rigOf(async (ctx) => ctx.step('ask', async () => (await ctx.elicit(form('In here?'))).action));
    const { error } = await play(rig, () => accept('yes'));
    expect(error).toEqual({ code: -32603, message: 'Internal error' });
  });
});

describe('an answer', () => {
  const moving = (messages: readonly string[]) => {
    let run = 0;
    return rigOf(async (ctx) => {
      const message = messages[run] ?? messages.at(-1) ?? '';
      run += 1;
      const { action } = await ctx.elicit(form(message), 'confirm');
      return `${action}: ${message}`;
    });
  };

  it('of the stateless era is not accepted for another question', async () => {
    const rig = moving(['Delete 3 notes?', 'Delete 5000 notes?']);
    const { text, asked } = await stateless(rig, (message) => {
      return message === 'Delete 3 notes?' ? accept('yes') : { action: 'decline' };
    });
    expect([text, asked]).toEqual(['decline: Delete 5000 notes?', ['Delete 3 notes?', 'Delete 5000 notes?']]);
  });

  it('of the session era is not either: the call ends', async () => {
    const { error, asked } = await inSession(moving(['Delete 3 notes?', 'Delete 5000 notes?']), () => accept('yes'));
    expect([error?.code, asked]).toEqual([-32603, ['Delete 3 notes?']]);
  });

  it('of the stateless era is not accepted for a question that is not in the state', async () => {
    const rig = rigOf(async (ctx) => {
      const first = await ctx.elicit(form('first'), 'first');
      const second = await ctx.elicit(form('second'), 'second');
      return `${first.content?.v} ${second.content?.v}`;
    });
    const sent = { capabilities: { elicitation: {} } };
    const { requestState } = (await rig.stateless('tools/call', { name: 't' }, sent)).json.result;
    const inputResponses = { first: accept('1'), second: accept('2') };
    const { result } = (await rig.stateless('tools/call', { name: 't', inputResponses, requestState }, sent)).json;
    expect(Object.keys(result.inputRequests)).toEqual(['second']);
  });
});
