import { Writable } from 'node:stream';
import type { Context } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { HttpSurface } from '../src/http-surface.js';
import { createLambdaFunctionURLStreamingHandler, type SseEvent, sseEventStream } from '../src/index.js';
import { createOpenKernel } from '../src/open-kernel.js';
import { STREAM_ACCESS, type StreamingApp } from '../src/surface-access.js';
import { functionUrl, LAMBDA } from './support/doors.js';

type Runtime = { awslambda?: unknown };
type Invoke = (event: unknown, stream: Writable, context: unknown) => Promise<void>;

/** A response stream whose reader the test sends away. */
function createReader() {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  stream.on('error', () => {});
  return { chunks, stream };
}

/** A source that gives one event and then nothing, and notes when it is told to end. */
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

function streamingHandler(clock: ManualClock, handler: (ctx: Context) => ReturnType<typeof sseEventStream>): Invoke {
  (globalThis as Runtime).awslambda = {
    streamifyResponse: (run: unknown) => run,
    HttpResponseStream: { from: (stream: unknown) => stream },
  };
  const surface = new HttpSurface(createOpenKernel({ clock }), {});
  surface.register('GET', '/', handler);
  const app: StreamingApp = {
    [STREAM_ACCESS]: { http: surface, detect: () => 'function-url' },
    handleLambda: async () => null,
  };
  return createLambdaFunctionURLStreamingHandler(app) as unknown as Invoke;
}

afterEach(() => {
  delete (globalThis as Runtime).awslambda;
});

describe('an event stream at a streaming door', () => {
  it('ends source and timers when its reader is gone in the middle of a wait', async () => {
    const clock = new ManualClock();
    const { source, calls } = quiet();
    let signal: AbortSignal | undefined;
    const handler = streamingHandler(clock, (ctx) => {
      signal = ctx.signal;
      return sseEventStream(source, { heartbeatMs: 1000, clock, signal });
    });
    const { chunks, stream } = createReader();
    const running = handler(functionUrl.event({}), stream, LAMBDA).catch(() => {});
    await clock.advance(1000);
    expect(chunks.join('')).toBe('data: first\n\n: keep-alive\n\n');
    stream.destroy();
    await clock.advance(0);
    expect(calls).toEqual(['return']);
    expect(signal?.aborted).toBe(true);
    await running;
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends source and timers at the deadline', async () => {
    const clock = new ManualClock();
    const { source, calls } = quiet();
    const handler = streamingHandler(clock, (ctx) =>
      sseEventStream(source, { heartbeatMs: 1000, clock, signal: ctx.signal }),
    );
    const { stream } = createReader();
    const lambda = { ...LAMBDA, getRemainingTimeInMillis: () => 2500 };
    const running = handler(functionUrl.event({}), stream, lambda).catch(() => {});
    await clock.advance(2500);
    await running;
    expect(calls).toEqual(['return']);
    expect(clock.pendingTimers).toBe(0);
  });
});
