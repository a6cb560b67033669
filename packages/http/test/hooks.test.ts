import { FrameworkError, type Logger, type LogRecord, type OneOrMany } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import {
  json,
  type OpenPipelineOptions,
  redirect,
  type SecureHeadersOptions,
  secureHeaders,
  text,
} from '../src/index.js';
import { functionUrl, type Got, gatewayV1, gatewayV2, routerWith, type Sent, send } from './support/doors.js';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly error?: { readonly name: string; readonly message: string };
}

/** The answer, and the written log lines. */
async function run(
  options: OpenPipelineOptions,
  sent: Sent = {},
  door = gatewayV2,
): Promise<Got & { readonly lines: readonly Line[] }> {
  const lines: Line[] = [];
  const log: Logger = createLogger({ write: (line) => lines.push(JSON.parse(line) as Line) });
  const router = routerWith(
    (http) =>
      http
        .get('/', () => text(200, 'fine'))
        .get('/secret', () => text(200, 'secret of the house'), { authRequired: true })
        .get('/conflict', () => {
          throw new FrameworkError('app.conflict', 'taken', { headers: { 'x-why': 'taken' } });
        })
        .get('/late', async () => {
          throw new FrameworkError('app.rate_limited', undefined, { headers: { 'retry-after': '7' } });
        })
        .get('/own', () => {
          throw new RangeError('out of stock');
        })
        .get('/large', () => text(200, 'x'.repeat(101)))
        .get('/broken', () => undefined as never),
    { log, limits: { maxResponseBytes: 100 }, authHook: () => '', ...options },
  );
  return { ...(await send(router, door, sent)), lines };
}

const textOf = (got: Got) => got.body.toString();
const errorsOf = ({ lines }: { readonly lines: readonly Line[] }) =>
  lines.map(({ level, message, error }) => `${level} ${message}${error ? `: ${error.message}` : ''}`);

