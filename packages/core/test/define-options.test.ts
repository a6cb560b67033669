import { FrameworkError } from '../src/errors/errors.js';
import {
  boolean,
  defineOptions,
  func,
  group,
  integer,
  kind,
  list,
  number,
  type OptionKind,
  object,
  oneOf,
  parsed,
  string,
  text,
  withMethods,
} from '../src/options/define-options.js';
import type { Clock } from '../src/runtime/invocation.js';

/** A set with one option of a kind, and its result for a value. */
function read(option: OptionKind<unknown, unknown>, value: unknown, name = 'x'): unknown {
  const set = defineOptions<{ [key: string]: unknown }>()({ [name]: option });
  return (set.parse({ [name]: value }) as Record<string, unknown>)[name];
}

const clock = { now: () => new Date(0) };

describe('a kind', () => {
  it.each<[string, OptionKind<unknown, unknown>, unknown[]]>([
    ['boolean', boolean, [true, false]],
    ['func', func(), [() => 1, class {}]],
    ['integer', integer(1, 60_000), [1, 60_000]],
    ['unbounded integer', integer(0), [0, Number.MAX_SAFE_INTEGER]],
    ['number', number(0), [0, 0.5, 1e300]],
    ['string', string, ['', ' a ']],
    ['object', object(), [{}, clock]],
    ['oneOf', oneOf('a', 'b'), ['a', 'b']],
    ['withMethods', withMethods<Clock>('now'), [clock]],
    ['kind', kind('even', (value) => Number(value) % 2 === 0), [2]],
  ])('%s accepts values that it describes', (_name, option, values) => {
    for (const value of values) expect(read(option, value)).toBe(value);
  });

  it.each<[OptionKind<unknown, unknown>, unknown[], string]>([
    [boolean, [1, 'true', null], 'option "x" must be true or false'],
    [func(), [{}, 'f', null], 'option "x" must be a function'],
    [string, [1, null, {}], 'option "x" must be a string'],
    [object(), ['a', null, [], () => 1], 'option "x" must be an object'],
    [text(), ['', '  ', 1, null], 'option "x" must be a string that is not blank'],
    [
      integer(1, 60_000, 'milliseconds'),
      [0, 60_001, 1.5, '1', null, Number.NaN],
      'option "x" must be a whole number of milliseconds from 1 to 60,000',
    ],
    [integer(1), [0, -1], 'option "x" must be a whole number, at least 1'],
    [integer(0, 1_048_576), [1_048_577], 'option "x" must be a whole number from 0 to 1,048,576'],
    [number(0, 1), [1.1, Number.POSITIVE_INFINITY, '0'], 'option "x" must be a number from 0 to 1'],
    [number(0), [Number.POSITIVE_INFINITY, Number.NaN], 'option "x" must be a number, at least 0'],
    [oneOf('deny'), ['allow'], 'option "x" must be "deny"'],
    [oneOf('p0', 'p1', 'p2'), ['P0', null], 'option "x" must be "p0", "p1" or "p2"'],
    [withMethods<Clock>('now'), [{}, null, () => 1, { now: 1 }], 'option "x" must be an object with now()'],
    [
      withMethods<Pick<Console, 'info' | 'warn'>>('info', 'warn'),
      [{ info() {} }],
      'option "x" must be an object with info() and warn()',
    ],
    [
      withMethods<Pick<Console, 'info' | 'warn' | 'error'>>('info', 'warn', 'error'),
      [{ info() {}, warn() {} }],
      'option "x" must be an object with info(), warn() and error()',
    ],
    [list(text()), ['a', { length: 0 }], 'option "x" must be a list, each a string that is not blank'],
    [group<object>()({}), [1, null, [], 'a'], 'option "x" must be an object'],
  ])('rejects what it does not name: %#', (option, values, message) => {
    for (const value of values) {
      expect(() => read(option, value)).toThrow(expect.failure('app.invalid_configuration', message));
    }
  });

  it('trims a string', () => {
    expect(read(text(), ' orders ')).toBe('orders');
  });

  it('names the member of a list that is wrong', () => {
    expect(() => read(list(text()), ['a', 2])).toThrow(expect.failure('app.invalid_configuration', 'option "x[1]"'));
    expect(() => read(list(text()), [undefined])).toThrow(expect.failure('app.invalid_configuration', 'option "x[0]"'));
  });

  it('keeps the reason of a parser', () => {
    const origin = parsed('an origin', (_value, name) => {
      throw new FrameworkError('app.invalid_configuration', `framework: option "${name}" has no scheme`);
    });
    expect(() => read(origin, 'a.example')).toThrow(expect.failure('app.invalid_configuration', 'option "x"'));
  });
});

