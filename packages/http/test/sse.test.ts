import { getEventListeners } from 'node:events';
import type { FrameworkError } from '@sallyport/core';
import { closeStream } from '@sallyport/core/internal';
import { ManualClock } from '@sallyport/core/testing';
import { encodeSseEvent, type SseEvent, sse, sseEventStream } from '../src/responses/sse.js';

const INTERNAL = expect.objectContaining({
  code: 'app.internal',
  message: 'internal error',
}) as unknown as FrameworkError;

type Bytes = AsyncIterator<Uint8Array>;

const iterate = (response: { bodyStream?: unknown }): Bytes =>
  (response.bodyStream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
const text = async (iterator: Bytes): Promise<string> => {
  const { done, value } = await iterator.next();
  return done ? '(done)' : Buffer.from(value).toString('utf8');
};

/** A source that yields events under control of the test, and records the calls of its methods. */
function controlled() {
  const waiting: ((result: IteratorResult<SseEvent>) => void)[] = [];
  const calls: string[] = [];
  const source: AsyncIterable<SseEvent> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        calls.push('next');
        return new Promise((resolve) => waiting.push(resolve));
      },
      async return() {
        calls.push('return');
        return { done: true, value: undefined };
      },
    }),
  };
  return { source, calls, give: (event: SseEvent) => waiting.shift()?.({ done: false, value: event }) };
}

