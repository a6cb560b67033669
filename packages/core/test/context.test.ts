import type { Context } from '../src/context/context.js';
import { contextKey } from '../src/context/context.js';
import { deriveContext } from '../src/context/request-context.js';
import { RequestContext, STAGE, stateOf } from '../src/internal.js';
import { ManualClock } from '../src/testing.js';
import { requestState, type StateOptions } from './support.js';

const COUNT = contextKey<number>('count');
const OTHER = contextKey<number>('count');

function context(options: StateOptions = {}): RequestContext {
  return new RequestContext(requestState(options));
}

describe('views', () => {
  it('reads headers in any case, first value or list', () => {
    const ctx = context({ headers: { 'X-A': '1', cookie: 'c=2' }, query: { q: ['a', 'b'] } });
    expect([
      ctx.header('x-A'),
      ctx.header('none'),
      ctx.query('q'),
      ctx.query('Q'),
      ctx.cookie('c'),
      ctx.cookie('d'),
    ]).toEqual(['1', undefined, 'a', undefined, '2', undefined]);
    expect(ctx.headerAll('X-a')).toEqual(['1']);
    expect(ctx.queryAll('q')).toEqual(['a', 'b']);
    expect(ctx.queryAll('z')).toEqual([]);
  });

  it('decodes a parameter once, and does not change a malformed escape', () => {
    const ctx = context();
    ctx.state.paramNames = ['a', 'b', 'c', '__proto__'];
    ctx.state.paramValues = ['%2561', '%zz', '%C3%A9', 'p'];
    expect([ctx.param('a'), ctx.param('b'), ctx.param('c'), ctx.param('none')]).toEqual(['%61', '%zz', 'é', '']);
    expect(ctx.rawParam('a')).toBe('%2561');
    expect(Object.entries(ctx.params)).toEqual([
      ['a', '%61'],
      ['b', '%zz'],
      ['c', 'é'],
      ['__proto__', 'p'],
    ]);
    expect(ctx.param('toString')).toBe('');
    expect(ctx.params).toBe(ctx.params);
  });

  it.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/problem+json', '[1]', [1]],
    ['application/json', 'false', false],
    ['application/json', '""', ''],
  ])('parses %s %j', (type, body, expected) => {
    expect(context({ headers: { 'content-type': type }, body }).bodyJson()).toEqual(expected);
  });

  it.each([
    ['application/json', '', 'request body is empty'],
    ['text/plain', '', 'request body is empty'],
    ['application/json', 'null', 'request body is null'],
    ['application/json', ' null ', 'request body is null'],
  ])('rejects %s %j, which has no members', (type, body, message) => {
    expect(() => context({ headers: { 'content-type': type }, body }).bodyJson()).toThrow(
      expect.failure('app.bad_request', message),
    );
  });

  it.each([
    ['application/jsonx', 'it is application/jsonx'],
    ['Text/Plain; charset=utf-8', 'it is text/plain'],
    ['', 'there is none'],
    ['<script>', 'it is no media type'],
    [`a/${'b'.repeat(128)}`, 'it is no media type'],
  ])('rejects the media type %j of JSON', (type, given) => {
    const ctx = context({ headers: { 'content-type': type }, body: '{}' });
    expect(() => ctx.bodyJson()).toThrow(
      expect.objectContaining({
        code: 'app.unsupported_media_type',
        status: 415,
        message: `content-type must be application/json; ${given}`,
        headers: { accept: 'application/json' },
      }),
    );
  });

  it.each([
    ['application/json', '{'],
    ['application/json', ' '],
  ])('rejects %j with the body %j', (type, body) => {
    const ctx = context({ headers: { 'content-type': type }, body });
    expect(() => ctx.bodyJson()).toThrow(expect.failure('app.bad_request', 'invalid json'));
    expect(ctx.bodyText()).toBe(body);
  });

  it('shows the state of the pipeline', () => {
    const ctx = context({ tenant: 't1', headers: { 'x-amzn-trace-id': 'Root=1-5759e988-bd862e3fe1be46a994272793' } });
    expect(ctx).toMatchObject({
      requestId: 'req-1',
      tenantId: 't1',
      traceId: '1-5759e988-bd862e3fe1be46a994272793',
      authIdentity: '',
      route: null,
      triggerKind: 'gateway-v2',
      event: { raw: true },
      canStream: false,
      lambdaContext: undefined,
    });
    expect([ctx.now().getTime(), ctx.newId(), ctx.sourceIP()]).toEqual([0, 'test-id-1', '']);
    expect(ctx.sourceProvenance()).toEqual({ sourceIP: '', provider: 'unknown', source: 'unknown', valid: false });
    expect([ctx.asAppSync(), ctx.asWebSocket(), ctx.securePrincipal()]).toEqual([null, null, null]);
  });

  it('reads the tenant once', () => {
    let asked = 0;
    const state = requestState();
    Object.assign(state.runtime, { tenantOf: () => `t${++asked}` });
    expect([state.tenantId, state.tenantId, asked]).toEqual(['t1', 't1', 1]);
    state.tenantId = 'other';
    expect(new RequestContext(state).tenantId).toBe('other');
  });

  it('returns copies of trace and principal', () => {
    const ctx = context();
    ctx.state.passed |= STAGE.handler | STAGE.auth;
    (ctx.middlewareTrace as string[]).push('forged');
    expect(ctx.middlewareTrace).toEqual(['request_id', 'auth', 'handler']);
    ctx.state.principal = { identity: 'a', scopes: ['s'], claims: { deep: { x: 1 } } };
    const copy = ctx.securePrincipal() as unknown as { claims: { deep: { x: number } } };
    copy.claims.deep.x = 2;
    expect(ctx.securePrincipal()?.claims).toEqual({ deep: { x: 1 } });
  });
});