describe('omitted values', () => {
  interface Retry {
    readonly attempts?: number;
    readonly strategy: string;
    readonly clock?: Clock;
  }
  const RETRY = defineOptions<Retry>()({
    attempts: integer(1, 10).default(3),
    strategy: text().required(),
    clock: withMethods<Clock>('now'),
  });

  it('is the default, or undefined', () => {
    const { attempts, strategy, clock: none } = RETRY.parse({ strategy: 's' });
    const typed: [number, string, Clock | undefined] = [attempts, strategy, none];
    expect(typed).toEqual([3, 's', undefined]);
  });

  it('is used for an explicit undefined too', () => {
    expect(RETRY.parse({ strategy: 's', attempts: undefined } as never).attempts).toBe(3);
  });

  it('is rejected where it is needed', () => {
    expect(() => RETRY.parse({} as Retry)).toThrow(expect.failure('app.invalid_configuration', 'option "strategy"'));
    expect(() => RETRY.parse(undefined)).toThrow(expect.failure('app.invalid_configuration', 'option "strategy"'));
  });
});

describe('a set', () => {
  const SET = defineOptions<{ a?: boolean; inner?: { b?: number } }>()({
    a: boolean,
    inner: group<{ b?: number }>()({ b: integer(0, 5).default(1) }),
  });

  it.each([
    [{ c: 'secret' }, 'unknown option "c"; known are a, inner'],
    [{ inner: { c: 1 } }, 'unknown option "inner.c"; known are b'],
    [{ inner: { b: 9 } }, 'option "inner.b" must be a whole number from 0 to 5'],
    [{ [Symbol('s')]: 1 }, 'unknown option "Symbol(s)"; known are a, inner'],
    [JSON.parse('{"__proto__":{"a":true}}'), 'unknown option "__proto__"; known are a, inner'],
    [null, 'options must be an object'],
    [[], 'options must be an object'],
    ['a', 'options must be an object'],
  ])('rejects %j', (options, message) => {
    expect(() => SET.parse(options as never)).toThrow(expect.failure('app.invalid_configuration', message));
  });

  it('reads own members only, and returns a copy without inherited members', () => {
    const given = Object.create({ a: true }) as { a?: boolean };
    const options = SET.parse(given);
    expect(options.a).toBeUndefined();
    expect('toString' in options).toBe(false);
    expect(SET.parse({ inner: {} }).inner).toMatchObject({ b: 1 });
  });

  it('uses the error strings that it is given', () => {
    const own = defineOptions<{ a?: boolean }>()({ a: boolean }, { fail: (problem) => new RangeError(problem) });
    expect(() => own.parse({ a: 1 as never })).toThrow(new RangeError('option "a" must be true or false'));
  });
});

describe('an option with a variable', () => {
  interface Table {
    readonly tableName?: string;
    readonly environment?: NodeJS.ProcessEnv;
  }
  const TABLE = defineOptions<Table>()({
    tableName: text('the name of the table').orVariable('JOBS_TABLE'),
    environment: kind<NodeJS.ProcessEnv>('an object', (value) => typeof value === 'object' && value !== null),
  });

  it.each([
    [{ tableName: 'own', environment: { JOBS_TABLE: 'variable' } }, 'own'],
    [{ environment: { JOBS_TABLE: ' variable ' } }, 'variable'],
  ])('prefers the option to the variable: %j', (options, expected) => {
    expect(TABLE.parse(options).tableName).toBe(expected);
  });

  it.each([[{ environment: {} }], [{ environment: { JOBS_TABLE: ' ' } }]])(
    'names both without either: %j',
    (options) => {
      expect(() => TABLE.parse(options)).toThrow(
        expect.failure('app.invalid_configuration', 'option "tableName" or the variable JOBS_TABLE'),
      );
    },
  );
});
