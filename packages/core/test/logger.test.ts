import { bindLogger, RequestContext } from '../src/internal.js';
import type { BoundFields } from '../src/observability/bound-log.js';
import type { Logger } from '../src/observability/hooks.js';
import { createLogger, createSanitizer, type LoggerOptions, recordLog } from '../src/observability.js';
import { ManualClock } from '../src/testing.js';
import { requestState } from './support.js';

function capture(options: LoggerOptions = {}) {
  const raw: string[] = [];
  const log = createLogger({
    service: 'shop',
    clock: new ManualClock(),
    environment: {},
    stacks: false,
    write: (line) => raw.push(line),
    ...options,
  });
  return { raw, log, lines: () => raw.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const HEAD = { timestamp: '1970-01-01T00:00:00.000Z', level: 'INFO', message: 'm', service: 'shop' };
const bound: BoundFields = {
  request_id: 'r-1',
  trace_id: '',
  tenant_id: 't-1',
  trigger: 'queue',
  source: 'orders',
  function_name: 'fn',
  function_version: '1',
};
const bind = (log: Logger, fields: BoundFields = { ...bound }) => bindLogger(log, fields, () => undefined);

describe('line', () => {
  it('has its keys in a fixed order', () => {
    const { raw, log } = capture({ fields: { a: 1 } });
    bind(log)
      .with({ b: 2 })
      .info('m', { error: new Error('x'), c: 3 });
    expect(raw).toEqual([
      '{"timestamp":"1970-01-01T00:00:00.000Z","level":"INFO","message":"m","service":"shop","request_id":"r-1","tenant_id":"t-1",' +
        '"trigger":"queue","source":"orders","function_name":"fn","function_version":"1","a":1,"b":2,"c":3,"error":{"name":"Error","message":"x"}}',
    ]);
  });

  it('lets later fields win and keeps zero, false and empty text', () => {
    const { log, lines } = capture({ fields: { a: 1, z: 0 } });
    log.with({ a: 2, f: false }).info('m', { a: 3, e: '', n: null, u: undefined });
    expect(lines()).toEqual([{ ...HEAD, a: 3, z: 0, f: false, e: '', n: null }]);
  });

  it.each([
    'timestamp',
    'level',
    'message',
    'service',
    'request_id',
    'trace_id',
    'tenant_id',
    'trigger',
    'route',
    'source',
    'function_name',
    'function_version',
  ])('does not let a field forge %s', (name) => {
    const { log, lines } = capture();
    bind(log)
      .with({ [name]: 'forged' })
      .info('m', { [`${name}\u200e`]: 'forged too' });
    const [line] = lines();
    expect(line).toMatchObject({ level: 'INFO', message: 'm', service: 'shop', request_id: 'r-1', tenant_id: 't-1' });
    expect(line?.[`field_${name}`]).toBe('forged too');
  });

  it('sanitizes message and fields', () => {
    const { log, lines } = capture();
    log.info('password=hunter2', { token: 'x', card_number: '4111111111111111', __proto__x: 1 });
    expect(lines()).toEqual([
      { ...HEAD, message: 'password=[REDACTED]', token: '[REDACTED]', card_number: '411111******1111', __proto__x: 1 },
    ]);
  });

  it('uses the sanitizer that it is given', () => {
    const { log, lines } = capture({ sanitizer: createSanitizer({ redact: ['nick'] }) });
    log.info('nick=bob', { nick: 'bob' });
    expect(lines()).toEqual([{ ...HEAD, message: 'nick=[REDACTED]', nick: '[REDACTED]' }]);
  });

  it('cuts a message at 8 KiB', () => {
    const { log, lines } = capture();
    log.info('x'.repeat(10_000));
    expect(lines()[0]?.message).toBe(`${'x'.repeat(8192)}…[+1808]`);
  });

  it('cannot be broken, hidden or reordered by anything in it', () => {
    const evil = 'a\r\n{"level":"ERROR"}\u2028\u2029\u0085\u001b[2J\u202e\u2066\ufeff\u007f';
    const { raw, log } = capture();
    bind(log, { ...bound, request_id: evil, tenant_id: evil }).info(evil, {
      [evil]: evil,
      nested: { [evil]: [evil] },
      error: new Error(evil),
    });
    expect(raw).toHaveLength(1);
    for (const character of [...evil.replace(/[ -~]/g, '')]) expect(raw[0]).not.toContain(character);
    expect((JSON.parse(raw[0] ?? '') as { level: string }).level).toBe('INFO');
  });
});

describe('errors', () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ['the field error', { error: new Error('a') }, { name: 'Error', message: 'a' }],
    ['a field that is an error', { cause: new Error('b') }, { name: 'Error', message: 'b' }],
    ['a thrown text', { error: 'boom' }, { name: 'NonError', message: 'string', value: 'boom' }],
    ['no error', { error: null }, null],
  ])('come from %s', (_, fields, expected) => {
    const { log, lines } = capture();
    log.error('m', fields);
    expect(lines()[0]?.error).toEqual(expected);
  });

  it('show their frames unless stacks are off', () => {
    const { log, lines } = capture({ stacks: true });
    log.error('m', { error: new Error('a') });
    expect(lines()[0]).toMatchObject({ error: { stack: expect.arrayContaining([expect.stringMatching(/^at /)]) } });
  });
});