describe('onError', () => {
  const asText: OpenPipelineOptions = {
    onError: (ctx, error) => {
      const { name, message } = error as Error;
      return text(error instanceof FrameworkError ? error.status : 503, `${name} ${message} at ${ctx.request.path}`);
    },
  };

  it.each<[Sent, number, string]>([
    [{ path: '/conflict' }, 409, 'FrameworkError taken at /conflict'],
    [{ path: '/late' }, 429, 'FrameworkError rate limited at /late'],
    [{ path: '/own' }, 503, 'RangeError out of stock at /own'],
    [{ path: '/secret' }, 401, 'FrameworkError unauthorized at /secret'],
    [{ path: '/nowhere' }, 404, 'FrameworkError not found at /nowhere'],
    [{ path: '/', method: 'PUT' }, 405, 'FrameworkError method not allowed at /'],
    [{ path: '/large' }, 413, 'FrameworkError response too large at /large'],
    [{ path: '/broken' }, 500, 'FrameworkError internal error at /broken'],
    [{ path: '/', body: '%', isBase64Encoded: true }, 400, 'FrameworkError invalid base64 at /'],
  ])('receives the thrown value and returns the answer: %j', async (sent, status, body) => {
    const got = await run(asText, sent);
    expect([got.status, textOf(got), got.headers['x-request-id']]).toEqual([status, body, 'req-1']);
  });

  it('may be asynchronous', async () => {
    const got = await run({ onError: async () => json(418, { teapot: true }) }, { path: '/own' });
    expect([got.status, textOf(got)]).toEqual([418, '{"teapot":true}']);
  });

  it.each([undefined, async () => undefined, () => undefined])(
    'leaves the default answer when it returns none',
    async (onError) => {
      const got = await run(onError ? { onError } : {}, { path: '/conflict' });
      expect([got.status, textOf(got)]).toEqual([
        409,
        '{"error":{"code":"app.conflict","message":"taken","request_id":"req-1"}}',
      ]);
    },
  );

  it.each<[Sent, number, Record<string, string>]>([
    [{ path: '/', method: 'PUT' }, 405, { allow: 'GET' }],
    [{ path: '/late' }, 429, { 'retry-after': '7' }],
    [{ path: '/late' }, 500, {}],
  ])('keeps the headers that belong to the status: %j answered %i', async (sent, status, headers) => {
    const got = await run({ onError: () => text(status, '') }, sent);
    expect({ allow: got.headers.allow, 'retry-after': got.headers['retry-after'] }).toEqual({
      allow: undefined,
      'retry-after': undefined,
      ...headers,
    });
  });

  it('may set such a header itself', async () => {
    const onError = () => ({ ...text(429, ''), headers: { 'retry-after': '1' } });
    expect((await run({ onError }, { path: '/late' })).headers['retry-after']).toBe('1');
  });

  it.each<[string, OpenPipelineOptions['onError'], string]>([
    [
      'throws',
      () => {
        throw new Error('hook is broken');
      },
      'hook is broken',
    ],
    ['rejects', () => Promise.reject(new Error('hook is broken')), 'hook is broken'],
    ['gives no response', () => 'oops' as never, 'internal error'],
    ['gives a header that cannot be sent', () => ({ status: 400, headers: { a: 'b\nc' } }), 'internal error'],
    ['gives an impossible status', () => ({ status: 42 }), 'internal error'],
    ['gives a stream', () => ({ status: 500, bodyStream: [new Uint8Array(1)] }), 'internal error'],
  ])('is logged when it %s, and changes nothing', async (_, onError, message) => {
    const got = await run({ onError: onError as never }, { path: '/conflict' });
    expect([got.status, textOf(got)]).toEqual([
      409,
      '{"error":{"code":"app.conflict","message":"taken","request_id":"req-1"}}',
    ]);
    expect(got.headers['x-why']).toBe('taken');
    expect(errorsOf(got)).toEqual([`ERROR framework: hook onError failed: ${message}`]);
  });

  it.each<[string, Sent, number]>([
    ['an unauthorized caller', { path: '/secret' }, 401],
    ['a failure', { path: '/own' }, 500],
    ['an unknown path', { path: '/nowhere' }, 404],
  ])('makes no success of %s', async (_, sent, status) => {
    for (const given of [200, 204, 299]) {
      const got = await run({ onError: () => text(given, 'open') }, sent);
      expect(got.status).toBe(status);
      expect(textOf(got)).not.toContain('open');
      expect(errorsOf(got)).toContain('ERROR framework: hook onError failed: internal error');
    }
  });

  it('may send a caller to the sign-in page', async () => {
    const got = await run({ onError: () => redirect('/sign-in') }, { path: '/secret' });
    expect([got.status, got.headers.location]).toEqual([302, '/sign-in']);
  });

  it.each<[string, Sent, number, readonly string[]]>([
    [
      'below 500, of the application’s own: a warning',
      { path: '/own' },
      404,
      ['WARN framework: request failed, answered by onError: out of stock'],
    ],
    ['of 500 and more: the error line', { path: '/own' }, 500, ['ERROR framework: request failed: out of stock']],
    [
      'below 500, of a failure of the framework: the error line',
      { path: '/broken' },
      404,
      ['ERROR framework: request failed: internal error'],
    ],
    ['of what was expected: none', { path: '/conflict' }, 404, []],
  ])('an answer %s', async (_, sent, status, lines) => {
    expect(errorsOf(await run({ onError: () => text(status, '') }, sent))).toEqual(lines);
  });

  it.each<[number, string]>([
    [404, ''],
    [500, 'app.internal'],
  ])('answered %i, the record has the code %j', async (status, code) => {
    const records: LogRecord[] = [];
    const observability = { log: (record: LogRecord) => records.push(record) };
    await run({ onError: () => text(status, ''), observability }, { path: '/own' });
    expect(records).toMatchObject([{ event: 'request.completed', status, error_code: code }]);
  });

  it('is not called where a middleware has answered', async () => {
    const got = await run({ onError: () => text(500, 'hook') });
    expect(textOf(got)).toBe('fine');
  });

  it('sees no principal of a rejected caller', async () => {
    const seen: unknown[] = [];
    const onError: OpenPipelineOptions['onError'] = (ctx) => {
      seen.push(ctx.authIdentity, ctx.route?.pattern);
      return undefined;
    };
    await run({ onError, authHook: () => ' ' }, { path: '/secret' });
    expect(seen).toEqual(['', '/secret']);
  });
});

describe('notFound', () => {
  it('answers only paths without a route', async () => {
    const options: OpenPipelineOptions = { notFound: (ctx) => text(404, `no ${ctx.request.path}`) };
    expect(textOf(await run(options, { path: '/nowhere' }))).toBe('no /nowhere');
    expect((await run(options, { method: 'PUT' })).status).toBe(405);
    expect(textOf(await run(options))).toBe('fine');
  });

  it.each<[string, OpenPipelineOptions, number, string]>([
    ['first', { notFound: async () => text(404, 'notFound'), onError: () => text(410, 'onError') }, 404, 'notFound'],
    ['then onError', { notFound: () => undefined, onError: () => text(410, 'onError') }, 410, 'onError'],
    [
      'then onError, later',
      { notFound: async () => undefined, onError: async () => text(410, 'onError') },
      410,
      'onError',
    ],
  ])('is called %s', async (_, options, status, body) => {
    const got = await run(options, { path: '/nowhere' });
    expect([got.status, textOf(got)]).toEqual([status, body]);
  });

  it('answers 200 only for a path that a route serves', async () => {
    const got = await run({ notFound: () => text(200, 'index') }, { path: '/nowhere' });
    expect(got.status).toBe(404);
    expect(errorsOf(got)).toEqual(['ERROR framework: hook notFound failed: internal error']);
  });
});

