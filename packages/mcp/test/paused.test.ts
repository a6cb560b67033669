import type { McpAskingContext } from '../src/index.js';
import { runOf } from '../src/run/internal/handler-context.js';
import type { Outcome } from '../src/run/internal/run.js';
import { Rig } from './support/rig.js';

const form = { type: 'object', properties: { day: { type: 'string' } } } as const;
const question = { method: 'elicitation/create', params: { message: 'Which day?', requestedSchema: form } } as const;

/** The outcome of the first run of a handler, in a session whose client can resume. */
async function outcomeOf(handler: (ctx: McpAskingContext) => unknown): Promise<Outcome> {
  let outcome: Promise<Outcome> | undefined;
  const rig = new Rig({
    register: (server) =>
      server.tool('book', { asks: ['elicitation'] }, (_, ctx) => {
        const asking = ctx as McpAskingContext;
        outcome = runOf(asking).outcome;
        return handler(asking) as Promise<string>;
      }),
  });
  const session = await rig.connect({ capabilities: { elicitation: {} } });
  await session.call('book', {});
  return (await outcome) as Outcome;
}

const ASKED = { key: 'day', digest: expect.stringMatching(/^[\w-]{22}$/), request: question };

describe('a run that pauses', () => {
  it.each<[string, (ctx: McpAskingContext) => unknown, object]>([
    [
      'at a question',
      async (ctx) => {
        await ctx.step('quote', () => 7);
        await ctx.elicit({ message: 'Which day?', requestedSchema: form }, 'day');
      },
      { on: 'asked', returned: false, questions: [ASKED], memory: { round: 1, closes: 0, state: undefined } },
    ],
    [
      'with questions that its handler returns',
      (ctx) => ctx.inputRequired({ day: question }, { step: 2 }),
      { on: 'asked', returned: true, questions: [ASKED], memory: { round: 1, closes: 0, state: { step: 2 } } },
    ],
    [
      'at a closed stream',
      (ctx) => ctx.closeStream(),
      { on: 'closed', returned: false, questions: [], memory: { round: 0, closes: 1, state: undefined } },
    ],
  ])('%s resolves to a value with the state that continues the call', async (_, handler, expected) => {
    expect(await outcomeOf(handler)).toMatchObject({ kind: 'paused', ...expected });
  });

  it('has the recorded steps', async () => {
    const outcome = await outcomeOf(async (ctx) => {
      await ctx.step('quote', () => 7);
      await ctx.elicit({ message: 'Which day?', requestedSchema: form });
    });
    expect(outcome.kind === 'paused' && [...outcome.memory.steps]).toEqual([['quote', { value: 7 }]]);
  });
});
