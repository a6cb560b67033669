import type { Context, FrameworkError, Middleware, Next, Response } from '@sallyport/core';
import { stateOf } from '@sallyport/core/internal';
import { ManualClock } from '@sallyport/core/testing';
import { type TimeoutOptions, timeoutMiddleware } from '../src/pipeline/timeout.js';
import { json, text } from '../src/responses/responses.js';
import { sseEventStream } from '../src/responses/sse.js';
import { type ContextInput, contextOf } from './support/context.js';

const never = () => new Promise<Response>(() => {});

/** Runs a middleware in front of `next` on a clock that the test moves. */
function start(options: TimeoutOptions, next: Next, input: ContextInput = {}) {
  const clock = new ManualClock();
  const ctx = contextOf({ clock, ...input });
  const middleware: Middleware = timeoutMiddleware(options);
  let outcome: unknown;
  const run = Promise.resolve(middleware(ctx, next)).then(
    (response) => {
      outcome = response;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  return { clock, ctx, run, outcome: () => outcome };
}

const lambda = (remaining: number) => ({ getRemainingTimeInMillis: () => remaining });

describe('timeoutMiddleware', () => {
  it('answers 408 when the time limit is reached, and not before', async () => {
    const { clock, outcome } = start({}, never);
    await clock.advance(27_999);
    expect(outcome()).toBeUndefined();
    await clock.advance(1);
    const error = outcome() as FrameworkError;
    expect([error.code, error.status, error.message]).toEqual(['app.timeout', 408, 'request timeout']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('uses the message of the option', async () => {
    const { clock, outcome } = start({ timeoutMessage: 'too slow' }, never);
    await clock.advance(30_000);
    expect((outcome() as FrameworkError).message).toBe('too slow');
  });

  it('passes an answer in time on, and clears the timer', async () => {
    const { clock, run, outcome } = start({}, async () => text(200, 'a') as Response);
    await run;
    expect((outcome() as Response).status).toBe(200);
    expect(clock.pendingTimers).toBe(0);
  });

  it('passes an error in time on, and clears the timer', async () => {
    const { clock, run, outcome } = start({}, () => Promise.reject(new Error('mine')));
    await run;
    expect((outcome() as Error).message).toBe('mine');
    expect(clock.pendingTimers).toBe(0);
  });

  it('clears the timer if the handler throws synchronously', async () => {
    const { clock, run, outcome } = start({}, () => {
      throw new Error('at once');
    });
    await run;
    expect((outcome() as Error).message).toBe('at once');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each<[string, TimeoutOptions, ContextInput, number]>([
    ['the default', { defaultTimeoutMs: 50 }, {}, 50],
    ["the tenant's", { defaultTimeoutMs: 50, tenantTimeoutsMs: { acme: 70 } }, { tenantId: 'acme' }, 70],
    ["another tenant's", { defaultTimeoutMs: 50, tenantTimeoutsMs: { acme: 70 } }, { tenantId: 'toString' }, 50],
    [
      "the operation's before the tenant's",
      { tenantTimeoutsMs: { acme: 70 }, operationTimeoutsMs: { 'GET:/users/{id}': 90 } },
      { tenantId: 'acme', path: '/users/7', pattern: '/users/{id}' },
      90,
    ],
    [
      "the operation's as it was registered",
      { operationTimeoutsMs: { 'get:/users/:id': 90 } },
      { path: '/users/7', pattern: '/users/{id}' },
      90,
    ],
    [
      "the operation's of a route without a method",
      { operationTimeoutsMs: { $connect: 90 } },
      { method: '', pattern: '$connect' },
      90,
    ],
    [
      "not the operation's of another method",
      { defaultTimeoutMs: 50, operationTimeoutsMs: { 'GET:/users/{id}': 90 } },
      { method: 'PUT', path: '/users/7', pattern: '/users/{id}' },
      50,
    ],
    ['what is left without the margin', { defaultTimeoutMs: 500 }, { lambdaContext: lambda(300) }, 200],
    ['what is left without a margin of 0', { safetyMarginMs: 0 }, { lambdaContext: lambda(300) }, 300],
    ['at least 1 ms', { defaultTimeoutMs: 500 }, { lambdaContext: lambda(40) }, 1],
    ['the configured time where the end is unknown', { defaultTimeoutMs: 500 }, { lambdaContext: lambda(0) }, 500],
  ])('waits for %s', async (_, options, input, budget) => {
    const { clock, outcome } = start(options, never, input);
    await clock.advance(budget - 1);
    expect(outcome()).toBeUndefined();
    await clock.advance(1);
    expect((outcome() as FrameworkError).code).toBe('app.timeout');
  });

  it.each<[string, TimeoutOptions, ContextInput]>([
    ['default', { defaultTimeoutMs: 0 }, {}],
    ['tenant', { tenantTimeoutsMs: { acme: -1 } }, { tenantId: 'acme' }],
    ['operation', { operationTimeoutsMs: { 'GET:/': 0 } }, { lambdaContext: lambda(200) }],
  ])('does nothing where the %s value is 0 or less', async (_, options, input) => {
    let seen: Context | undefined;
    const { clock, ctx } = start(
      options,
      (inner) => {
        seen = inner;
        return never();
      },
      input,
    );
    expect(seen).toBe(ctx);
    expect(clock.pendingTimers).toBe(0);
  });

  it('aborts the signal inside, with the error as its reason', async () => {
    let signal: AbortSignal | undefined;
    const { clock, ctx } = start({}, (inner) => {
      signal = inner.signal;
      return never();
    });
    await clock.advance(30_000);
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ code: 'app.timeout' });
    expect(ctx.signal.aborted).toBe(false);
  });

  it('answers 408 even if the abort makes the handler answer', async () => {
    const { clock, outcome } = start({}, (inner) => {
      return new Promise((resolve) => {
        inner.signal.addEventListener('abort', () => resolve(text(200, 'partial')));
      });
    });
    await clock.advance(30_000);
    expect((outcome() as FrameworkError).code).toBe('app.timeout');
  });

  it('passes the abort of the invocation on', async () => {
    let signal: AbortSignal | undefined;
    const { ctx } = start({}, (inner) => {
      signal = inner.signal;
      return never();
    });
    expect(signal?.aborted).toBe(false);
    stateOf(ctx).abort('client gone');
    expect(signal?.reason).toBe('client gone');
  });

  it('starts under an aborted signal with an aborted signal', () => {
    const clock = new ManualClock();
    const ctx = contextOf({ clock });
    stateOf(ctx).abort('client gone');
    let reason: unknown;
    void timeoutMiddleware()(ctx, (inner) => {
      reason = inner.signal.reason;
      return never();
    });
    expect(reason).toBe('client gone');
  });

  it('passes an abort of the invocation only to a stream that is still sent', async () => {
    const signals: AbortSignal[] = [];
    const streaming = start({}, async (inner) => {
      signals.push(inner.signal);
      return sseEventStream([{ data: 'a' }]) as Response;
    });
    const plain = start({}, async (inner) => {
      signals.push(inner.signal);
      return json(200, 1) as Response;
    });
    await Promise.all([streaming.run, plain.run]);
    stateOf(streaming.ctx).abort('client gone');
    stateOf(plain.ctx).abort('client gone');
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
  });

  it('ignores a rejection after the time limit', async () => {
    let reject = (_: Error) => {};
    const { clock, outcome } = start({}, () => {
      return new Promise((_, no) => {
        reject = no;
      });
    });
    await clock.advance(30_000);
    reject(new Error('late'));
    await new Promise(setImmediate);
    expect((outcome() as FrameworkError).code).toBe('app.timeout');
  });

  it('closes the stream of a late answer', async () => {
    let resolve = (_: Response) => {};
    let closed = false;
    const { clock } = start({}, () => {
      return new Promise((yes) => {
        resolve = yes;
      });
    });
    await clock.advance(30_000);
    const late = json(200, 1);
    late.bodyStream = {
      [Symbol.asyncIterator]: () => ({
        next: never as () => Promise<never>,
        return: async () => {
          closed = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    resolve(late);
    await new Promise(setImmediate);
    expect(closed).toBe(true);
  });

  it('keeps principal, bag, transport and ids', async () => {
    const clock = new ManualClock();
    const ctx = contextOf({ clock });
    const state = stateOf(ctx);
    state.principal = { identity: 'ada', scopes: ['read'] };
    state.requestId = 'req-1';
    state.transport = { metadata: () => 'appsync' };
    ctx.set('trail', 'outer');
    let inner: Context | undefined;
    await timeoutMiddleware()(ctx, async (derived) => {
      inner = derived;
      derived.set('trail', 'inner');
      return json(200, 1) as Response;
    });
    expect(inner?.securePrincipal()).toEqual({ identity: 'ada', scopes: ['read'] });
    expect([inner?.requestId, inner?.get('framework.trigger_type')]).toEqual(['req-1', 'appsync']);
    expect(ctx.get('trail')).toBe('inner');
  });

  it('may be nested: the shorter limit counts', async () => {
    const inner = timeoutMiddleware({ defaultTimeoutMs: 10, timeoutMessage: 'inner' });
    const { clock, outcome } = start({ defaultTimeoutMs: 20 }, async (ctx) => (await inner(ctx, never)) as Response);
    await clock.advance(10);
    expect((outcome() as FrameworkError).message).toBe('inner');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    [{ timeoutMs: 5 }, 'app.invalid_configuration', 'unknown option "timeoutMs"'],
    [{ defaultTimeoutMs: '5' }, 'app.invalid_configuration', 'option "defaultTimeoutMs"'],
    [{ defaultTimeoutMs: Number.POSITIVE_INFINITY }, 'app.invalid_configuration', 'option "defaultTimeoutMs"'],
    [{ tenantTimeoutsMs: { a: null } }, 'app.invalid_configuration', 'option "tenantTimeoutsMs.a"'],
    [{ operationTimeoutsMs: 5 }, 'app.invalid_configuration', 'option "operationTimeoutsMs"'],
    [{ operationTimeoutsMs: { 'GET:/a{b}': 5 } }, 'app.bad_request', 'invalid route pattern'],
    [{ timeoutMessage: 5 }, 'app.invalid_configuration', 'option "timeoutMessage"'],
    [{ safetyMarginMs: -1 }, 'app.invalid_configuration', 'option "safetyMarginMs"'],
  ])('rejects the options %j', (options, code, name) => {
    expect(() => timeoutMiddleware(options as object)).toThrow(expect.failure(code, name));
  });
});