describe('bounds', () => {
  it('removes the largest fields when a line exceeds 256 KiB', () => {
    const { raw, log, lines } = capture();
    const large = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, `${n}${'x'.repeat(8000)}`]));
    log.info('m', { ...large, list: Array.from({ length: 100 }, () => 'y'.repeat(8000)), small: 1 });
    expect(Buffer.byteLength(`${raw[0]}\n`)).toBeLessThanOrEqual(262_144);
    expect(lines()[0]).toMatchObject({ small: 1, truncated: true, list: '[800301 bytes]' });
    expect(lines()[0]?.k1).toMatch(/^1x/);
  });

  it('writes 200 fields at most, and a line of any other size whole', () => {
    const { lines, log } = capture();
    log.info('m', Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n])));
    expect(Object.keys(lines()[0] ?? {})).toHaveLength(205);
    expect(lines()[0]).not.toHaveProperty('truncated');
  });

  it('writes a line whose fields cannot be read', () => {
    const { lines, log } = capture();
    const fields = {
      get bad(): never {
        throw new Error('x');
      },
      big: 1n,
      list: [() => 1],
    };
    log.with(fields).info('m', fields);
    log.info(Object.create(null) as string);
    log.info(undefined as unknown as string);
    expect(lines()).toEqual([
      { ...HEAD, bad: '[unreadable]', big: '1', list: ['[function]'] },
      { ...HEAD, message: '{}' },
      { ...HEAD, message: 'null' },
    ]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
  ])('continues if write %s', (_, write) => {
    const { log } = capture({ write });
    expect(() => log.error('m')).not.toThrow();
  });
});

describe('level', () => {
  it.each<[LoggerOptions, string[]]>([
    [{}, ['INFO', 'WARN', 'ERROR']],
    [{ level: 'debug' }, ['DEBUG', 'INFO', 'WARN', 'ERROR']],
    [{ level: 'error' }, ['ERROR']],
    [{ level: 'silent' }, []],
    [{ environment: { AWS_LAMBDA_LOG_LEVEL: 'TRACE' } }, ['DEBUG', 'INFO', 'WARN', 'ERROR']],
    [{ environment: { AWS_LAMBDA_LOG_LEVEL: 'warn' } }, ['WARN', 'ERROR']],
    [{ environment: { AWS_LAMBDA_LOG_LEVEL: 'FATAL' } }, ['ERROR']],
    [{ environment: { AWS_LAMBDA_LOG_LEVEL: 'loud' } }, ['INFO', 'WARN', 'ERROR']],
    [{ environment: { AWS_LAMBDA_LOG_LEVEL: 'constructor' } }, ['INFO', 'WARN', 'ERROR']],
    [{ level: 'warn', environment: { AWS_LAMBDA_LOG_LEVEL: 'DEBUG' } }, ['WARN', 'ERROR']],
  ])('of %j writes %j', (options, expected) => {
    const { log, lines } = capture(options);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('m');
    expect(lines().map(({ level }) => level)).toEqual(expected);
    expect(
      (['debug', 'info', 'warn', 'error'] as const)
        .filter((level) => log.isEnabled(level))
        .map((level) => level.toUpperCase()),
    ).toEqual(expected);
  });

  it('costs nothing when it is off: fields are not read', () => {
    const { log } = capture({ level: 'silent' });
    let read = 0;
    log.error('m', {
      get a() {
        read += 1;
        return 1;
      },
    });
    expect(read).toBe(0);
  });

  it.each([
    [{ level: 'loud' }, 'option "level" must be "debug", "info", "warn", "error" or "silent"'],
    [{ levle: 'info' }, 'unknown option "levle"'],
    [{ service: 5 }, 'option "service" must be a string'],
    [{ fields: null }, 'option "fields" must be an object'],
    [{ write: {} }, 'option "write" must be a function'],
    [{ clock: {} }, 'option "clock" must be an object with now()'],
    [
      { sanitizer: {} },
      'option "sanitizer" must be an object with sanitizeValue(), scrubFreeText() and sanitizeError()',
    ],
    [{ sinks: [{}] }, 'option "sinks[0]" must be an object with take()'],
  ])('rejects %j', (options, message) => {
    expect(() => createLogger(options as never)).toThrow(expect.failure('app.invalid_configuration', message));
  });
});