describe('onResponse', () => {
  const stamp: OpenPipelineOptions = {
    cors: { allowedOrigins: ['https://a.example'] },
    onResponse: (ctx, response) => {
      response.headers['x-seen'] = [`${response.status} ${ctx.request.method}`];
      response.cookies.push('seen=1');
    },
  };
  const origin = { origin: 'https://a.example' };

  it.each<[string, Sent, string]>([
    ['an answer', {}, '200 GET'],
    ['401', { path: '/secret' }, '401 GET'],
    ['404', { path: '/nowhere' }, '404 GET'],
    ['405', { method: 'PUT' }, '405 PUT'],
    ['413', { path: '/large' }, '413 GET'],
    ['500', { path: '/own' }, '500 GET'],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { ...origin, 'access-control-request-method': 'PUT' } },
      '204 OPTIONS',
    ],
  ])('sees %s, at every door', async (_, sent, seen) => {
    for (const door of [gatewayV2, gatewayV1, functionUrl]) {
      const got = await run(stamp, sent, door);
      expect([got.headers['x-seen'], got.cookies]).toEqual([seen, ['seen=1']]);
    }
  });

  it('sees the headers that the framework has added, and can change all of them', async () => {
    const seen: OneOrMany[] = [];
    const onResponse: OpenPipelineOptions['onResponse'] = (_ctx, { headers }) => {
      seen.push({ ...headers });
      delete headers['x-request-id'];
      headers['X-Mixed'] = ['yes'];
    };
    const got = await run({ ...stamp, onResponse }, { headers: origin });
    expect(seen).toMatchObject([{ 'x-request-id': ['req-1'], 'access-control-allow-origin': ['https://a.example'] }]);
    expect([got.headers['x-request-id'], got.headers['x-mixed']]).toEqual([undefined, 'yes']);
  });

  it.each<[string, NonNullable<OpenPipelineOptions['onResponse']>, string]>([
    [
      'throws',
      (_ctx, { headers, cookies }) => {
        headers['x-half'] = ['1'];
        cookies.push('half=1');
        throw new Error('hook is broken');
      },
      'hook is broken',
    ],
    [
      'sets a header that cannot be sent',
      (_ctx, { headers }) => {
        headers['x-half'] = ['1'];
        headers['x-bad'] = ['a\r\nset-cookie: b'];
      },
      'internal error',
    ],
    [
      'sets the status',
      (_ctx, response) => {
        response.headers['x-half'] = ['1'];
        (response as { status: number }).status = 200;
      },
      "Cannot assign to read only property 'status' of object '#<Object>'",
    ],
  ])('is logged when it %s, and changes nothing', async (_, onResponse, message) => {
    const got = await run({ onResponse }, { path: '/secret' });
    expect([got.status, got.headers['x-half'], got.cookies]).toEqual([401, undefined, []]);
    expect(errorsOf(got)).toEqual([`ERROR framework: hook onResponse failed: ${message}`]);
  });

  it('is not awaited; its rejection is logged', async () => {
    const got = await run({ onResponse: async () => Promise.reject(new Error('late')) });
    expect(got.status).toBe(200);
    await new Promise(setImmediate);
    expect(errorsOf(got)).toEqual(['ERROR framework: hook onResponse failed: late']);
  });
});

describe('secureHeaders', () => {
  const DEFAULTS = {
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'content-security-policy': "frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  };

  it.each<[string, Sent]>([
    ['an answer', {}],
    ['401', { path: '/secret' }],
    ['404', { path: '/nowhere' }],
    ['405', { method: 'PUT' }],
    ['500', { path: '/own' }],
  ])('are on %s', async (_, sent) => {
    expect((await run({ onResponse: secureHeaders() }, sent)).headers).toMatchObject(DEFAULTS);
  });

  it('may have other values, or be left out', async () => {
    const onResponse = secureHeaders({
      frameOptions: false,
      contentSecurityPolicy: "default-src 'self'",
      permissionsPolicy: 'camera=()',
    });
    const { headers } = await run({ onResponse });
    expect(headers['x-frame-options']).toBeUndefined();
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'self'",
      'permissions-policy': 'camera=()',
    });
    expect(headers['cross-origin-opener-policy']).toBeUndefined();
  });

  it('do not overwrite headers of the answer', async () => {
    const onResponse: OpenPipelineOptions['onResponse'] = (ctx, response) => {
      response.headers['referrer-policy'] = ['origin'];
      secureHeaders()(ctx, response);
    };
    expect((await run({ onResponse })).headers).toMatchObject({ ...DEFAULTS, 'referrer-policy': 'origin' });
  });

  it.each<[string, unknown]>([
    ['unknown option "hsts"', { hsts: true }],
    ['option "frameOptions" must be false or a string that is a valid header value', { frameOptions: true }],
    ['option "frameOptions" must be', { frameOptions: 'a\nb' }],
    ['option "frameOptions" must be', { frameOptions: ' ' }],
  ])('reject %s', (message, options) => {
    expect(() => secureHeaders(options as SecureHeadersOptions)).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });
});
