import { bindLogger, parseLog } from '../src/internal.js';
import { createDefaultLogger } from '../src/observability/default-logger.js';
import { createLogger, sanitizeValue } from '../src/observability.js';
import { isSecretKey } from '../src/sanitize/internal/light.js';
import { ManualClock } from '../src/testing.js';

const LAMBDA = { AWS_LAMBDA_FUNCTION_NAME: 'orders', AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001' };
const BOUND = {
  request_id: 'req-1',
  trace_id: '',
  tenant_id: 't1',
  trigger: 'gateway-v2',
  route: '/x',
  function_name: 'orders',
  function_version: '7',
};

function setup(environment: Readonly<Record<string, string>> = LAMBDA) {
  const raw: string[] = [];
  const log = createDefaultLogger(environment, (line) => raw.push(line));
  return { log, raw, line: (n = 0) => JSON.parse(raw[n] ?? 'null') as Record<string, unknown> };
}

describe('the level of the default logger', () => {
  it.each([
    ['on Lambda', LAMBDA, ['info', 'warn', 'error']],
    ['on Lambda at DEBUG', { ...LAMBDA, AWS_LAMBDA_LOG_LEVEL: 'DEBUG' }, ['debug', 'info', 'warn', 'error']],
    ['on Lambda at TRACE', { ...LAMBDA, AWS_LAMBDA_LOG_LEVEL: 'TRACE' }, ['debug', 'info', 'warn', 'error']],
    ['on Lambda at WARN', { ...LAMBDA, AWS_LAMBDA_LOG_LEVEL: 'WARN' }, ['warn', 'error']],
    ['on Lambda at FATAL', { ...LAMBDA, AWS_LAMBDA_LOG_LEVEL: 'FATAL' }, ['error']],
    ['on Lambda at a level of no name', { ...LAMBDA, AWS_LAMBDA_LOG_LEVEL: 'constructor' }, ['info', 'warn', 'error']],
    ['on Lambda at SILENT', { ...LAMBDA, AWS_LAMBDA_LOG_LEVEL: 'SILENT' }, ['info', 'warn', 'error']],
    ['elsewhere', {}, ['error']],
    ['elsewhere, whatever the variable says', { AWS_LAMBDA_LOG_LEVEL: 'DEBUG' }, ['error']],
    ['with a function name alone', { AWS_LAMBDA_FUNCTION_NAME: 'orders' }, ['error']],
  ])('%s', (_, environment, levels) => {
    const { log, raw } = setup(environment);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level);
    expect(raw.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual(levels);
    expect((['debug', 'info', 'warn', 'error'] as const).filter((level) => log.isEnabled(level))).toEqual(levels);
  });
});

describe('a line of the default logger', () => {
  it('is the line that createLogger writes, key for key', () => {
    const { log, raw } = setup();
    const full: string[] = [];
    const other = createLogger({
      clock: new ManualClock(),
      environment: LAMBDA,
      stacks: false,
      write: (line) => full.push(line),
    });
    const error = Object.assign(new Error('no', { cause: new Error('disk') }), { code: 'E_X', status: 502, stack: 7 });
    (error.cause as { stack: unknown }).stack = 7;
    for (const logger of [log, other]) {
      bindLogger(logger.with({ app: 'a', n: 1 }), { ...BOUND }, () => undefined).error('failed', {
        level: 'x',
        _aws: { CloudWatchMetrics: [] },
        list: [1, true, null, 'x', { deep: { at: new Date(0) } }],
        when: new Date(0),
        bytes: new Uint8Array(3),
        fn: () => {},
        gone: undefined,
        n: 2,
        error,
      });
    }
    const shown = raw[0]?.replace(/"timestamp":"[^"]*"/, '"timestamp":"1970-01-01T00:00:00.000Z"');
    expect(shown).toBe(full[0]);
    expect(shown).toBe(
      '{"timestamp":"1970-01-01T00:00:00.000Z","level":"ERROR","message":"failed","service":"orders","request_id":"req-1",' +
        '"tenant_id":"t1","trigger":"gateway-v2","route":"/x","function_name":"orders","function_version":"7","app":"a",' +
        '"n":2,"field_level":"x","field__aws":{"CloudWatchMetrics":[]},"list":[1,true,null,"x",{"deep":{"at":' +
        '"1970-01-01T00:00:00.000Z"}}],"when":"1970-01-01T00:00:00.000Z","bytes":"[3 bytes]","fn":"[function]","error":' +
        '{"name":"Error","message":"no","code":"E_X","status":502,"cause":{"name":"Error","message":"disk"}}}',
    );
  });

  it('has the frames of an error and of its causes, bounded', () => {
    const { log, line } = setup();
    const deep = Array.from({ length: 9 }).reduce<Error>(
      (cause, _, n) => new Error(`e${n}`, { cause }),
      new Error('root'),
    );
    log.error('failed', { error: deep });
    const { error } = line() as { error: { stack: string[]; cause: object } };
    expect(error.stack[0]).toMatch(/^at .*default-logger\.test\.ts/);
    expect(error.stack.length).toBeLessThanOrEqual(20);
    let depth = 0;
    for (let at: unknown = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause)
      depth += 1;
    expect(depth).toBe(6);
  });

  it('is written before the call returns, so that it is out before the environment freezes', () => {
    const { log, raw } = setup();
    log.info('now');
    expect(raw).toHaveLength(1);
  });

  it.each([
    ['a thrown text', 'oops', { name: 'NonError', message: 'string', value: 'oops' }],
    ['a number', 7, { name: 'NonError', message: 'number', value: 7 }],
    ['null', null, { name: 'NonError', message: 'null', value: null }],
    ['a revoked proxy', revoked(), { name: 'NonError', message: 'object', value: '[unreadable]' }],
    [
      'getters that throw',
      Object.defineProperties(new Error('x'), { stack: { get: fail }, message: { get: fail }, cause: { get: fail } }),
      {
        name: 'Error',
        message: '[unreadable]',
        stack: [],
        cause: { name: 'NonError', message: 'string', value: '[unreadable]' },
      },
    ],
  ])('describes %s', (_, error, expected) => {
    const { log, line } = setup();
    log.error('failed', { error });
    expect(line().error).toEqual(expected);
  });

  it.each([
    ['a cycle', cyclic()],
    ['ten thousand levels', nested(10_000)],
    ['a hundred thousand members', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]))],
    ['a getter that throws', Object.defineProperty({ b: 1 }, 'a', { get: fail, enumerable: true })],
    ['toJSON that throws', { toJSON: fail }],
    ['a proxy that was revoked', revoked()],
    ['ten megabytes of text', 'x'.repeat(10_000_000)],
    ['a bigint', 2n ** 4000n],
    ['long texts in three bytes', Array.from({ length: 500 }, () => '\u20ac'.repeat(5000))],
  ])('is bounded and no throw: %s', (_, value) => {
    const { log, raw, line } = setup();
    log.info('hostile', { value });
    log.info('hostile', value as never);
    log.with(value as never).info('hostile');
    expect(raw).toHaveLength(3);
    for (const text of raw) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(262_144);
    expect(line()).toMatchObject({ level: 'INFO', message: 'hostile' });
  });

  it('cannot be broken, hidden or reordered by what it holds', () => {
    const { log, raw } = setup();
    log.info('a\nb\u2028\u0085\u202e', { 'k\r\n': '\u001b[2J\u2029' });
    expect(raw[0]).toMatch(/^[\x20-\x7e]+$/);
  });

  it.each([
    ['throws', fail],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['never answers', () => new Promise(() => {})],
  ])('does not reach the caller when standard output %s', (_, write) => {
    expect(() => createDefaultLogger(LAMBDA, write).error('failed', { error: new Error('x') })).not.toThrow();
  });
});

