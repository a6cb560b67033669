import fc from 'fast-check';
import {
  createSanitizer,
  isSensitiveKey,
  sanitizeFieldValue,
  sanitizeJson,
  sanitizeValue,
} from '../src/observability.js';

/** Copies have no prototype; comparing by JSON shows keys and order. */
const clean = (value: unknown) => JSON.stringify(sanitizeValue(value));

describe('keys', () => {
  it.each([
    'tokens',
    'token',
    'jwt',
    'JWTToken',
    'set-cookie',
    'Set_Cookie',
    'setCookie',
    'SET.COOKIE',
    ' cookie ',
    'cookies',
    'credential',
    'credentials',
    'x-api-key',
    'X_API_KEY',
    'apiKey',
    'api key',
    'tokenId',
    'authorization_id',
    'password',
    'PASSWORD',
    'passwords',
    'pwd',
    'passphrase',
    'pin',
    'otp',
    'secret',
    'private_key',
    'signingKey',
    'encryption-key',
    'clientSecret',
    'client_assertion',
    'codeVerifier',
    'connectionString',
    'cvv',
    'cvv2',
    'CVC',
    'securityCode',
    'cardholder',
    'cardholderName',
    'proxy-authorization',
    'foo_token',
    'myPasswordHash',
    'authCode',
    'auth_code',
    'masterKey',
    'sharedKeys',
    'accessKeyId',
    'HTTPSecret',
    'v1Token',
    'refreshTokens',
    'pass\u200eword',
    'to\u0000ken',
  ])('redacts values under %j', (key) => {
    expect(sanitizeFieldValue(key, 'value-1')).toBe('[REDACTED]');
    expect(isSensitiveKey(key.replaceAll('\u0000', '').replaceAll('\u200e', ''))).toBe(true);
  });

  it.each([
    'secretary',
    'tokenization_method',
    'monkey',
    'keyboard',
    'key',
    'code',
    'postcode',
    'author',
    'cookieless',
    'company',
    'span',
    'passenger',
    'transaction_id',
    'token_type',
    'tokenType',
    'card_brand',
    'mid',
    'tid',
    'terminalId',
    'private',
    'keys',
    'primary_key',
    'number',
    '__proto__',
    'constructor',
    'toString',
    '',
  ])('keeps values under %j', (key) => {
    expect(sanitizeFieldValue(key, 'value-1')).toBe('value-1');
  });

  it.each<[string, unknown, unknown]>([
    ['max_tokens', 5, 5],
    ['prompt_tokens', 0, 0],
    ['maxTokens', 7.5, 7.5],
    ['max_tokens', '5', '[REDACTED]'],
    ['max_tokens', Number.NaN, '[REDACTED]'],
    ['tokens', 5, '[REDACTED]'],
    ['secret_tokens', 5, '[REDACTED]'],
    ['max_token', 5, '[REDACTED]'],
    ['password', null, '[REDACTED]'],
    ['password', { a: 1 }, '[REDACTED]'],
    ['password', [1, 2], '[REDACTED]'],
    ['password', undefined, undefined],
    ['card_number', '4111 1111 1111 1111', '411111******1111'],
    ['cardNumber', 4111111111111111, '411111******1111'],
    ['pan', 4111111111111111n, '411111******1111'],
    ['pan', '12345678901', '*******8901'],
    ['pan', '12345', '****'],
    ['pan', 'none', '[REDACTED]'],
    ['pan', true, '[REDACTED]'],
    ['pan', { value: '4111111111111111' }, '[REDACTED]'],
    ['pan', ['4111111111111111', { a: 1 }], ['411111******1111', '[REDACTED]']],
    ['number', '123456789012', '********9012'],
    ['number', '12345678901', '12345678901'],
    ['number', { a: 1 }, { a: 1 }],
    ['ssn', '123-45-6789', '*****6789'],
    ['tax_id', '1234567', '[REDACTED]'],
    ['tax_id', 'ABCDEFGHIJK', '[REDACTED]'],
    ['tin', 12345678, '****5678'],
    ['api_key_id', '1234567890', '******7890'],
    ['account_number', '4111111111111111', '************1111'],
  ])('writes %j: %p as %j', (key, value, expected) => {
    expect(sanitizeFieldValue(key, value)).toEqual(expected);
  });

  it.each(['cardWithPanDetails', 'card_pan_details', 'PanDetails'])(
    'treats an account number inside %s as a card number',
    (parent) => {
      expect(clean({ [parent]: { account_number: '4111111111111111' } })).toBe(
        `{"${parent}":{"account_number":"411111******1111"}}`,
      );
      expect(clean({ [parent]: [{ accountNumber: '4111111111111111' }] })).toContain('411111******1111');
    },
  );

  it('cleans keys too: control characters out, scrubbed, cut at 128', () => {
    expect(clean({ 'a\u2028b\r\n': 1, 'alice@example.com': 2, ['k'.repeat(200)]: 3 })).toBe(
      `{"ab":1,"[REDACTED]":2,"${'k'.repeat(128)}":3}`,
    );
  });
});