describe('bag', () => {
  it('keeps values of this request only', () => {
    const ctx = context();
    expect(ctx.get('a')).toBeUndefined();
    ctx.set('a', 1);
    ctx.set('__proto__', 2);
    expect([ctx.get('a'), ctx.get('__proto__'), context().get('a')]).toEqual([1, 2, undefined]);
  });

  it.each([[''], [' '], ['framework.trigger_type'], ['framework.']])('rejects the key %j', (key) => {
    const ctx = context();
    expect(() => ctx.set(key, 1)).toThrow(expect.objectContaining({ code: 'app.bad_request' }));
  });

  it('reads reserved keys from the transport alone', () => {
    const ctx = context();
    expect(ctx.get('framework.trigger_type')).toBeUndefined();
    ctx.state.transport = { metadata: (key) => `value of ${key}` };
    expect(ctx.get('framework.trigger_type')).toBe('value of framework.trigger_type');
  });
});

describe('signal', () => {
  it('aborts at the deadline, with app.timeout, and clears its timer at the end', async () => {
    const clock = new ManualClock();
    const ctx = context({ clock, lambda: { getRemainingTimeInMillis: () => 1000 - clock.monotonicMs() } });
    expect(clock.pendingTimers).toBe(0);
    expect(ctx.remainingMs).toBe(1000);
    const { signal } = ctx;
    expect(ctx.signal).toBe(signal);
    await clock.advance(999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'app.timeout' });
    expect(ctx.remainingMs).toBe(0);
  });

  it('sets no timer when the time is unknown, and clears one at the end', () => {
    const clock = new ManualClock();
    expect(context({ clock }).signal.aborted).toBe(false);
    expect(clock.pendingTimers).toBe(0);
    const ctx = context({ clock, lambda: { getRemainingTimeInMillis: () => 5 } });
    void ctx.signal;
    expect(clock.pendingTimers).toBe(1);
    ctx.state.end();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([[-1], [Number.NaN], [0]])('treats a remaining time of %p as unknown', (left) => {
    expect(context({ lambda: { getRemainingTimeInMillis: () => left } }).remainingMs).toBe(0);
  });

  it('is aborted from the start if it is read after the abort', () => {
    const ctx = context();
    ctx.state.abort('gone');
    ctx.state.abort('later');
    expect([ctx.signal.aborted, ctx.signal.reason]).toEqual([true, 'gone']);
  });
});

describe('deriveContext', () => {
  it('has another signal and shares principal, bag, transport and ids', () => {
    const ctx = context();
    const controller = new AbortController();
    const derived = deriveContext(ctx, { signal: controller.signal });
    derived.set('a', 1);
    ctx.state.principal = { identity: 'p' };
    expect(ctx.get('a')).toBe(1);
    expect(derived.securePrincipal()).toEqual({ identity: 'p' });
    expect([derived.newId(), ctx.newId()]).toEqual(['test-id-1', 'test-id-2']);
    controller.abort();
    expect([derived.signal.aborted, ctx.signal.aborted]).toEqual([true, false]);
    expect(stateOf(derived)).toBe(stateOf(ctx));
  });

  it('rejects a context that the framework did not make', () => {
    expect(() => deriveContext({} as Context, { signal: AbortSignal.abort() })).toThrow(
      expect.objectContaining({ code: 'app.internal' }),
    );
  });
});

describe('contexts of two copies of the package', () => {
  it('are contexts for each other, with their state', async () => {
    import.meta.jest.resetModules();
    const copy = await import('../src/internal.js');
    expect(copy.RequestContext).not.toBe(RequestContext);
    const ctx = context();
    const theirs = new copy.RequestContext(requestState());
    expect([copy.stateOf(ctx), stateOf(theirs)]).toEqual([ctx.state, theirs.state]);
    expect(copy.stateOf(ctx)).toBe(ctx.state);
  });

  it.each<[string, (ctx: RequestContext) => unknown]>([
    ['a copy by spread', (ctx) => ({ ...ctx })],
    ['an object that inherits from one', (ctx) => Object.create(ctx)],
    ['an object with a state', (ctx) => ({ state: ctx.state })],
    ['nothing', () => null],
    ['a text', () => 'ctx'],
  ])('are not %s', (_, make) => {
    expect(() => stateOf(make(context()) as Context)).toThrow(expect.objectContaining({ code: 'app.internal' }));
  });
});

describe('typed keys', () => {
  it('keep a value of their type; two keys of one name are two keys', () => {
    const ctx: Context = context();
    ctx.set(COUNT, 1);
    ctx.set('count', 'text');
    const count: number | undefined = ctx.get(COUNT);
    expect([count, ctx.get(OTHER), ctx.get('count')]).toEqual([1, undefined, 'text']);
    ctx.set(OTHER, 2);
    expect([ctx.get(COUNT), ctx.get(OTHER)]).toEqual([1, 2]);
  });

  it('have the type of their value checked at compile time', () => {
    expect((ctx: Context) => {
      // @ts-expect-error the key is for numbers
      ctx.set(COUNT, 'text');
      // @ts-expect-error the value of a string key is unknown
      const kept: number = ctx.get('count');
      // @ts-expect-error the key is for numbers
      const text: string | undefined = ctx.get(COUNT);
      return [kept, text];
    }).toBeInstanceOf(Function);
  });

  it.each([[{ name: 'count' }], [null], [1], [undefined]])('reject the key %p', (key) => {
    expect(() => context().set(key as never, 1)).toThrow(expect.objectContaining({ code: 'app.bad_request' }));
  });
});

it('a context shows neither headers nor the environment as JSON', () => {
  const ctx = context({ headers: { authorization: 'Bearer abc' } });
  expect(JSON.parse(JSON.stringify({ ctx }))).toEqual({
    ctx: { requestId: 'req-1', traceId: '', triggerKind: 'gateway-v2', route: null },
  });
});
