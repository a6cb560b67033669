import type { Logger } from '@sallyport/core';
import { buildEventBusEvent } from '@sallyport/testkit';
import type { DurableEngine, DurableEnvelope, Operation } from '@sallyport/testkit/durable';
import { z } from 'zod';
import { compensate, type Durable } from '../src/index.js';
import { completeCallback } from '../src/start.js';
import { startEngineApi } from './engine-api.js';
import { type RunOptions, runHandler } from './run.js';

const EVENT = buildEventBusEvent({ source: 'shop', detailType: 'Ordered', detail: {} });

let engine: DurableEngine;
let api: Awaited<ReturnType<typeof startEngineApi>>;
beforeAll(async () => {
  api = await startEngineApi(() => engine);
});
afterAll(() => api.stop());

const run = (handler: (ctx: Durable) => unknown, options: RunOptions = {}) =>
  runHandler(handler, EVENT, {
    ...options,
    onStart: (started) => {
      engine = started;
    },
  });

class Order {
  readonly total = 5;
}
class Hidden {
  readonly #id = 7;
  get id(): number {
    return this.#id;
  }
}

/** The value of an operation as text, or the code and the message of its failure. */
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    (value) => (value === undefined ? 'undefined' : JSON.stringify(value).slice(0, 100)),
    (error: { code?: unknown; message?: unknown }) =>
      `${error.code} ${String(error.message).replace('framework: ', '')}`,
  );
const approval = (ctx: Durable, options: object = {}) =>
  ctx.callback('a', z.string(), { submit() {}, timeoutSeconds: 60, ...options });
const hold = () => (globalThis as { 'sallyport.hold'?: () => () => void })['sallyport.hold']?.();
const JSON_VALUES = 'return plain objects, lists, strings, finite numbers, booleans or null';
const NAMES = 'the name of an operation must be 1 to 128 printable ASCII characters';
const DURATION = 'wait "a": the duration has days, hours, minutes and seconds of at least 0';
const SECONDS = 'must be a whole number from 1 to 31622400 seconds';

interface Row {
  readonly title: string;
  readonly operation: (ctx: Durable) => Promise<unknown>;
  readonly outcome: string;
  readonly recorded: readonly string[];
}
const row = (title: string, operation: Row['operation'], outcome: string, recorded: readonly string[] = []): Row => ({
  title,
  operation,
  outcome,
  recorded,
});

const OPERATIONS: readonly Row[] = [
  row(
    'a wait of -1 second',
    (ctx) => ctx.wait('a', { seconds: -1 }),
    `durable.invalid_operation ${DURATION} (got seconds: -1)`,
  ),
  row(
    'a wait of NaN days',
    (ctx) => ctx.wait('a', { days: Number.NaN }),
    `durable.invalid_operation ${DURATION} (got days: NaN)`,
  ),
  row(
    'a wait of weeks',
    (ctx) => ctx.wait('a', { weeks: 1 } as never),
    `durable.invalid_operation ${DURATION} (got weeks: 1)`,
  ),
  row(
    'a wait of 400 days',
    (ctx) => ctx.wait('a', { days: 400 }),
    `durable.invalid_operation wait "a": the duration ${SECONDS} (got 34560000)`,
  ),
  row(
    'a wait of half a second',
    (ctx) => ctx.wait('a', { seconds: 0.5 }),
    `durable.invalid_operation wait "a": the duration ${SECONDS} (got 0.5)`,
  ),
  row(
    'a wait without a duration',
    (ctx) => ctx.wait('a', {}),
    `durable.invalid_operation wait "a": the duration ${SECONDS} (got 0)`,
  ),
  row('a blank name', (ctx) => ctx.wait(' ', { seconds: 1 }), `durable.invalid_operation ${NAMES} (got " ")`),
  row(
    'a name that is not ASCII',
    (ctx) => ctx.step('größe', () => 1),
    `durable.invalid_operation ${NAMES} (got "größe")`,
  ),
  row(
    'no attempt',
    (ctx) => ctx.step('a', () => 1, { retry: { attempts: 0, delaySeconds: 1 } }),
    'durable.invalid_operation step "a": retry.attempts must be a whole number from 1 to 10 (got 0)',
  ),
  row(
    'an instance of a class without members',
    (ctx) => ctx.step('a', () => new Hidden() as never),
    `durable.not_json step "a": the result must be JSON (got an instance of Hidden): ${JSON_VALUES}`,
    ['a FAILED'],
  ),
  row(
    'an instance of a class with members, which loses its class',
    (ctx) =>
      ctx
        .step('a', () => new Order() as never)
        .then((value) => [value, Object.getPrototypeOf(value) === Object.prototype]),
    '[{"total":5},true]',
    ['a SUCCEEDED'],
  ),
  row(
    'a stream in a member',
    (ctx) => ctx.step('a', () => ({ rows: [{ body: new ReadableStream() }] }) as never),
    `durable.not_json step "a": member "rows.0.body" of the result must be JSON (got an instance of ReadableStream): ${JSON_VALUES}`,
    ['a FAILED'],
  ),
  row('undefined', (ctx) => ctx.step('a', () => undefined), 'undefined', ['a SUCCEEDED']),
  row(
    'two operations of one name',
    async (ctx) => {
      await ctx.step('a', () => 1);
      return ctx.wait('a', { seconds: 1 });
    },
    'durable.duplicate_name two operations have the name "a": number the names of operations in a loop',
    ['a SUCCEEDED'],
  ),
  row(
    'a callback with the name of a step',
    async (ctx) => {
      await ctx.step('a', () => 1);
      return approval(ctx);
    },
    'durable.duplicate_name two operations have the name "a": number the names of operations in a loop',
    ['a SUCCEEDED'],
  ),
  row(
    'a lease that is held over a wait',
    (ctx) => {
      const release = hold();
      return ctx.wait('a', { seconds: 1 }).finally(release);
    },
    'durable.held wait "a": a lease or slot is held, and a suspended execution cannot release it: release it before',
  ),
];

