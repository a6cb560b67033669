import { type BodyStream, FrameworkError, type LambdaContext, type LogRecord } from '@sallyport/core';
import {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  type OpenPipelineOptions,
  text,
} from '../src/index.js';
import { ABORTED, raceWithAbort } from '../src/pipeline/internal/body-stream.js';
import { createOpenKernel, toHttpOptions } from '../src/pipeline/options.js';
import { HttpSurface, STREAM_ACCESS, type StreamingApp } from '../src/surface/http-surface.js';
import { functionUrl, gatewayV1, gatewayV2, LAMBDA, type TestDoor } from './support/doors.js';
import { type Invocation, type Received, StreamRuntime, until } from './support/runtime-stream.js';

type Route = Parameters<HttpSurface['register']>[2];

/** The smallest container that a streaming handler accepts. */
function appWith(routes: Record<string, Route>, options: OpenPipelineOptions = {}): StreamingApp {
  const surface = new HttpSurface(createOpenKernel(options), toHttpOptions(options));
  for (const [path, handler] of Object.entries(routes)) surface.register('GET', path, handler);
  const kindOf = (event: unknown) => {
    const { httpMethod, requestContext } = event as { httpMethod?: string; requestContext: { domainName?: string } };
    if (httpMethod) return 'gateway-v1';
    return requestContext.domainName?.includes('lambda-url') ? 'function-url' : 'gateway-v2';
  };
  const app = {
    '~sallyport.streams/1': true as const,
    [STREAM_ACCESS]: { http: surface, detect: kindOf },
    handleLambda: (event: unknown, lambdaContext?: LambdaContext) =>
      surface.serve(kindOf(event), event, { lambdaContext }),
  };
  return app;
}

let runtime: StreamRuntime;
beforeEach(async () => {
  runtime = await StreamRuntime.start();
});
afterEach(() => runtime.stop());

const loadUrl = (app: StreamingApp, options?: { writesMetadata: boolean }) =>
  runtime.load(() => createLambdaFunctionURLStreamingHandler(app), options);
const eventOf = (door: TestDoor) => door.event({ path: '/s' });

/** One answer of a function URL, from its handler's first line to its last byte. */
async function answerOf(route: Route, options: OpenPipelineOptions = {}): Promise<Received & { rejection: unknown }> {
  const { received, rejection } = loadUrl(appWith({ '/s': route }, options))(eventOf(functionUrl));
  return { ...(await received), rejection: await rejection };
}

async function* failing(after: number, error: unknown = new Error('secret')): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < after; index += 1) yield Buffer.from(`c${index}`);
  throw error;
}

const streaming =
  (bodyStream: BodyStream): Route =>
  () => ({ headers: { 'x-a': ['1', '2'] }, cookies: ['a=1', 'b=2'], bodyStream });

/** A source that yields one chunk, then hangs, and records the call of `return`. */
function hanging(chunks = 1) {
  const calls: string[] = [];
  let given = 0;
  const bodyStream: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (given === chunks) return new Promise(() => {});
        given += 1;
        return Promise.resolve({ done: false as const, value: Buffer.from('a') });
      },
      return() {
        calls.push('return');
        return new Promise(() => {});
      },
    }),
  };
  return { bodyStream, calls };
}

