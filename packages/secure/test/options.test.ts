import { json } from '@sallyport/http';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { DIRECT, send } from './support/operations.js';

const SECRET = 'hunter2-value';

describe('options are closed', () => {
  it.each<[string, unknown, string]>([
    ['an unknown option', { [SECRET.slice(0, 6)]: 1 }, 'unknown option "hunter"; known are '],
    ['the open container’s hook', { authHook: () => SECRET }, 'unknown option "authHook"; known are '],
    ['an unknown symbol', { [Symbol('odd')]: 1 }, 'unknown option "Symbol(odd)"; known are '],
    [
      'a hidden unknown option',
      Object.defineProperty({}, 'hidden', { value: 1 }),
      'unknown option "hidden"; known are ',
    ],
    ['__proto__ as an own key', JSON.parse('{"__proto__":{}}'), 'unknown option "__proto__"'],
    ['constructor as a key', { constructor: 1 }, 'unknown option "constructor"; known are '],
    ['principalResolver', { principalResolver: SECRET }, 'option "principalResolver" must be '],
    ['principalResolver null', { principalResolver: null }, 'option "principalResolver" must be '],
    ['challenge', { challenge: 5 }, 'option "challenge" must be '],
    ['a blank challenge', { challenge: ' ' }, 'option "challenge" must be '],
    ['a challenge with a line end', { challenge: `Bearer\r\nx: ${SECRET}` }, 'option "challenge" must be '],
    ['trustTenantHeader', { trustTenantHeader: 'true' }, 'option "trustTenantHeader" must be '],
    ['webSocketSupport', { webSocketSupport: 1 }, 'option "webSocketSupport" must be '],
    ['maskErrors', { maskErrors: 'no' }, 'option "maskErrors" must be '],
    ['clock', { clock: {} }, 'option "clock" must be '],
    ['a clock with a bad member', { clock: { now: () => new Date(), after: 5 } }, 'option "clock" must be '],
    ['ids', { ids: { newId: SECRET } }, 'option "ids" must be '],
    ['tier', { tier: 'p3' }, 'option "tier" must be '],
    ['tier in another case', { tier: 'P2' }, 'option "tier" must be '],
    ['httpErrorFormat', { httpErrorFormat: SECRET }, 'option "httpErrorFormat" must be '],
    ['limits', { limits: { maxRequestBytes: -1 } }, 'option "limits.maxRequestBytes" must be a whole number of bytes'],
    ['an unknown limit', { limits: { maxBytes: 1 } }, 'unknown option "limits.maxBytes"'],
    [
      'cors',
      { cors: { allowedOrigins: ['*'], allowCredentials: true } },
      'option "cors.allowedOrigins" must be a list of origins when credentials are allowed',
    ],
    ['policyHook', { policyHook: {} }, 'option "policyHook" must be '],
    ['observability', { observability: { log: SECRET } }, 'option "'],
    ['observability null', { observability: null }, 'option "observability" must be '],
    [
      'log',
      { log: console.log },
      'option "log" must be false or a Logger: createLogger(), or fromConsole(), fromPino() or fromPowertools() of ' +
        '"@sallyport/core/log-adapters"',
    ],
    ['environment', { environment: SECRET }, 'option "environment" must be '],
    ['basePath', { basePath: 'api' }, 'option "basePath" must be '],
    ['autoHead', { autoHead: 'yes' }, 'option "autoHead" must be '],
    ['webSocketClientFactory', { webSocketClientFactory: {} }, 'option "webSocketClientFactory" must be '],
    ['webSocketEndpoint', { webSocketEndpoint: SECRET }, 'option "webSocketEndpoint" must be '],
    ['streamFailureIdentifier', { streamFailureIdentifier: SECRET }, 'option "streamFailureIdentifier" must be '],
    ['queueConcurrency', { queueConcurrency: 0 }, 'option "queueConcurrency" must be '],
    ['deadlineMarginMs', { deadlineMarginMs: Number.NaN }, 'option "deadlineMarginMs" must be '],
    ['batchConcurrency', { batchConcurrency: 1.5 }, 'option "batchConcurrency" must be '],
    ['batchResult', { batchResult: SECRET }, 'option "batchResult" must be '],
    ['errorMode', { errorMode: SECRET }, 'option "errorMode" must be '],
    ['null', null, 'options must be a plain object'],
    ['a list', [], 'options must be a plain object'],
    ['a text', SECRET, 'options must be a plain object'],
    ['a function', () => SECRET, 'options must be a plain object'],
    ['an instance of a class', new (class Options {})(), 'options must be a plain object'],
    ['an heir of options', Object.create({ tier: 'p0' }), 'options must be a plain object'],
  ])('%s', (_, options, words) => {
    let error: unknown;
    try {
      new SecureApp(options as SecureOptions);
    } catch (thrown) {
      error = thrown;
    }
    const reason = (error as Error).message.replace('framework: invalid secure configuration: ', '');
    expect(error).toMatchObject({
      code: 'app.invalid_configuration',
      message: `framework: invalid secure configuration: ${reason}`,
    });
    expect(reason).toContain(words);
    expect(String(error)).not.toContain(SECRET);
  });

  it.each<[string, SecureOptions | undefined]>([
    ['none', undefined],
    ['an empty object', {}],
    ['an object without a prototype', Object.create(null)],
    ['options left undefined', { tier: undefined, principalResolver: undefined } as unknown as SecureOptions],
  ])('accepts %s', (_, options) => {
    expect(new SecureApp(options).routes()).toEqual([]);
  });
});

describe('options are copied once', () => {
  const app = (options: SecureOptions) =>
    new SecureApp(options).get('/op', (ctx) => json(200, [ctx.authIdentity, ctx.tenantId]), Authenticated());

  it('so later changes of the object have no effect', async () => {
    const options: { -readonly [K in keyof SecureOptions]: SecureOptions[K] } = {
      principalResolver: () => null,
      trustTenantHeader: false,
    };
    const closed = app(options);
    options.principalResolver = () => ({ identity: 'intruder' });
    options.trustTenantHeader = true;
    expect((await send(closed, DIRECT, {})).status).toBe(401);
  });

  it('and each is read once', async () => {
    let reads = 0;
    const closed = app({
      get principalResolver() {
        reads += 1;
        return reads === 1 ? () => null : () => ({ identity: 'intruder' });
      },
    });
    expect((await send(closed, DIRECT, {})).status).toBe(401);
    expect(reads).toBe(1);
  });

  it('and members of a polluted prototype are ignored', async () => {
    const polluted = Object.prototype as {
      principalResolver?: unknown;
      trustTenantHeader?: unknown;
      basePath?: unknown;
    };
    polluted.principalResolver = () => ({ identity: 'intruder' });
    polluted.trustTenantHeader = true;
    polluted.basePath = '/base';
    try {
      const closed = app({});
      expect((await send(closed, DIRECT, { headers: { 'x-tenant-id': 'evil' } })).status).toBe(401);
      expect((await send(closed, DIRECT, { path: '/base/op' })).status).toBe(404);
    } finally {
      delete polluted.principalResolver;
      delete polluted.trustTenantHeader;
      delete polluted.basePath;
    }
  });
});