/** The largest and smallest values that are accepted, each with its neighbour that is not. */
const LIMITS: readonly Row[] = [
  row('a name of 128 characters', (ctx) => ctx.step('a'.repeat(128), () => 1), '1', [`${'a'.repeat(128)} SUCCEEDED`]),
  row(
    'a name of 129 characters',
    (ctx) => ctx.step('a'.repeat(129), () => 1),
    `durable.invalid_operation ${NAMES} (got "${'a'.repeat(64)}")`,
  ),
  row('a result of 256 KiB', (ctx) => ctx.step('a', () => 'x'.repeat(262_142)).then(({ length }) => length), '262142', [
    'a SUCCEEDED',
  ]),
  row(
    'a result of 256 KiB and one byte',
    (ctx) => ctx.step('a', () => 'x'.repeat(262_143)),
    'durable.result_too_large step "a": the result has more than 256 KiB: store it, for example with @sallyport/objectstore, and return its reference',
    ['a FAILED'],
  ),
  row('a wait of 1 second', (ctx) => ctx.wait('a', { seconds: 1 }), 'undefined', ['a SUCCEEDED']),
  row(
    'a wait of 0 seconds',
    (ctx) => ctx.wait('a', { seconds: 0 }),
    `durable.invalid_operation wait "a": the duration ${SECONDS} (got 0)`,
  ),
  row('a time-out of 366 days', (ctx) => ctx.step('a', () => 1, { timeout: { days: 366 } }), '1', ['a SUCCEEDED']),
  row(
    'a wait of 366 days and a second',
    (ctx) => ctx.wait('a', { days: 366, seconds: 1 }),
    `durable.invalid_operation wait "a": the duration ${SECONDS} (got 31622401)`,
  ),
  row(
    '11 attempts',
    (ctx) => ctx.step('a', () => 1, { retry: { attempts: 11, delaySeconds: 1 } }),
    'durable.invalid_operation step "a": retry.attempts must be a whole number from 1 to 10 (got 11)',
  ),
  row('10 attempts', (ctx) => ctx.step('a', () => 1, { retry: { attempts: 10, delaySeconds: 1 } }), '1', [
    'a SUCCEEDED',
  ]),
  row(
    'a callback without a time-out',
    (ctx) => approval(ctx, { timeoutSeconds: undefined }),
    `durable.invalid_operation callback "a": timeoutSeconds ${SECONDS} (got undefined)`,
  ),
];

