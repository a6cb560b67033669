import type { Context } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { createLambdaFunctionURLStreamingHandler, type SseEvent, sseEventStream } from '../src/index.js';
import { createOpenKernel } from '../src/pipeline/options.js';
import { HttpSurface, STREAM_ACCESS } from '../src/surface/http-surface.js';
import { functionUrl, LAMBDA } from './support/doors.js';
import { type Invoke, StreamRuntime, until } from './support/runtime-stream.js';

let runtime: StreamRuntime;
beforeEach(async () => {
  runtime = await StreamRuntime.start();
});
afterEach(() => runtime.stop());

/** A source that yields one event and then hangs, and records the call of `return`. */
function quiet() {
  const calls: string[] = [];
  let given = false;
  const source: AsyncIterable<SseEvent> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (given) return new Promise(() => {});
        given = true;
        return Promise.resolve({ done: false as const, value: { data: 'first' } });
      },
      async return() {
        calls.push('return');
        return { done: true as const, value: undefined };
      },
    }),
  };
  return { source, calls };
}

function load(clock: ManualClock, handler: (ctx: Context) => ReturnType<typeof sseEventStream>): Invoke {
  const surface = new HttpSurface(createOpenKernel({ clock }), {});
  surface.register('GET', '/', handler);
  const app = {
    '~sallyport.streams/1': true as const,
    [STREAM_ACCESS]: { http: surface, detect: () => 'function-url' },
    handleLambda: async () => null,
  };
  return runtime.load(() => createLambdaFunctionURLStreamingHandler(app));
}

const FIRST = 'data: first\n\n';
const HEARTBEAT = ': keep-alive\n\n';

describe('an event stream at a streaming door', () => {
  it('ends source and timers when its reader is gone in the middle of a wait', async () => {
    const clock = new ManualClock();
    const { source, calls } = quiet();
    let signal: AbortSignal | undefined;
    const invoke = load(clock, (ctx) => {
      signal = ctx.signal;
      return sseEventStream(source, { heartbeatMs: 1000, clock, signal });
    });
    const { incoming, body, rejection } = invoke(functionUrl.event({}));
    await until(() => body().endsWith(FIRST));
    await clock.advance(1000);
    await until(() => body().endsWith(FIRST + HEARTBEAT));
    (await incoming).socket.destroy();
    expect(await rejection).toMatchObject({ code: 'app.timeout' });
    await clock.advance(0);
    expect([calls, signal?.aborted, clock.pendingTimers]).toEqual([['return'], true, 0]);
  });

  it('ends source and timers at the deadline', async () => {
    const clock = new ManualClock();
    const { source, calls } = quiet();
    const invoke = load(clock, (ctx) => sseEventStream(source, { heartbeatMs: 1000, clock, signal: ctx.signal }));
    const context = { ...LAMBDA, getRemainingTimeInMillis: () => 2500 };
    const { body, rejection } = invoke(functionUrl.event({}), { context });
    await until(() => body().endsWith(FIRST));
    await clock.advance(2500);
    await rejection;
    expect([calls, clock.pendingTimers]).toEqual([['return'], 0]);
  });
});
