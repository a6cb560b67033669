import { json } from '@sallyport/http';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { DIRECT, send } from './support/operations.js';

const SECRET = 'hunter2-value';

describe('options are closed', () => {
  it.each<[string, unknown, string]>([
    ['an unknown option', { [SECRET.slice(0, 6)]: 1 }, ': hunter'],
    ['the open container’s hook', { authHook: () => SECRET }, ': authHook'],
    ['an unknown symbol', { [Symbol('odd')]: 1 }, ': Symbol(odd)'],
    ['a hidden unknown option', Object.defineProperty({}, 'hidden', { value: 1 }), ': hidden'],
    ['__proto__ as an own key', JSON.parse('{"__proto__":{}}'), ': __proto__'],
    ['constructor as a key', { constructor: 1 }, ': constructor'],
    ['principalResolver', { principalResolver: SECRET }, ': principalResolver'],
    ['principalResolver null', { principalResolver: null }, ': principalResolver'],
    ['challenge', { challenge: 5 }, ': challenge'],
    ['a blank challenge', { challenge: ' ' }, ': challenge'],
    ['a challenge with a line end', { challenge: `Bearer\r\nx: ${SECRET}` }, ': challenge'],
    ['trustTenantHeader', { trustTenantHeader: 'true' }, ': trustTenantHeader'],
    ['webSocketSupport', { webSocketSupport: 1 }, ': webSocketSupport'],
    ['maskErrors', { maskErrors: 'no' }, ': maskErrors'],
    ['clock', { clock: {} }, ': clock'],
    ['a clock with a bad member', { clock: { now: () => new Date(), after: 5 } }, ': clock'],
    ['ids', { ids: { newId: SECRET } }, ': ids'],
    ['tier', { tier: 'p3' }, ': tier'],
    ['tier in another case', { tier: 'P2' }, ': tier'],
    ['httpErrorFormat', { httpErrorFormat: SECRET }, ': httpErrorFormat'],
    ['limits', { limits: { maxRequestBytes: -1 } }, ': limits'],
    ['an unknown limit', { limits: { maxBytes: 1 } }, ': limits'],
    ['cors', { cors: { allowedOrigins: ['*'], allowCredentials: true } }, ': cors'],
    ['policyHook', { policyHook: {} }, ': policyHook'],
    ['observability', { observability: { log: SECRET } }, ': observability'],
    ['observability null', { observability: null }, ': observability'],
    [
      'log',
      { log: console.log },
      ': log must be false or a Logger: createLogger(), or fromConsole(), fromPino() or fromPowertools() of ' +
        '"@sallyport/core/log-adapters"',
    ],
    ['environment', { environment: SECRET }, ': environment'],
    ['basePath', { basePath: 'api' }, ': basePath'],
    ['autoHead', { autoHead: 'yes' }, ': autoHead'],
    ['webSocketClientFactory', { webSocketClientFactory: {} }, ': webSocketClientFactory'],
    ['webSocketEndpoint', { webSocketEndpoint: SECRET }, ': webSocketEndpoint'],
    ['streamFailureIdentifier', { streamFailureIdentifier: SECRET }, ': streamFailureIdentifier'],
    ['queueConcurrency', { queueConcurrency: 0 }, ': queueConcurrency'],
    ['deadlineMarginMs', { deadlineMarginMs: Number.NaN }, ': deadlineMarginMs'],
    ['batchConcurrency', { batchConcurrency: 1.5 }, ': batchConcurrency'],
    ['batchResult', { batchResult: SECRET }, ': batchResult'],
    ['errorMode', { errorMode: SECRET }, ': errorMode'],
    ['null', null, ''],
    ['a list', [], ''],
    ['a text', SECRET, ''],
    ['a function', () => SECRET, ''],
    ['an instance of a class', new (class Options {})(), ''],
    ['an heir of options', Object.create({ tier: 'p0' }), ''],
  ])('%s', (_, options, key) => {
    let error: unknown;
    try {
      new SecureApp(options as SecureOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      code: 'app.invalid_configuration',
      message: `framework: invalid secure configuration${key}`,
    });
    expect(String(error)).not.toContain(SECRET);
  });

  it.each<[string, SecureOptions | undefined]>([
    ['none', undefined],
    ['an empty object', {}],
    ['an object without a prototype', Object.create(null)],
    ['options left undefined', { tier: undefined, principalResolver: undefined } as unknown as SecureOptions],
  ])('takes %s', (_, options) => {
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

  it('and what a polluted prototype offers is nothing', async () => {
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