describe('a function URL streaming handler', () => {
  it('sends metadata, then each chunk immediately', async () => {
    const answer = await answerOf(streaming([Buffer.from('a'), Buffer.from('b')]));
    expect(answer.metadata).toEqual({
      statusCode: 200,
      headers: { 'x-a': '1,2', 'x-request-id': 'req-1' },
      cookies: ['a=1', 'b=2'],
    });
    expect([answer.body, answer.complete, answer.rejection]).toEqual(['ab', true, undefined]);
  });

  it('writes metadata and body itself where the runtime does not: JSON, eight NUL bytes, body', async () => {
    const app = appWith({ '/s': () => text(200, 'hi') });
    const { contentType, metadata, body } = await loadUrl(app, { writesMetadata: false })(eventOf(functionUrl))
      .received;
    expect([contentType, body]).toEqual(['application/vnd.awslambda.http-integration-response', 'hi']);
    expect(metadata).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-request-id': 'req-1' },
    });
  });

  it.each<[string, Route, number, string]>([
    ['an empty body', () => ({ status: 204 }), 204, ''],
    ['a redirect', () => ({ status: 302, headers: { location: '/x' } }), 302, ''],
    ['an empty stream', () => ({ bodyStream: [] }), 200, ''],
    ['a stream of one empty chunk', () => ({ bodyStream: [Buffer.alloc(0)] }), 200, ''],
    ['a body before its stream', () => ({ body: 'a', bodyStream: [Buffer.from('b')] }), 200, 'ab'],
    [
      'an error before the first chunk',
      () => ({ bodyStream: failing(0) }),
      500,
      '{"error":{"code":"app.internal","message":"internal error","request_id":"req-1"}}',
    ],
    [
      'a coded error before the first chunk',
      () => ({ bodyStream: failing(0, new FrameworkError('app.conflict')) }),
      409,
      '{"error":{"code":"app.conflict","message":"conflict","request_id":"req-1"}}',
    ],
  ])('sends metadata for %s', async (_name, route, status, body) => {
    expect(await answerOf(route)).toMatchObject({ metadata: { statusCode: status }, body, complete: true });
  });

  it('answers 500 for a header value with characters that are not one byte', async () => {
    const { metadata, body } = await answerOf(() => ({ headers: { 'x-a': '€' }, bodyStream: [Buffer.from('a')] }));
    expect([metadata?.statusCode, JSON.stringify(metadata).includes('x-a')]).toEqual([500, false]);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'app.internal' } });
  });

  it('answers 413 when the first chunk exceeds the limit already', async () => {
    const answer = await answerOf(() => ({ bodyStream: [Buffer.alloc(5)] }), { limits: { maxResponseBytes: 4 } });
    expect([answer.metadata?.statusCode, answer.rejection]).toEqual([413, undefined]);
  });

  it('answers 413 when the body before the stream exceeds the limit already', async () => {
    const route = () => ({ body: 'head!', bodyStream: [Buffer.from('a')] });
    const answer = await answerOf(route, { limits: { maxResponseBytes: 4 } });
    expect([answer.metadata?.statusCode, answer.rejection]).toEqual([413, undefined]);
  });

  it('ends the source at the chunk that exceeds the limit', async () => {
    const { bodyStream, calls } = hanging(3);
    const answer = await answerOf(() => ({ bodyStream }), { limits: { maxResponseBytes: 2 } });
    expect([answer.body, answer.rejection, calls]).toEqual([
      'aa',
      expect.objectContaining({ code: 'app.too_large' }),
      ['return'],
    ]);
  });

  it('keeps raw bytes, and reads none of 30 MiB before a slow reader has taken the previous ones', async () => {
    const MEBIBYTE = 1024 * 1024;
    const asked: boolean[] = [];
    let stream: Invocation['stream'] | undefined;
    async function* chunks() {
      for (let index = 0; index < 30; index += 1) {
        asked.push(stream?.writableNeedDrain ?? false);
        yield Buffer.alloc(MEBIBYTE, index + 1);
      }
    }
    const app = appWith({ '/s': () => ({ bodyStream: chunks() }) });
    const invocation = loadUrl(app)(eventOf(functionUrl));
    ({ stream } = invocation);
    const reader = await invocation.incoming;
    reader.on('data', () => {
      reader.pause();
      setImmediate(() => reader.resume());
    });
    expect([(await invocation.received).bytes, await invocation.rejection]).toEqual([30 * MEBIBYTE, undefined]);
    expect(asked).toEqual(new Array(30).fill(false));
  });

  it('does not show a header that is set after the first chunk', async () => {
    const headers: Record<string, string> = { 'x-a': 'early' };
    async function* late() {
      yield Buffer.from('a');
      headers['x-a'] = 'late';
    }
    const { metadata } = await answerOf(() => ({ headers, bodyStream: late() }));
    expect(metadata?.headers).toMatchObject({ 'x-a': 'early' });
  });

  it('logs at the end of the stream and not at its start', async () => {
    const order: string[] = [];
    async function* chunks() {
      yield Buffer.from('a');
      order.push('last chunk');
    }
    await answerOf(() => ({ bodyStream: chunks() }), { observability: { log: () => order.push('logged') } });
    expect(order).toEqual(['last chunk', 'logged']);
  });

  it('answers 500 when the metadata would not fit', async () => {
    const headers = { 'x-big': 'x'.repeat(17_000) };
    const { metadata, complete } = await answerOf(() => ({ headers, bodyStream: [Buffer.from('a')] }));
    expect([metadata?.statusCode, complete]).toEqual([500, true]);
  });

  it('answers events of other kinds as JSON', async () => {
    const app = appWith({ '/s': () => text(200, 'hi') });
    const { body } = await loadUrl(app)(eventOf(gatewayV2)).received;
    expect(JSON.parse(body)).toMatchObject({ statusCode: 200, body: 'hi' });
  });

  it('shows the handler that the door streams', async () => {
    expect((await answerOf((ctx) => text(200, String(ctx.canStream)))).body).toBe('true');
  });

  it('answers in one piece outside Lambda: the stream is collected', async () => {
    const app = appWith({
      '/s': (ctx) => ({ headers: { 'x-can': String(ctx.canStream) }, bodyStream: [Buffer.from('a')] }),
    });
    const answer = await createLambdaFunctionURLStreamingHandler(app)(eventOf(functionUrl), LAMBDA);
    expect(answer).toMatchObject({ statusCode: 200, body: 'a', headers: { 'x-can': 'false' } });
  });
});

