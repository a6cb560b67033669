import { FrameworkError } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { type Durable, type DurableOptions, durable, durableExecutions } from '../src/index.js';

/** Runs a durable handler with a plain context, outside an execution. */
function run<R>(handler: (ctx: Durable) => Promise<R>, options?: DurableOptions): Promise<R> {
  return durable((ctx: Durable) => handler(ctx), options)({} as Durable);
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;
class Point {
  readonly x = 1;
  get y() {
    return 2;
  }
}
class Hidden {
  readonly #x = 1;
  x() {
    return this.#x;
  }
}

test.each<[string, () => unknown, unknown]>([
  ['text', () => 'ä', 'ä'],
  ['undefined', () => undefined, undefined],
  ['null', () => null, null],
  ['a Date, which is text afterwards', () => new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a member that is undefined, which is omitted', () => ({ a: undefined, b: 1 }), { b: 1 }],
  ['an instance with members, which is a plain object', () => new Point(), { x: 1 }],
  ['an object without a prototype', () => Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['a Buffer, which has toJSON', () => Buffer.from('a'), { type: 'Buffer', data: [97] }],
  ['a result of 256 KiB', () => 'a'.repeat(262_142), 'a'.repeat(262_142)],
])('a step returns %s', async (_name, value, expected) => {
  const result = await run((ctx) => ctx.step('one', value as () => never));
  expect(result).toStrictEqual(expected);
});

test.each<[string, () => unknown, string, string]>([
  ['a Map', () => new Map(), 'durable.not_json', 'step "one": the result must be JSON (got an instance of Map)'],
  [
    'a member that is a Set',
    () => ({ x: [{}], a: [{ c: {} }, { b: new Set() }] }),
    'durable.not_json',
    'member "a.1.b"',
  ],
  ['a bigint', () => 1n, 'durable.not_json', 'a bigint'],
  ['a function', () => () => 1, 'durable.not_json', 'a function'],
  ['a symbol', () => Symbol('a'), 'durable.not_json', 'a symbol'],
  ['NaN', () => Number.NaN, 'durable.not_json', 'NaN'],
  ['bytes', () => new Uint8Array(2), 'durable.not_json', 'Uint8Array'],
  ['a stream', () => new ReadableStream(), 'durable.not_json', 'ReadableStream'],
  ['an instance without members', () => new Hidden(), 'durable.not_json', 'Hidden'],
  ['a cycle', () => cycle, 'durable.not_json', 'a cycle'],
  [
    'a getter that throws',
    () => ({
      get a() {
        throw new Error('secret');
      },
    }),
    'durable.not_json',
    'a getter',
  ],
  ['a result above 256 KiB', () => 'a'.repeat(262_143), 'durable.result_too_large', '@sallyport/objectstore'],
])('a step rejects %s', async (_name, value, code, text) => {
  await expect(run((ctx) => ctx.step('one', value as () => never))).rejects.toThrow(expect.failure(code, text));
});

test.each<[string, unknown, unknown]>([
  ['an error with its name', new RangeError('too long'), { name: 'RangeError', message: 'too long' }],
  [
    'an error without its secrets',
    new Error('password=hunter22'),
    { name: 'Error', message: expect.not.stringContaining('hunter22') },
  ],
  ['undefined', undefined, undefined],
  ['a string', 'text', 'text'],
  ['an object as JSON', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  [
    'an error whose message cannot be read',
    Object.defineProperty(new Error('a'), 'message', {
      get() {
        throw new Error('b');
      },
    }),
    { name: 'Error', message: '' },
  ],
  [
    'a FrameworkError with code, message and details',
    new FrameworkError('orders.closed', 'the order is closed', { statusCode: 409, details: { closed: 1 } }),
    { code: 'orders.closed', message: 'the order is closed', statusCode: 409, details: { closed: 1 } },
  ],
])('a step that throws %s', async (_name, thrown, expected) => {
  const caught = run((ctx) =>
    ctx.step('one', () => {
      throw thrown;
    }),
  ).then(
    () => 'nothing',
    (error: unknown) => error,
  );
  const error = await caught;
  if (typeof expected !== 'object' || expected === null || typeof error !== 'object') expect(error).toBe(expected);
  else expect(error).toMatchObject(expected);
});

test.each<[string, (ctx: Durable) => Promise<unknown>, string, string]>([
  ['an empty name', (ctx) => ctx.step('', () => 1), 'durable.invalid_operation', '1 to 128 printable ASCII'],
  ['a blank name', (ctx) => ctx.step('  ', () => 1), 'durable.invalid_operation', 'got "  "'],
  ['a name of 129 characters', (ctx) => ctx.step('a'.repeat(129), () => 1), 'durable.invalid_operation', '128'],
  ['a name with a letter outside ASCII', (ctx) => ctx.step('größe', () => 1), 'durable.invalid_operation', 'größe'],
  [
    'attempts 0',
    (ctx) => ctx.step('a', () => 1, { retry: { attempts: 0, delaySeconds: 1 } }),
    'durable.invalid_operation',
    'retry.attempts must be a whole number from 1 to 10 (got 0)',
  ],
  [
    'attempts 11',
    (ctx) => ctx.step('a', () => 1, { retry: { attempts: 11, delaySeconds: 1 } }),
    'durable.invalid_operation',
    'got 11',
  ],
  [
    'a fraction of a second before a retry',
    (ctx) => ctx.step('a', () => 1, { retry: { attempts: 2, delaySeconds: 0.5 } }),
    'durable.invalid_operation',
    'retry.delaySeconds',
  ],
  [
    'an unknown effect',
    (ctx) => ctx.step('a', () => 1, { effect: 'once' as never }),
    'durable.invalid_operation',
    'effect',
  ],
  ['a negative wait', (ctx) => ctx.wait('a', { seconds: -1 }), 'durable.invalid_operation', 'got seconds: -1'],
  ['a wait of NaN', (ctx) => ctx.wait('a', { seconds: Number.NaN }), 'durable.invalid_operation', 'got seconds: NaN'],
  [
    'a wait of 400 days',
    (ctx) => ctx.wait('a', { days: 400 }),
    'durable.invalid_operation',
    'from 1 to 31622400 seconds (got 34560000)',
  ],
  ['a wait of half a second', (ctx) => ctx.wait('a', { seconds: 0.5 }), 'durable.invalid_operation', 'got 0.5'],
  [
    'a wait of another unit',
    (ctx) => ctx.wait('a', { weeks: 1 } as never),
    'durable.invalid_operation',
    'got weeks: 1',
  ],
  [
    'a concurrency of 0',
    (ctx) => ctx.map('a', [1], async () => 1, { concurrency: 0 }),
    'durable.invalid_operation',
    'concurrency',
  ],
  [
    'a second operation of a name',
    async (ctx) => [await ctx.step('a', () => 1), await ctx.step('a', () => 2)],
    'durable.duplicate_name',
    '"a"',
  ],
  [
    'a step in a step',
    (ctx) => ctx.step('a', () => ctx.step('b', () => 1)),
    'durable.nested_step',
    'operation "b" is inside step "a"',
  ],
  [
    'the outer context in map',
    (ctx) => ctx.map('m', [1], async () => ctx.step('b', () => 1)),
    'durable.invalid_operation',
    'use the ctx that the function of map receives',
  ],
  ['a wait', (ctx) => ctx.wait('a', { seconds: 1 }), 'durable.not_durable', 'wait "a" needs a durable function'],
  [
    'a callback',
    (ctx) =>
      ctx.callback('a', {} as never, {
        submit: () => {
          throw new Error('sent');
        },
        timeoutSeconds: 1,
      }),
    'durable.not_durable',
    'callback "a"',
  ],
  [
    'a step that exceeds its time',
    (ctx) => ctx.step('a', () => new Promise(() => {}), { timeout: { seconds: 1 } }),
    'durable.timeout',
    'step "a" did not end within 1 s',
  ],
])('%s is rejected', async (_name, handler, code, text) => {
  await expect(run(handler, { clock: atOnce() })).rejects.toThrow(expect.failure(code, text));
});

/** A clock whose timers fire in the next turn. */
function atOnce(): ManualClock {
  return Object.assign(new ManualClock(), {
    after(_ms: number, fire: () => void) {
      const timer = setImmediate(fire);
      return () => clearImmediate(timer);
    },
  });
}

test('a short wait sleeps on the clock, and within the deadline only', async () => {
  const clock = new ManualClock();
  const handler = durable(async (ctx: Durable) => ctx.wait('nap', { seconds: 2 }), {
    sleepUpTo: { seconds: 2 },
    clock,
  });
  const slept = handler({} as Durable).then(() => 'slept');
  clock.advance(1_999);
  expect(await Promise.race([slept, new Promise((resolve) => setImmediate(resolve, 'sleeping'))])).toBe('sleeping');
  clock.advance(1);
  expect(await slept).toBe('slept');
  await expect(handler({ remainingMs: 2_000 } as unknown as Durable)).rejects.toThrow(
    expect.failure('durable.not_durable', 'wait "nap"'),
  );
});

test('map begins items in order, waits for all, and throws the failure of the lowest index', async () => {
  const seen: string[] = [];
  const mapped = run((ctx) =>
    ctx.map('items', ['a', 'b', 'c'], async (item, inner, index) => {
      seen.push(`begin ${item}`);
      await inner.step('work', async () => {
        for (let turn = index; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      });
      seen.push(`end ${item}`);
      if (item !== 'a') throw new Error(item);
      return item;
    }),
  );
  await expect(mapped).rejects.toThrow(/^b$/);
  expect(seen).toEqual(['begin a', 'begin b', 'begin c', 'end c', 'end b', 'end a']);
  expect(await run((ctx) => ctx.map('items', [1, 2], async (item) => item * 2))).toEqual([2, 4]);
});

test('the key of an effect is equal for every delivery of an event, and differs from step to step', async () => {
  const keysOf = async (context: object) => {
    const keys: string[] = [];
    const handler = durable(async (ctx: Durable) => {
      await ctx.step('a', (step) => void keys.push(step.idempotencyKey));
      await ctx.step('b', (step) => void keys.push(step.idempotencyKey));
    });
    await handler(context as Durable);
    return keys;
  };
  const event = { triggerKind: 'queue', source: { name: 'orders' }, eventKey: 'm-1', requestId: 'r-1' };
  const first = await keysOf({ ...event });
  expect(await keysOf({ ...event, requestId: 'r-2' })).toEqual(first);
  expect(new Set([...first, ...(await keysOf({ ...event, eventKey: 'm-2' }))]).size).toBe(4);
});

test('a wrapped handler keeps its name and the arguments after the context', async () => {
  const handler = durable(function fulfil(_ctx: Durable, first: number, second: number) {
    return first + second;
  });
  expect([handler.name, handler({} as Durable, 1, 2)]).toEqual(['fulfil', 3]);
});

test.each<[string, () => unknown, string, string]>([
  [
    'an unknown option of durable',
    () => durable(() => {}, { sleep: 1 } as never),
    'app.invalid_configuration',
    'option "sleep"',
  ],
  [
    'a wrong delivery',
    () => durable(() => {}, { delivery: 'later' as never }),
    'app.invalid_configuration',
    'option "delivery"',
  ],
  [
    'a wrong duration',
    () => durable(() => {}, { sleepUpTo: { seconds: -1 } }),
    'durable.invalid_operation',
    'option "sleepUpTo"',
  ],
  [
    'an unknown option of durableExecutions',
    () => durableExecutions({ retries: 1 } as never),
    'app.invalid_configuration',
    'option "retries"',
  ],
  [
    'a wrong maxRecords',
    () => durableExecutions({ maxRecords: 0 }),
    'app.invalid_configuration',
    'option "maxRecords"',
  ],
])('%s is rejected at construction', (_name, create, code, text) => {
  expect(create).toThrow(expect.failure(code, text));
});