test.each([...OPERATIONS, ...LIMITS])(
  '$title in an execution: the same outcome at the first run and at a replay',
  async ({ operation, outcome, recorded }) => {
    const outcomes: unknown[] = [];
    const ran = await run(async (ctx) => {
      outcomes.push(await outcomeOf(operation(ctx)));
      await ctx.wait('pause', { seconds: 5 });
    });
    expect([ran.status, ...new Set(outcomes)]).toEqual(['SUCCEEDED', outcome]);
    expect(outcomes.length).toBeGreaterThan(1);
    expect(ran.operations.slice(1, -1).map(({ Name, Status }) => `${Name} ${Status}`)).toEqual(recorded);
  },
);

const SECRET = 'secret-of-another-system';

test.each<[string, string, string]>([
  [
    'of 256 KiB and one byte',
    JSON.stringify(SECRET.repeat(12_000)),
    'durable.callback_timeout callback "a" was not completed in time',
  ],
  ['that is not JSON', `{"${SECRET}`, 'durable.callback_invalid callback "a": the value is not JSON'],
  [
    'of another type',
    JSON.stringify({ text: SECRET }),
    'durable.callback_invalid callback "a": the value does not fit its schema: the value itself',
  ],
  [
    'with a wrong member',
    JSON.stringify({ ok: SECRET }),
    'durable.callback_invalid callback "a": the value does not fit its schema: ok',
  ],
])('a callback value %s is rejected, and is in no line, record or error', async (_title, value, outcome) => {
  const schema: z.ZodType<unknown> = value.includes('ok') ? z.object({ ok: z.boolean() }) : z.string().max(5);
  const ran = await run(
    async (ctx) => {
      const found = await outcomeOf(ctx.callback('a', schema, { submit() {}, timeoutSeconds: 60 }));
      (ctx as Durable & { readonly log: Logger }).log.error('rejected', { error: found });
      throw new Error(String(found));
    },
    {
      onSuspended(started) {
        const { CallbackDetails } =
          started.operations(started.list()[0]?.arn ?? '').find(({ Type }) => Type === 'CALLBACK') ?? {};
        try {
          started.succeedCallback(CallbackDetails?.CallbackId ?? '', value);
        } catch {
          // The service rejects a value above 256 KiB.
          started.skip(({ kind }) => kind === 'callback');
        }
      },
    },
  );
  expect(ran.error?.ErrorMessage).toBe(outcome);
  expect(JSON.stringify([ran.lines, ran.records, ran.error])).not.toContain(SECRET);
});

const POSITION = 'NonDeterministicExecutionError';
const REFUSED = 'CheckpointUnrecoverableExecutionError';

type Change = (operations: readonly Operation[]) => readonly object[];

/** Changes the recorded operations from the second invocation on. */
const withHistory = (change: Change) => (envelope: DurableEnvelope, invocation: number) => {
  const { InitialExecutionState: state, ...more } = structuredClone(envelope);
  const operations = state.Operations ?? [];
  return {
    ...more,
    InitialExecutionState: { ...state, Operations: invocation === 1 ? operations : change(operations) },
  };
};

/** The end of a step that failed. */
const FAILED = { Status: 'FAILED', StepDetails: { Error: { ErrorType: 'Error', ErrorMessage: 'no' } } };

/** Changes the recorded steps. */
const steps =
  (change: (step: Operation) => object): Change =>
  (all) =>
    all.map((one) => (one.Type === 'STEP' ? { ...one, ...change(one) } : one));