describe('values', () => {
  it.each<[string, unknown, unknown]>([
    ['text', 'plain', 'plain'],
    ['text with control characters', 'a\r\n\u001b[31mb\u2028\u202e', 'a[31mb'],
    ['a lone surrogate', 'a\ud800', 'a\ufffd'],
    ['numbers', [0, -1.5, 1e21], [0, -1.5, 1e21]],
    ['booleans and null', [true, false, null], [true, false, null]],
    ['NaN and infinities', [Number.NaN, Number.POSITIVE_INFINITY, -Infinity], ['NaN', 'Infinity', '-Infinity']],
    ['a bigint', 12n, '12'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(Number.NaN), '[invalid date]'],
    [
      'bytes',
      [Buffer.from('secret'), new Uint8Array(3), new ArrayBuffer(4), new DataView(new ArrayBuffer(5))],
      ['[6 bytes]', '[3 bytes]', '[4 bytes]', '[5 bytes]'],
    ],
    [
      'a map',
      new Map<unknown, unknown>([
        ['password', 'x'],
        [1, 2],
        [{}, 3],
      ]),
      { password: '[REDACTED]', 1: 2, '[object]': 3 },
    ],
    ['a set', new Set([1, 'a']), [1, 'a']],
    ['functions and symbols', { f() {}, s: Symbol('secret') }, { f: '[function]', s: '[symbol]' }],
    ['undefined in a list', [undefined, 1], [null, 1]],
    ['toJSON', { toJSON: () => ({ token: 'x', a: 1 }) }, { token: '[REDACTED]', a: 1 }],
    ['toJSON that gives text', { toJSON: () => 'alice@example.com' }, '[REDACTED]'],
    ['toJSON that gives nothing', [{ toJSON: () => undefined }], [null]],
    ['boxed values', [Object('x'), Object(1)], ['x', 1]],
    [
      'JSON in text',
      '{"password":"x","n":[1,{"ssn":"123456789"}]}',
      '{"password":"[REDACTED]","n":[1,{"ssn":"*****6789"}]}',
    ],
    ['JSON in text in JSON', '{"a":"{\\"token\\":\\"x\\"}"}', '{"a":"{\\"token\\":\\"[REDACTED]\\"}"}'],
    ['text that only begins like JSON', '[INFO] password=x', '[INFO] password=[REDACTED]'],
  ])('writes %s', (_, value, expected) => {
    expect(sanitizeValue(value)).toEqual(expected);
  });

  it('leaves undefined out of objects', () => {
    expect(Object.keys(sanitizeValue({ a: undefined, b: 1 }) as object)).toEqual(['b']);
  });

  it('writes a URL without user info and with a scrubbed query', () => {
    const url = new URL('https://user:pw@example.com/a?token=1&x=2&X-Amz-Signature=3#access_token=4');
    expect(sanitizeValue(url)).toBe(
      'https://example.com/a?token=[REDACTED]&x=2&X-Amz-Signature=[REDACTED]#access_token=[REDACTED]',
    );
    expect(sanitizeValue(new URL('mailto:alice@example.com'))).toBe('mailto:[REDACTED]');
  });

  it('cuts text at 8 KiB of UTF-8, never within a character', () => {
    expect(sanitizeValue('x'.repeat(8192))).toHaveLength(8192);
    expect(sanitizeValue('x'.repeat(10_000))).toBe(`${'x'.repeat(8192)}…[+1808]`);
    expect(sanitizeValue(`${'x'.repeat(8191)}éé`)).toBe(`${'x'.repeat(8191)}…[+4]`);
  });

  it('keeps the key __proto__ and returns copies without a prototype', () => {
    const copy = sanitizeValue(JSON.parse('{"__proto__":{"token":"x","a":1}}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(copy)).toBeNull();
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"token":"[REDACTED]","a":1}}');
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('never changes what it is given', () => {
    const value = Object.freeze({ password: 'x', list: Object.freeze([{ token: 'y' }]) });
    sanitizeValue(value);
    expect(value).toEqual({ password: 'x', list: [{ token: 'y' }] });
  });
});

describe('bounds', () => {
  it('sees a cycle, and prints a shared object twice', () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    expect(clean(cycle)).toBe('{"a":1,"self":"[circular]"}');
    const shared = { a: 1 };
    expect(clean([shared, shared])).toBe('[{"a":1},{"a":1}]');
    const list: unknown[] = [];
    list.push(list);
    expect(clean(list)).toBe('["[circular]"]');
  });

  it('goes 8 levels deep into 10,000', () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 10_000; level += 1) deep = { n: deep };
    expect(clean(deep)).toBe('{"n":{"n":{"n":{"n":{"n":{"n":{"n":{"n":"[depth]"}}}}}}}}');
    expect(sanitizeJson(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe('[[[[[[[["[depth]"]]]]]]]]');
  });

  it('shows 200 entries of a container', () => {
    const list = sanitizeValue(Array.from({ length: 1000 }, () => 1)) as unknown[];
    expect(list).toHaveLength(201);
    expect(list[200]).toBe('[+800]');
    expect(sanitizeValue(new Array(4_000_000_000))).toHaveLength(201);
    const record = sanitizeValue(Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`k${n}`, n])));
    expect(Object.keys(record as object)).toHaveLength(201);
    expect(record).toMatchObject({ k199: 199, '…': '[+50]' });
  });

  it('stops after 10,000 values', () => {
    const wide = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => [1]));
    const text = clean(wide);
    expect(text.match(/1/g)?.length).toBeLessThan(10_000);
    expect(text).toContain('"[+more]"');
    expect(text.match(/\+more/g)?.length).toBeLessThanOrEqual(3);
  });

  it('accepts members that throw when they are read', () => {
    const hostile = {
      get bad() {
        throw new Error('secret');
      },
      json: {
        toJSON() {
          throw new Error('secret');
        },
      },
      proxy: new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('secret');
          },
        },
      ),
      ok: 1,
    };
    expect(clean(hostile)).toBe('{"bad":"[unreadable]","json":"[unreadable]","proxy":"[unreadable]","ok":1}');
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    expect(clean([revoked.proxy])).toBe('["[unreadable]"]');
  });

  it('ends for a proxy with endlessly many members', () => {
    let reads = 0;
    const make = (): object =>
      new Proxy(
        {},
        {
          get: (_, key) => {
            reads += 1;
            return key === 'toJSON' ? undefined : make();
          },
          ownKeys: () => Array.from({ length: 500 }, (_, n) => `k${n}`),
          getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        },
      );
    expect(clean(make()).length).toBeLessThan(1_000_000);
    expect(reads).toBeLessThan(50_000);
  });

  it('never throws for any input, and its result can always be encoded', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withNullPrototype: true,
          withSparseArray: true,
          withBoxedValues: true,
        }),
        (value) => {
          expect(() => JSON.stringify(sanitizeValue(value))).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves a value unchanged that is sanitized already, but for masks', () => {
    // A mask has fewer digits than the value, so that masking it again hides more.
    const withoutMasks = (value: unknown) =>
      JSON.stringify(value).replaceAll(/"(?:\d{6})?\*+(?:\d{4})?"|"\[REDACTED\]"/g, '"masked"');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const once = sanitizeValue(value);
        expect(withoutMasks(sanitizeValue(once))).toBe(withoutMasks(once));
      }),
      { numRuns: 500, examples: [[{ TIN: [-1.8577e-320] }], [{ pan: '4111111111111111', n: 1 }]] },
    );
    const once = sanitizeValue({ tin: 12_345_678 });
    expect([once, sanitizeValue(once)]).toEqual([{ tin: '****5678' }, { tin: '[REDACTED]' }]);
  });
});