describe('encodeSseEvent', () => {
  it.each<[SseEvent, string]>([
    [{}, 'data: \n\n'],
    [{ data: '' }, 'data: \n\n'],
    [{ data: 'a' }, 'data: a\n\n'],
    [{ id: '7', event: 'tick', retry: 0, data: 'x' }, 'id: 7\nevent: tick\nretry: 0\ndata: x\n\n'],
    [{ id: '', event: '', data: 'x' }, 'data: x\n\n'],
    [{ data: 'a\r\nb\rc\nd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
    [{ data: 'a\n' }, 'data: a\ndata: \n\n'],
    [{ data: '\n\r' }, 'data: \ndata: \ndata: \n\n'],
    [{ data: { a: 'x\ny' } }, 'data: {"a":"x\\ny"}\n\n'],
    [{ data: [1] }, 'data: [1]\n\n'],
    [{ data: 5 }, 'data: 5\n\n'],
    [{ data: null }, 'data: null\n\n'],
    [{ data: Buffer.from('ü') }, 'data: ü\n\n'],
    [{ data: ' x' }, 'data:  x\n\n'],
    [{ event: 'ü:', data: ':' }, 'event: ü:\ndata: :\n\n'],
  ])('%j', (event, frame) => {
    expect(encodeSseEvent(event)).toBe(frame);
  });

  it.each<[string, SseEvent]>([
    ['LF in id', { id: 'a\nb' }],
    ['CR in id', { id: 'a\r' }],
    ['NUL in id', { id: '\0' }],
    ['LF in event', { event: 'a\ndata: x' }],
    ['CR in event', { event: '\ra' }],
    ['NUL in event', { event: 'a\0b' }],
    ['id that is no text', { id: 5 as unknown as string }],
    ['negative retry', { retry: -1 }],
    ['fractional retry', { retry: 1.5 }],
    ['retry that is text', { retry: '1\ndata: x' as unknown as number }],
    ['data that is no JSON', { data: 1n }],
  ])('rejects %s', (_, event) => {
    expect(() => encodeSseEvent(event)).toThrow(INTERNAL);
  });
});

describe('sse', () => {
  it('answers all events as one text', () => {
    const response = sse(200, [{ id: '1', data: 'a' }, { data: { b: 2 } }]);
    expect(response.content).toBe('id: 1\ndata: a\n\ndata: {"b":2}\n\n');
    expect({ ...response.headers }).toEqual({
      'content-type': ['text/event-stream'],
      'cache-control': ['no-cache'],
    });
  });

  it('rejects an event that would break a frame', () => {
    expect(() => sse(200, [{ id: 'a\rb' }])).toThrow(INTERNAL);
  });
});

describe('sseEventStream', () => {
  it('sends one event a chunk with the headers of an event stream', async () => {
    const response = sseEventStream([{ data: 'a' }, { data: 'b' }]);
    expect(response.status).toBe(200);
    expect({ ...response.headers }).toEqual({
      'content-type': ['text/event-stream'],
      'cache-control': ['no-cache'],
    });
    const stream = iterate(response);
    expect([await text(stream), await text(stream), await text(stream), await text(stream)]).toEqual([
      'data: a\n\n',
      'data: b\n\n',
      '(done)',
      '(done)',
    ]);
  });

  it('requests no event before the previous event is accepted', async () => {
    const { source, calls, give } = controlled();
    const stream = iterate(sseEventStream(source));
    expect(calls).toEqual([]);
    const first = text(stream);
    await new Promise(setImmediate);
    expect(calls).toEqual(['next']);
    give({ data: 'a' });
    expect(await first).toBe('data: a\n\n');
    await new Promise(setImmediate);
    expect(calls).toEqual(['next']);
  });

  it('answers calls that overlap in their order', async () => {
    const stream = iterate(sseEventStream([{ data: 'a' }, { data: 'b' }]));
    expect(await Promise.all([text(stream), text(stream), text(stream)])).toEqual([
      'data: a\n\n',
      'data: b\n\n',
      '(done)',
    ]);
  });

  it('sends heartbeats while it waits, loses no event, and leaves no timer', async () => {
    const clock = new ManualClock();
    const { source, calls, give } = controlled();
    const stream = iterate(sseEventStream(source, { heartbeatMs: 1000, clock }));
    const first = text(stream);
    await clock.advance(999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    expect(await first).toBe(': keep-alive\n\n');
    expect(clock.pendingTimers).toBe(0);
    const second = text(stream);
    await clock.advance(1000);
    expect(await second).toBe(': keep-alive\n\n');
    give({ data: 'late' });
    expect(await text(stream)).toBe('data: late\n\n');
    expect(clock.pendingTimers).toBe(0);
    expect(calls).toEqual(['next']);
  });

  it('sends no heartbeat without a reader', async () => {
    const clock = new ManualClock();
    const { source, give } = controlled();
    const stream = iterate(sseEventStream(source, { heartbeatMs: 10, clock }));
    const first = text(stream);
    await clock.advance(0);
    give({ data: 'a' });
    await first;
    await clock.advance(1000);
    const second = text(stream);
    await clock.advance(0);
    give({ data: 'b' });
    expect(await second).toBe('data: b\n\n');
  });

  it('ends source and timer when its reader leaves in the middle of a wait', async () => {
    const clock = new ManualClock();
    const { source, calls } = controlled();
    const stream = iterate(sseEventStream(source, { heartbeatMs: 1000, clock }));
    const waiting = text(stream);
    await clock.advance(1);
    expect(await stream.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toBe('(done)');
    expect(calls).toEqual(['next', 'return']);
    expect(clock.pendingTimers).toBe(0);
    await stream.return?.();
    expect(calls).toEqual(['next', 'return']);
  });

  it('ends source and timer when its signal aborts, and lets go of the signal', async () => {
    const clock = new ManualClock();
    const { source, calls } = controlled();
    const abort = new AbortController();
    const stream = iterate(sseEventStream(source, { heartbeatMs: 1000, clock, signal: abort.signal }));
    const waiting = text(stream);
    await clock.advance(1);
    abort.abort();
    expect(await waiting).toBe('(done)');
    expect(await text(stream)).toBe('(done)');
    expect(calls).toEqual(['next', 'return']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('removes its listener from a signal that lives longer', async () => {
    const { signal } = new AbortController();
    const stream = iterate(sseEventStream([{ data: 'a' }], { signal }));
    await text(stream);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await text(stream);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('never starts a source under a signal that has aborted', async () => {
    const { source, calls } = controlled();
    const stream = iterate(sseEventStream(source, { signal: AbortSignal.abort() }));
    expect(await text(stream)).toBe('(done)');
    expect(calls).toEqual(['return']);
  });

  it('ends a source that was never read', async () => {
    const { source, calls } = controlled();
    await closeStream(sseEventStream(source).bodyStream ?? []);
    expect(calls).toEqual(['return']);
  });

  it('passes the error of its source on, once, and clears the timer', async () => {
    const clock = new ManualClock();
    async function* failing(): AsyncGenerator<SseEvent> {
      yield { data: 'a' };
      throw new Error('source failed');
    }
    const stream = iterate(sseEventStream(failing(), { heartbeatMs: 5, clock }));
    expect(await text(stream)).toBe('data: a\n\n');
    await expect(text(stream)).rejects.toThrow('source failed');
    expect(await text(stream)).toBe('(done)');
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails at an event that would break a frame, and ends the source', async () => {
    let closed = false;
    function* events(): Generator<SseEvent> {
      try {
        yield { event: 'a\nb' };
      } finally {
        closed = true;
      }
    }
    await expect(text(iterate(sseEventStream(events())))).rejects.toThrow(INTERNAL);
    expect(closed).toBe(true);
  });

  it('ignores an error of a source after return()', async () => {
    const source: AsyncIterable<SseEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: () => Promise.reject(new Error('too late')),
      }),
    };
    const stream = iterate(sseEventStream(source));
    void stream.next();
    expect(await stream.return?.()).toEqual({ done: true, value: undefined });
  });

  it.each([
    [{ heartbeatMs: 0 }, 'option "heartbeatMs"'],
    [{ heartbeatMs: Number.NaN }, 'option "heartbeatMs"'],
    [{ heartbeat: 5 }, 'unknown option "heartbeat"'],
  ])('rejects the options %j', (options, message) => {
    expect(() => sseEventStream([], options as object)).toThrow(expect.failure('app.invalid_configuration', message));
  });
});