describe('what the default logger leaves out', () => {
  const SECRET = 'hunter2-0123456789';

  it.each([
    ['Bearer', `authorization failed for Bearer ${SECRET}`],
    ['Basic', `Basic ${SECRET}`],
    ['an assignment', `password=${SECRET}`],
    ['an assignment with blanks', `the password : ${SECRET} is wrong`],
    ['JSON', `{"user":"u","clientSecret":"${SECRET}"}`],
    ['JSON with blanks', `{ "api_key" : "${SECRET}" }`],
    ['a query', `GET https://x.example/?a=1&access_token=${SECRET}`],
    ['a signature', `https://b.example/k?X-Amz-Signature=abc&X-Amz-Security-Token=${SECRET}`],
    ['user info', `postgres://user:${SECRET}@db.example/x`],
    ['a header', `authorization: ${SECRET}`],
    ['a cookie', `set-cookie: session=${SECRET}`],
    ['a private key', `-----BEGIN PRIVATE KEY-----\n${SECRET}`],
    ['a token', `eyJhbGciOiJIUzI1NiJ9.${SECRET}.x`],
    ['a key id', 'AKIAIOSFODNN7EXAMPLE hunter', 'AKIAIOSFODNN7EXAMPLE'],
    ['an address', 'mail to jane.doe@mail.example', 'jane.doe'],
    ['a social security number', 'ssn 123-45-6789', '45-6789'],
    ['a card', 'card 4111 1111 1111 1111 declined', '1111'],
    ['a card without blanks', '4111111111111111', '4111'],
  ])('in a string: %s', (_, text, secret = SECRET) => {
    const { log, raw } = setup();
    log.error(text, { error: new Error(text, { cause: new Error(text) }), text, nested: [{ text }], [text]: 1 });
    log.with({ text }).info('x');
    for (const line of raw) expect(line).not.toContain(secret);
  });

  it('under every key that the whole sanitizer redacts or masks', () => {
    const keys =
      'password passwd pwd passphrase pin otp secret private_key secret_key signing_key encryption_key token access_token ' +
      'refresh_token id_token session_token security_token jwt client_secret client_assertion code_verifier api_key ' +
      'api_token x_api_key authorization authorization_header authorization_id proxy_authorization cookie set_cookie ' +
      'credential credentials connection_string cvv cvv2 cvc cvc2 security_code cardholder cardholder_name card_number ' +
      'pan pan_value primary_account_number ssn tin tax_id ein api_key_id account_number foo_token myPasswordHash ' +
      'authCode masterKey sharedKeys X-Amz-Security-Token JWTToken';
    for (const key of keys.split(' ')) {
      const spellings = [key, key.replaceAll('_', '-'), key.replaceAll('_', ''), key.toUpperCase(), `${key}s`];
      for (const name of spellings) {
        const whole = JSON.stringify(sanitizeValue({ [name]: SECRET }));
        if (!whole.includes(SECRET)) expect([name, isSecretKey(name)]).toEqual([name, true]);
      }
    }
  });

  it('but not under keys that only look so', () => {
    const { log, line } = setup();
    const fields = {
      max_tokens: 5,
      token_type: 'Bearer',
      monkey: 'a',
      secretary: 'b',
      key: 'c',
      code: 'd',
      pinned: 'e',
    };
    log.info('fine: key=c, code: ECONNRESET', fields);
    expect(line()).toMatchObject({ ...fields, message: 'fine: key=c, code: ECONNRESET' });
  });

  it.each(['a', 'a.', 'a@', '1 ', '://', '"', 'basic ', '-----BEGIN'])('needs linear time for repeated %j', (part) => {
    const { log } = setup();
    const cpu = (lines: number, text: string) => {
      const before = process.cpuUsage();
      for (let line = 0; line < lines; line += 1) log.info(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const best = (lines: number, text: string) => Math.min(...[1, 2, 3].map(() => cpu(lines, text)));
    const [short, long] = [part.repeat(4000), part.repeat(128_000)];
    cpu(32, short);
    // As many characters either way: linear is about 1, quadratic 32.
    expect(best(1, long) / best(32, short)).toBeLessThan(8);
  });
});

describe('the option log', () => {
  it.each([
    ['console', console],
    ['pino', { debug() {}, info() {}, warn() {}, error() {}, child() {}, isLevelEnabled: () => true }],
    ['Powertools', { debug() {}, info() {}, warn() {}, error() {}, appendKeys() {}, getLevelName: () => 'INFO' }],
    ['true', true],
    ['null', null],
    ['a function', () => {}],
    ['a text', 'info'],
  ])('is rejected with a hint at the adapters: %s', (_, log) => {
    expect(() => parseLog(log, {})).toThrow(
      /option "log" must be false or a Logger: .*fromConsole\(\).*core\/log-adapters/,
    );
  });

  it('is silence when it is false', () => {
    expect(parseLog(false, LAMBDA).isEnabled('error')).toBe(false);
  });
});

function fail(): never {
  throw new Error('hostile');
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic(): object {
  const object: Record<string, unknown> = {};
  object.self = [object];
  return object;
}

function nested(levels: number): object {
  let object: object = {};
  for (let level = 0; level < levels; level += 1) object = { object };
  return object;
}