describe('sanitizeJson', () => {
  it.each([
    ['', '(empty)'],
    [' \n', '(empty)'],
    ['{"secret":', '(malformed JSON)'],
    ['hunter2', '(malformed JSON)'],
    ['null', 'null'],
    ['"a\\u2028b"', '"ab"'],
    ['{"password":"x","a":1}', '{"password":"[REDACTED]","a":1}'],
    ['{"__proto__":{"token":"x"}}', '{"__proto__":{"token":"[REDACTED]"}}'],
  ])('writes %j as %j', (text, expected) => {
    expect(sanitizeJson(text)).toBe(expected);
    expect(sanitizeJson(Buffer.from(text))).toBe(expected);
  });

  it('hides a string that is not JSON', () => {
    expect(sanitizeJson('{"card":"4111111111111111"')).toBe('(malformed JSON)');
  });

  it('indents by two when it should be read', () => {
    expect(sanitizeJson('{"a":1}', { pretty: true })).toBe('{\n  "a": 1\n}');
  });
});

describe('createSanitizer', () => {
  it('cannot be configured to show what is always redacted', () => {
    const open = createSanitizer({
      allow: ['password', 'token', 'x-api-key'],
      mask: ['secret'],
      rules: [{ parent: 'user', key: 'password', action: 'allow' }],
    });
    expect(
      JSON.stringify(
        open.sanitizeValue({ password: 'x', secret: '123456789', user: { password: 'y' }, 'x-api-key': 'k' }),
      ),
    ).toBe('{"password":"[REDACTED]","secret":"[REDACTED]","user":{"password":"[REDACTED]"},"x-api-key":"[REDACTED]"}');
  });

  it('can be configured to show words of the heuristic, and to redact and mask further keys', () => {
    const own = createSanitizer({ allow: ['page_token'], redact: ['nick-name', 'token_type'], mask: ['phone'] });
    expect(
      JSON.stringify(
        own.sanitizeValue({
          pageToken: 'p',
          next_token: 'n',
          nickname: 'x',
          tokenType: 'b',
          phone: '+49 1234 5678',
          PHONE: '12',
        }),
      ),
    ).toBe(
      '{"pageToken":"p","next_token":"[REDACTED]","nickname":"[REDACTED]","tokenType":"[REDACTED]","phone":"******5678","PHONE":"[REDACTED]"}',
    );
    expect(own.scrubFreeText('nickname=bob page_token=p')).toBe('nickname=[REDACTED] page_token=p');
  });

  it('prefers a rule with a parent to a rule without, then the stricter rule', () => {
    const own = createSanitizer({
      allow: ['name'],
      redact: ['name', 'zip'],
      rules: [
        { parent: 'Pet', key: 'name', action: 'allow' },
        { parent: 'pet', key: 'zip', action: 'mask' },
      ],
    });
    expect(JSON.stringify(own.sanitizeValue({ name: 'a', zip: 'b', pet: { name: 'c', zip: '12345678' } }))).toBe(
      '{"name":"[REDACTED]","zip":"[REDACTED]","pet":{"name":"c","zip":"****5678"}}',
    );
  });

  it('accepts limits', () => {
    const own = createSanitizer({ limits: { depth: 1, entries: 2, stringBytes: 3 } });
    expect(JSON.stringify(own.sanitizeValue(['abcdef', {}, 1]))).toBe('["abc…[+3]","[depth]","[+1]"]');
  });

  const PRIVATE_KEY = ['-----BEGIN PRIVATE KEY-----', 'MIGHAgEA', '-----END PRIVATE KEY-----'].join('\n');
  it.each([
    ['a\n\tb', 'ab', 'a\n\tb'],
    ['a\r\nb\u0007\u2028\u202ec\u0085', 'abc', 'a\nbc'],
    ['\ud800\n', '\ufffd', '\ufffd\n'],
    [`key:\n${PRIVATE_KEY}\nend`, 'key:[REDACTED]end', 'key:\n[REDACTED]\nend'],
    ['password:\n\thunter2\nnext', 'password:[REDACTED]', 'password:\n\t[REDACTED]\nnext'],
    ['authorization: a b\nnext', 'authorization: [REDACTED]', 'authorization: [REDACTED]\nnext'],
  ])('%j is %j, and with keepLineBreaks %j', (text, oneLine, lines) => {
    const own = createSanitizer({ keepLineBreaks: true });
    expect([sanitizeValue(text), own.sanitizeValue(text)]).toEqual([oneLine, lines]);
    expect(own.sanitizeError(new Error(text))).toMatchObject({ message: lines });
    expect(JSON.stringify(own.sanitizeValue({ 'a\nb': [text] }))).toBe(JSON.stringify({ ab: [lines] }));
  });

  it.each([
    [{ keepLineBreaks: 'yes' }, 'option "keepLineBreaks" must be true or false'],
    [{ allowed: [] }, 'unknown option "allowed"'],
    [{ allow: 'x' }, 'option "allow" must be a list of keys'],
    [{ redact: [' '] }, 'option "redact[0]" must be a key that is not blank'],
    [
      { rules: [{ parent: 'a', key: 'b', action: 'open' }] },
      'option "rules[0].action" must be "allow", "redact" or "mask"',
    ],
    [
      { rules: [{ parent: 'a', key: 'b', action: 'toString' }] },
      'option "rules[0].action" must be "allow", "redact" or "mask"',
    ],
    [
      { rules: [{ parent: '', key: 'b', action: 'allow' }] },
      'option "rules[0].parent" must be a key that is not blank',
    ],
    [{ limits: { depth: 0 } }, 'option "limits.depth" must be a whole number, at least 1'],
    [{ limits: { deep: 1 } }, 'unknown option "limits.deep"; known are depth, entries, nodes, stringBytes'],
  ])('rejects %j', (policy, message) => {
    expect(() => createSanitizer(policy as never)).toThrow(expect.failure('app.invalid_configuration', message));
  });
});