describe('a streamed answer that breaks off', () => {
  /** Nothing here may go unhandled: on Lambda that is the end of the process. */
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  beforeAll(() => process.on('unhandledRejection', note));
  afterAll(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  const timers: (() => void)[] = [];
  const clock = {
    now: () => new Date(0),
    after: (_ms: number, run: () => void) => {
      timers.push(run);
      return () => {};
    },
  };
  const reachDeadline = () => {
    for (const run of timers.splice(0)) run();
  };

  it.each<[string, Route, OpenPipelineOptions, string, string, string]>([
    ['an error after 1 chunk', () => ({ bodyStream: failing(1) }), {}, 'c0', 'app.internal', 'internal error'],
    ['an error after 3 chunks', () => ({ bodyStream: failing(3) }), {}, 'c0c1c2', 'app.internal', 'internal error'],
    [
      'an error with a code and words of its own',
      () => ({ bodyStream: failing(1, new FrameworkError('app.conflict', 'secret')) }),
      {},
      'c0',
      'app.conflict',
      'conflict',
    ],
    [
      'a chunk that is no bytes',
      () => ({ bodyStream: [Buffer.from('a'), 5] as never }),
      {},
      'a',
      'app.internal',
      'internal error',
    ],
    [
      'the chunk that exceeds the limit',
      () => ({ bodyStream: [Buffer.from('abc'), Buffer.from('def')] }),
      { limits: { maxResponseBytes: 4 } },
      'abc',
      'app.too_large',
      'request too large',
    ],
    [
      'the chunk that exceeds the limit together with the body before it',
      () => ({ body: 'head', bodyStream: [Buffer.from('a'), Buffer.from('b')] }),
      { limits: { maxResponseBytes: 5 } },
      'heada',
      'app.too_large',
      'request too large',
    ],
    [
      'an error behind a body',
      () => ({ body: 'head', bodyStream: failing(0) }),
      {},
      'head',
      'app.internal',
      'internal error',
    ],
  ])('rejects at %s, so that the runtime writes its trailers', async (_name, route, options, body, code, message) => {
    const logs: LogRecord[] = [];
    const answer = await answerOf(route, { ...options, observability: { log: (record) => logs.push(record) } });
    expect(answer).toMatchObject({ metadata: { statusCode: 200 }, body, complete: true, errorType: 'FrameworkError' });
    expect(answer.rejection).toMatchObject({ code, message });
    expect(logs.map(({ streamed, error_code }) => [streamed, error_code])).toEqual([[true, code]]);
  });

  it('keeps the cause of the rejection for logs, and does not show it to the client', async () => {
    const cause = new Error('secret');
    const { rejection } = await answerOf(() => ({ bodyStream: failing(1, cause) }));
    expect((rejection as Error).cause).toBe(cause);
    expect(JSON.stringify(rejection) + String((rejection as Error).stack)).not.toContain('secret');
  });

  it.each([
    ['answers 408 at the deadline when no byte has left', 0, { metadata: { statusCode: 408 }, errorType: undefined }],
    [
      'rejects at the deadline behind a byte',
      1,
      { metadata: { statusCode: 200 }, body: 'a', errorType: 'FrameworkError' },
    ],
  ])('%s; a source that hangs is called to end and not waited for', async (_name, chunks, expected) => {
    const logs: LogRecord[] = [];
    const { bodyStream, calls } = hanging(chunks);
    const observability = { log: (record: LogRecord) => logs.push(record) };
    const app = appWith({ '/s': () => ({ bodyStream }) }, { clock, observability });
    const { body, received, rejection } = loadUrl(app)(eventOf(functionUrl));
    await until(() => (chunks === 0 ? timers.length > 0 : body() !== ''));
    reachDeadline();
    const error = await rejection;
    expect(calls).toEqual(['return']);
    expect(await received).toMatchObject({ ...expected, complete: true });
    if (chunks > 0) expect(error).toMatchObject({ code: 'app.timeout', message: 'request timeout' });
    expect(logs.map(({ error_code }) => error_code)).toEqual(['app.timeout']);
  });

  it('has run the finally block of a generator that waits for its reader when it rejects at the deadline', async () => {
    let cleaned = false;
    async function* chunks() {
      try {
        for (;;) yield Buffer.alloc(1024 * 1024);
      } finally {
        cleaned = true;
      }
    }
    const app = appWith({ '/s': () => ({ bodyStream: chunks() }) }, { clock });
    const { stream, incoming, rejection } = loadUrl(app)(eventOf(functionUrl), { reads: false });
    await incoming;
    await until(() => stream.writableNeedDrain);
    reachDeadline();
    expect(await rejection).toMatchObject({ code: 'app.timeout' });
    expect([cleaned, stream.destroyed]).toEqual([true, false]);
  });

  it.each<[string, (invocation: Invocation) => Promise<unknown>]>([
    ['the runtime closes the connection', async ({ incoming }) => (await incoming).socket.destroy()],
    ['the response stream fails', async ({ stream }) => stream.destroy(new Error('broken pipe'))],
  ])('stops a source that hangs, aborts the signal and rejects when %s', async (_name, lose) => {
    let signal: AbortSignal | undefined;
    const { bodyStream, calls } = hanging();
    const app = appWith({
      '/s': (ctx) => {
        ({ signal } = ctx);
        return { bodyStream };
      },
    });
    const invocation = loadUrl(app)(eventOf(functionUrl));
    await until(() => invocation.body() !== '');
    await lose(invocation);
    expect(await invocation.rejection).toMatchObject({ code: 'app.timeout' });
    expect([calls, signal?.aborted, (await invocation.received).complete]).toEqual([['return'], true, false]);
  });

  it.each<[string, (invocation: Invocation) => Promise<unknown>]>([
    ['closes the connection', async ({ incoming }) => (await incoming).socket.destroy()],
    ['fails the stream', async ({ stream }) => stream.destroy(new Error('broken pipe'))],
  ])('rejects while it waits for a reader that %s', async (_name, lose) => {
    let asked = 0;
    async function* chunks() {
      for (; ; asked += 1) yield Buffer.alloc(1024 * 1024);
    }
    const app = appWith({ '/s': () => ({ bodyStream: chunks() }) });
    const invocation = loadUrl(app)(eventOf(functionUrl), { reads: false });
    await invocation.incoming;
    await until(() => invocation.stream.writableNeedDrain && asked > 0);
    const before = asked;
    await lose(invocation);
    expect(await invocation.rejection).toMatchObject({ code: 'app.timeout' });
    expect(asked).toBe(before);
  });

  it('rejects when the connection is lost before a whole body has left', async () => {
    const app = appWith({ '/s': () => text(200, 'x'.repeat(8 * 1024 * 1024)) });
    const { stream, incoming, rejection } = loadUrl(app)(eventOf(functionUrl), { reads: false });
    await incoming;
    await until(() => stream.writableNeedDrain);
    (await incoming).socket.destroy();
    expect(await rejection).toMatchObject({ code: 'app.timeout' });
  });

  it('does not change the process or the next invocation', async () => {
    const app = appWith({ '/s': () => ({ bodyStream: failing(1) }), '/next': () => text(200, 'well') });
    const invoke = loadUrl(app);
    const broken = invoke(eventOf(functionUrl));
    const beside = invoke(functionUrl.event({ path: '/next' }));
    expect(await broken.rejection).toBeDefined();
    expect([broken.stream.destroyed, (await beside.received).body]).toEqual([false, 'well']);
    expect((await invoke(functionUrl.event({ path: '/next' })).received).body).toBe('well');
  });
});

describe('a REST streaming handler', () => {
  it('puts repeats and cookies into the multi-value map', async () => {
    const app = appWith({ '/s': streaming([Buffer.from('a')]) });
    const { metadata, body } = await runtime.load(() => createGatewayRestStreamingHandler(app))(eventOf(gatewayV1))
      .received;
    expect(metadata).toEqual({
      statusCode: 200,
      headers: { 'x-request-id': 'req-1' },
      multiValueHeaders: { 'x-a': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] },
    });
    expect(body).toBe('a');
  });
});

it('ends a race that starts after the abort', async () => {
  const controller = new AbortController();
  const race = raceWithAbort(controller.signal);
  controller.abort();
  expect(await race(new Promise(() => {}))).toBe(ABORTED);
});
