import { FrameworkError } from '../src/errors/errors.js';
import { createLogger, sanitizeError, sanitizeValue } from '../src/observability.js';

const plain = (error: unknown) => sanitizeError(error, { stack: false });

describe('sanitizeError', () => {
  it.each<[string, unknown, unknown]>([
    ['an error', new TypeError('password=x'), { name: 'TypeError', message: 'password=[REDACTED]' }],
    [
      'a framework error',
      new FrameworkError('app.conflict', 'no', { details: { secret: 'x' } }),
      { name: 'FrameworkError', message: 'no', code: 'app.conflict', status: 409 },
    ],
    [
      'a system error',
      Object.assign(new Error('x'), { code: 'ENOENT', path: '/secret' }),
      { name: 'Error', message: 'x', code: 'ENOENT' },
    ],
    [
      'an SDK error',
      Object.assign(new Error('x'), {
        $metadata: { requestId: 'r-1', httpStatusCode: 400, attempts: 3 },
        $response: {},
      }),
      { name: 'Error', message: 'x', metadata: { request_id: 'r-1', http_status_code: 400 } },
    ],
    [
      'an error with a status',
      Object.assign(new Error('x'), { statusCode: 502 }),
      { name: 'Error', message: 'x', status: 502 },
    ],
    [
      'an error whose status is text, which is not taken',
      Object.assign(new Error('x'), { status: 'secret' }),
      { name: 'Error', message: 'x' },
    ],
    [
      'a foreign error with issues, which are not taken',
      Object.assign(new Error('x'), { errors: ['secret'] }),
      { name: 'Error', message: 'x' },
    ],
    ['text', 'secret=x', { name: 'NonError', message: 'string', value: 'secret=[REDACTED]' }],
    ['nothing', undefined, { name: 'NonError', message: 'undefined', value: undefined }],
    ['null', null, { name: 'NonError', message: 'null', value: null }],
    ['an object', { token: 'x' }, { name: 'NonError', message: 'object', value: { token: '[REDACTED]' } }],
    [
      'a cause',
      new Error('a', { cause: new RangeError('b', { cause: 'c' }) }),
      {
        name: 'Error',
        message: 'a',
        cause: { name: 'RangeError', message: 'b', cause: { name: 'NonError', message: 'string', value: 'c' } },
      },
    ],
    [
      'an aggregate',
      new AggregateError([new Error('a'), 5], 'all'),
      {
        name: 'AggregateError',
        message: 'all',
        errors: [
          { name: 'Error', message: 'a' },
          { name: 'NonError', message: 'number', value: 5 },
        ],
      },
    ],
  ])('describes %s', (_, error, expected) => {
    expect(plain(error)).toEqual(expected);
  });

  it('shows at most 30 frames, without the message', () => {
    const error = new Error('line one\n    at forged (x)');
    error.stack = `Error: m\n${Array.from({ length: 50 }, (_, n) => `    at f${n} (file.ts:${n}:1)`).join('\n')}`;
    const { stack } = sanitizeError(error) as { stack: string[] };
    expect(stack).toHaveLength(30);
    expect(stack[0]).toBe('at f0 (file.ts:0:1)');
  });

  it('follows causes five deep, sees a cycle, and shows ten of many errors', () => {
    let error = new Error('0');
    for (let level = 1; level <= 8; level += 1) error = new Error(String(level), { cause: error });
    const text = JSON.stringify(plain(error));
    expect(text).toContain('"message":"3","cause":"[depth]"');
    const cycle = new Error('a');
    cycle.cause = cycle;
    expect(plain(cycle)).toEqual({ name: 'Error', message: 'a', cause: '[circular]' });
    const many = plain(
      new AggregateError(
        Array.from({ length: 12 }, () => new Error('e')),
        'm',
      ),
    ) as { errors: unknown[] };
    expect(many.errors).toHaveLength(11);
    expect(many.errors[10]).toBe('[+2]');
  });

  it('remains bounded for aggregates within aggregates', () => {
    let error: Error = new Error('leaf');
    for (let level = 0; level < 7; level += 1)
      error = new AggregateError(
        Array.from({ length: 10 }, () => error),
        'm',
      );
    expect(JSON.stringify(plain(error)).length).toBeLessThan(2_000_000);
  });

  it('accepts an error whose members throw when they are read', () => {
    const hostile = new Error('x');
    // The stack first: to replace it, Node 20 writes it out, and reads name and message for that.
    for (const key of ['stack', 'name', 'message', 'code', 'cause', '$metadata']) {
      Object.defineProperty(hostile, key, {
        get() {
          throw new Error('secret');
        },
      });
    }
    expect(sanitizeError(hostile)).toEqual({ name: 'Error', message: '[unreadable]' });
    expect(() =>
      sanitizeError(
        new Proxy(new Error('x'), {
          getPrototypeOf: () => {
            throw new Error('y');
          },
        }),
      ),
    ).not.toThrow();
  });

  it('is the form of an error inside a value', () => {
    const { e } = sanitizeValue({ e: new Error('token=x') }) as { e: Record<string, unknown> };
    expect([e.name, e.message]).toEqual(['Error', 'token=[REDACTED]']);
  });

  it('keeps the cause for the log: the answer never sees it', () => {
    const lines: string[] = [];
    const error = new FrameworkError('app.internal', undefined, { cause: new Error('connection to 10.0.0.1 refused') });
    createLogger({ write: (line) => lines.push(line), environment: {} }).error('failed', { error });
    expect(lines[0]).toContain('connection to 10.0.0.1 refused');
    expect(JSON.stringify({ ...error })).not.toContain('refused');
  });
});