it('is immutable: with returns a new logger', () => {
  const { log, lines } = capture();
  log.with({ a: 1 });
  log.info('m');
  expect(lines()).toEqual([HEAD]);
});

it('uses the function name as service, and writes to standard output', () => {
  const { log, lines } = capture({ service: undefined as never, environment: { AWS_LAMBDA_FUNCTION_NAME: 'fn' } });
  log.info('m');
  expect(lines()[0]?.service).toBe('fn');
  const written: unknown[] = [];
  const spy = import.meta.jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(chunk) > 0);
  createLogger({ environment: {}, clock: new ManualClock() }).info('m');
  spy.mockRestore();
  expect(written).toEqual(['{"timestamp":"1970-01-01T00:00:00.000Z","level":"INFO","message":"m","service":""}\n']);
});

describe('ctx.log', () => {
  it('reads what becomes known later at each line', () => {
    const { log, lines } = capture();
    const state = requestState({ log, lambda: { functionName: 'fn', functionVersion: '3' } });
    const ctx = new RequestContext(state);
    ctx.log.info('m');
    state.tenantId = 't-9';
    state.route = { surface: 'http', method: 'GET', pattern: '/users/{id}' };
    ctx.log.info('m', { request_id: 'forged' });
    const common = { ...HEAD, request_id: 'req-1', trigger: 'gateway-v2', function_name: 'fn', function_version: '3' };
    expect(lines()).toEqual([
      common,
      { ...common, tenant_id: 't-9', route: '/users/{id}', field_request_id: 'forged' },
    ]);
  });

  it('keeps 50 interleaved invocations apart', async () => {
    const { log, lines } = capture();
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const state = requestState({ log, tenant: `t-${n}` });
        state.requestId = `r-${n}`;
        const ctx = new RequestContext(state);
        for (let step = 0; step < 3; step += 1) {
          await new Promise(setImmediate);
          ctx.log.info(`m-${n}`);
        }
      }),
    );
    expect(lines()).toHaveLength(150);
    for (const { message, request_id, tenant_id } of lines()) {
      const n = String(message).slice(2);
      expect([request_id, tenant_id]).toEqual([`r-${n}`, `t-${n}`]);
    }
  });
});

describe('recordLog', () => {
  it('writes a record as a line, its ids where a context has them', () => {
    const { log, lines } = capture();
    const hook = recordLog(log);
    hook({
      level: 'warn',
      event: 'request.completed',
      trigger: 'gateway-v2',
      request_id: 'r',
      trace_id: '',
      route: '/x',
      status: 404,
    });
    hook({ level: 'debug', event: 'event.completed' });
    expect(lines()).toEqual([
      {
        ...HEAD,
        level: 'WARN',
        message: 'request.completed',
        request_id: 'r',
        trigger: 'gateway-v2',
        route: '/x',
        status: 404,
      },
    ]);
  });
});