test.each<[string, Change, string, string?]>([
  ['of another function', steps(({ Name }) => ({ Name: `other ${Name}` })), POSITION],
  [
    'of another version, which has another step',
    steps(({ Name }) => (Name === 'pack' ? { Name: 'weigh' } : {})),
    POSITION,
  ],
  [
    'of another version, whose other step failed',
    steps(({ Name }) => (Name === 'pack' ? { ...FAILED, Name: 'weigh' } : {})),
    POSITION,
  ],
  ['with two steps exchanged', steps(({ Name }) => ({ Name: Name === 'pack' ? 'charge' : 'pack' })), POSITION],
  [
    'with two steps exchanged, of which one failed',
    steps(({ Name }) => (Name === 'pack' ? { Name: 'charge' } : { ...FAILED, Name: 'pack' })),
    POSITION,
  ],
  ['with a type changed', steps(({ Name }) => (Name === 'pack' ? { Type: 'WAIT' } : {})), POSITION],
  // The service has the step, and rejects its second start while its body runs.
  ['without its first step', (all) => all.filter(({ Name }) => Name !== 'charge'), REFUSED, '2 charge'],
  ['without its last operations', (all) => all.slice(0, 2), REFUSED, '2 pack'],
])(
  'a history %s fails the execution with one error line, and no new step runs',
  async (_title, change, type, ...repeated) => {
    const bodies: string[] = [];
    const undone: string[] = [];
    let invocation = 0;
    const ran = await run(
      async (ctx) => {
        const step = (name: string) => ctx.step(name, () => void bodies.push(`${invocation} ${name}`));
        compensate(ctx, 'undo', () => void undone.push('undone'));
        await step('charge').catch(() => step('refuse'));
        await step('pack').catch(() => step('unpack'));
        await ctx.wait('pause', { seconds: 5 });
        await step('ship');
      },
      {
        envelope: (envelope, at) => {
          invocation = at;
          return withHistory(change)(envelope, at);
        },
      },
    );
    expect([ran.status, ran.error?.ErrorType]).toEqual(['FAILED', type]);
    expect([bodies, undone]).toEqual([['1 charge', '1 pack', ...repeated], []]);
    expect(ran.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  },
);

test.each<[string, object]>([
  ['a value', {}],
  ['a failure', FAILED],
])('%s of another step at the position does not reach the handler', async (_title, end) => {
  const outcomes: unknown[] = [];
  await run(
    async (ctx) => {
      const packed = ctx.step('pack', () => 'packed');
      outcomes.push(await packed.catch(({ code }: { code?: unknown }) => code));
      await ctx.wait('pause', { seconds: 5 });
    },
    { envelope: withHistory(steps(() => ({ ...end, Name: 'weigh' }))) },
  );
  expect(outcomes).toEqual(['packed', 'durable.diverged']);
});

test.each<[string, string[], string | null, string[]]>([
  ['the same steps', ['charge', 'pack', 'ship'], null, ['pack', 'ship']],
  ['another first step', ['weigh', 'charge', 'pack'], POSITION, []],
  ['a renamed step', ['charge card', 'pack'], POSITION, []],
])(
  'an execution that is restarted with the recorded steps of a build, in a build with %s',
  async (_title, names, type, bodies) => {
    const build = (all: readonly string[], ran: string[]) => async (ctx: Durable) => {
      for (const name of all) await ctx.step(name, () => void ran.push(name));
    };
    const before = await run(build(['charge', 'pack', 'ship'], []));
    const ran: string[] = [];
    // From the second step.
    const restarted = await run(build(names, ran), { recorded: before.operations.slice(1, 2), name: 'run-2' });
    expect([restarted.error?.ErrorType ?? null, ran]).toEqual([type, bodies]);
  },
);

test('a callback is answered once: a second answer, a late one and one for no execution are gone, and no line has its id', async () => {
  const ids: string[] = [];
  const outcomes: unknown[] = [];
  const errors: unknown[] = [];
  const answer = (id: string, value: unknown = 'yes') =>
    completeCallback(id, value, { client: api.client }).then(
      ({ outcome }) => outcomes.push(outcome),
      (error: { code?: unknown }) => {
        errors.push(error);
        outcomes.push(error.code);
      },
    );
  const ran = await run(
    async (ctx) => {
      const early = await ctx.callback('early', z.string(), {
        async submit(id) {
          ids.push(id);
          await answer(id);
          await answer(id, 'no');
        },
        timeoutSeconds: 60,
      });
      const late = await outcomeOf(
        ctx.callback('late', z.string(), { submit: (id) => void ids.push(id), timeoutSeconds: 60 }),
      );
      return [early, late];
    },
    { onSuspended: (started) => started.skip(({ kind }) => kind === 'callback') },
  );
  await answer(ids[1] ?? '');
  await answer(ids[1] ?? '', 'a'.repeat(262_143));
  await run(async () => {});
  await answer(ids[0] ?? '');
  expect(ran.result).toBe('["yes","durable.callback_timeout callback \\"late\\" was not completed in time"]');
  expect(outcomes).toEqual([
    'completed',
    'durable.callback_gone',
    'durable.callback_gone',
    'durable.too_large',
    'durable.callback_gone',
  ]);
  const text = JSON.stringify([ran.lines, ran.records, errors.map((error) => [String(error), (error as Error).stack])]);
  for (const id of ids) expect(text).not.toContain(id);
});
