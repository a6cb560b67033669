import { Writable } from 'node:stream';
import { type BodyStream, FrameworkError, type LogRecord } from '@sallyport/core';
import { HttpSurface } from '../src/http-surface.js';
import {
  createGatewayRestStreamingHandler,
  createLambdaFunctionURLStreamingHandler,
  type OpenPipelineOptions,
  type StreamingHandler,
  text,
} from '../src/index.js';
import { createOpenKernel, toHttpOptions } from '../src/open-kernel.js';
import { STREAM_ACCESS, type StreamingApp } from '../src/surface-access.js';
import { functionUrl, gatewayV1, gatewayV2, LAMBDA, type TestDoor } from './support/doors.js';

type Route = Parameters<HttpSurface['register']>[2];

/** The least container that a streaming handler takes. */
function appWith(routes: Record<string, Route>, options: OpenPipelineOptions = {}): StreamingApp {
  const surface = new HttpSurface(createOpenKernel(options), toHttpOptions(options));
  for (const [path, handler] of Object.entries(routes)) surface.register('GET', path, handler);
  const kindOf = (event: unknown) => {
    const { httpMethod, requestContext } = event as { httpMethod?: string; requestContext: { domainName?: string } };
    if (httpMethod) return 'gateway-v1';
    return requestContext.domainName?.includes('lambda-url') ? 'function-url' : 'gateway-v2';
  };
  return {
    [STREAM_ACCESS]: { http: surface, detect: kindOf },
    handleLambda: (event, lambdaContext) => surface.serve(kindOf(event), event, { lambdaContext }),
  };
}

interface Sink {
  readonly stream: Writable;
  readonly chunks: Buffer[];
  metadata: Record<string, unknown> | undefined;
  contentType: string | undefined;
  readonly ended: () => boolean;
  readonly error: () => Error | undefined;
}

/** A response stream as the runtime has it: a Writable that may be slow, or lose its reader. */
function createSink({ highWaterMark = 16_384, delay = false, goneAfter = Number.POSITIVE_INFINITY } = {}): Sink {
  const chunks: Buffer[] = [];
  let failure: Error | undefined;
  let finished = false;
  const stream = new Writable({
    highWaterMark,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      if (chunks.length >= goneAfter) this.destroy();
      else if (delay) setImmediate(done);
      else done();
    },
  });
  stream.on('finish', () => {
    finished = true;
  });
  stream.on('error', (error) => {
    failure = error;
  });
  const sink: Sink = {
    stream,
    chunks,
    metadata: undefined,
    contentType: undefined,
    ended: () => finished,
    error: () => failure,
  };
  Object.assign(stream, { setContentType: (type: string) => Object.assign(sink, { contentType: type }) });
  return sink;
}

type Runtime = { awslambda?: unknown };

/** Runs `make` as on a streaming function, and gives a way to invoke what it made. */
function onLambda(make: () => StreamingHandler, withFrom = true) {
  const runtime = globalThis as Runtime;
  const sinks = new Map<unknown, Sink>();
  runtime.awslambda = {
    streamifyResponse: (handler: unknown) => handler,
    ...(withFrom
      ? {
          HttpResponseStream: {
            from: (stream: unknown, metadata: Record<string, unknown>) => {
              Object.assign(sinks.get(stream) as Sink, { metadata });
              return stream;
            },
          },
        }
      : {}),
  };
  const handler = make() as unknown as (event: unknown, stream: Writable, context: unknown) => Promise<void>;
  return async (door: TestDoor, path: string, sink = createSink(), context: unknown = LAMBDA): Promise<Sink> => {
    sinks.set(sink.stream, sink);
    await handler(door.event({ path }), sink.stream, context);
    return sink;
  };
}

afterEach(() => {
  delete (globalThis as Runtime).awslambda;
});

async function* failing(after: number, error: unknown = new Error('secret')): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < after; index += 1) yield Buffer.from(`c${index}`);
  throw error;
}

const bytesOf = (sink: Sink) => Buffer.concat(sink.chunks).toString();
const streaming =
  (bodyStream: BodyStream): Route =>
  () => ({ headers: { 'x-a': ['1', '2'] }, cookies: ['a=1', 'b=2'], bodyStream });

describe('a function URL streaming handler', () => {
  it('sends metadata, then chunks as they come', async () => {
    const app = appWith({ '/s': streaming([Buffer.from('a'), Buffer.from('b')]) });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect(sink.metadata).toEqual({
      statusCode: 200,
      headers: { 'x-a': '1,2', 'x-request-id': 'req-1' },
      cookies: ['a=1', 'b=2'],
    });
    expect([bytesOf(sink), sink.ended()]).toEqual(['ab', true]);
  });

  it('writes the wire form itself where the runtime does not: JSON, eight NUL, body', async () => {
    const app = appWith({ '/s': () => text(200, 'hi') });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app), false)(functionUrl, '/s');
    expect(sink.contentType).toBe('application/vnd.awslambda.http-integration-response');
    expect(bytesOf(sink)).toBe(
      `{"statusCode":200,"headers":{"content-type":"text/plain; charset=utf-8","x-request-id":"req-1"}}${'\0'.repeat(8)}hi`,
    );
  });

  it.each<[string, Route, number, string]>([
    ['an empty body', () => ({ status: 204 }), 204, ''],
    ['a redirect', () => ({ status: 302, headers: { location: '/x' } }), 302, ''],
    ['an empty stream', () => ({ bodyStream: [] }), 200, ''],
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
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(appWith({ '/s': route })))(
      functionUrl,
      '/s',
    );
    expect([sink.metadata?.statusCode, bytesOf(sink), sink.ended()]).toEqual([status, body, true]);
  });

  it.each([1, 3])('breaks the stream off at an error after %d chunks, and never ends it', async (after) => {
    const logs: LogRecord[] = [];
    const app = appWith(
      { '/s': () => ({ bodyStream: failing(after) }) },
      { observability: { log: (record) => logs.push(record) } },
    );
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect([sink.metadata?.statusCode, sink.ended(), sink.error()?.message]).toEqual([200, false, 'internal error']);
    expect(logs.map(({ streamed, error_code }) => [streamed, error_code])).toEqual([[true, 'app.internal']]);
  });

  it('breaks off at the chunk that exceeds the limit', async () => {
    const app = appWith(
      { '/s': () => ({ bodyStream: [Buffer.alloc(3), Buffer.alloc(3)] }) },
      { limits: { maxResponseBytes: 4 } },
    );
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect([bytesOf(sink).length, sink.ended()]).toEqual([3, false]);
  });

  it('answers 413 when the first chunk exceeds the limit already', async () => {
    const app = appWith({ '/s': () => ({ bodyStream: [Buffer.alloc(5)] }) }, { limits: { maxResponseBytes: 4 } });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect(sink.metadata?.statusCode).toBe(413);
  });

  it('keeps raw bytes, and 30 MiB of them, without reading ahead of a slow reader', async () => {
    let ahead = 0;
    const sink = createSink({ highWaterMark: 1, delay: true });
    async function* chunks() {
      for (let index = 0; index < 30; index += 1) {
        ahead = Math.max(ahead, index - sink.chunks.length);
        yield Buffer.alloc(1024 * 1024, index);
      }
    }
    const app = appWith({ '/s': () => ({ bodyStream: chunks() }) });
    await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s', sink);
    expect(Buffer.concat(sink.chunks).length).toBe(30 * 1024 * 1024);
    expect(ahead).toBeLessThanOrEqual(1);
  });

  it('stops the source and aborts the signal when the reader leaves', async () => {
    let returned = false;
    let signal: AbortSignal | undefined;
    async function* chunks() {
      try {
        for (let index = 0; index < 100; index += 1) yield Buffer.from('x');
      } finally {
        returned = true;
      }
    }
    const app = appWith({
      '/s': (ctx) => {
        ({ signal } = ctx);
        return { bodyStream: chunks() };
      },
    });
    const sink = createSink({ goneAfter: 3 });
    await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s', sink);
    await new Promise((resolve) => setImmediate(resolve));
    expect([returned, signal?.aborted, sink.ended()]).toEqual([true, true, false]);
  });

  it('stops at the deadline even when the source hangs', async () => {
    const timers: (() => void)[] = [];
    const clock = {
      now: () => new Date(0),
      after: (_ms: number, run: () => void) => {
        timers.push(run);
        return () => {};
      },
    };
    async function* hanging() {
      yield Buffer.from('a');
      setImmediate(() => {
        for (const run of timers) run();
      });
      await new Promise(() => {});
    }
    const app = appWith({ '/s': () => ({ bodyStream: hanging() }) }, { clock });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect([bytesOf(sink), sink.ended(), sink.error()?.message]).toEqual(['a', false, 'request timeout']);
  });

  it('tells a source that hangs when its reader leaves', async () => {
    let returned = false;
    const hanging = {
      [Symbol.asyncIterator]: () => {
        let count = 0;
        return {
          next: () => {
            count += 1;
            return count === 1
              ? Promise.resolve({ done: false as const, value: Buffer.from('a') })
              : new Promise<IteratorResult<Uint8Array>>(() => {});
          },
          return: async () => {
            returned = true;
            return { done: true as const, value: undefined };
          },
        };
      },
    };
    const app = appWith({ '/s': () => ({ bodyStream: hanging }) }, { limits: { maxResponseBytes: 100 } });
    const sink = createSink();
    const running = onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s', sink);
    while (sink.chunks.length === 0) await new Promise((resolve) => setImmediate(resolve));
    sink.stream.destroy();
    await running;
    expect(returned).toBe(true);
  });

  it('does not show a header that is set after the first chunk', async () => {
    const headers: Record<string, string> = { 'x-a': 'early' };
    async function* late() {
      yield Buffer.from('a');
      headers['x-a'] = 'late';
    }
    const app = appWith({ '/s': () => ({ headers, bodyStream: late() }) });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect(sink.metadata?.headers).toMatchObject({ 'x-a': 'early' });
  });

  it('logs at the end of the stream and not at its start', async () => {
    const order: string[] = [];
    async function* chunks() {
      yield Buffer.from('a');
      order.push('last chunk');
    }
    const app = appWith(
      { '/s': () => ({ bodyStream: chunks() }) },
      { observability: { log: () => order.push('logged') } },
    );
    await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect(order).toEqual(['last chunk', 'logged']);
  });

  it('answers 500 when the metadata would not fit', async () => {
    const app = appWith({ '/s': () => ({ headers: { 'x-big': 'x'.repeat(17_000) }, bodyStream: [Buffer.from('a')] }) });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect([sink.metadata?.statusCode, sink.ended()]).toEqual([500, true]);
  });

  it('answers events of other kinds as JSON', async () => {
    const app = appWith({ '/s': () => text(200, 'hi') });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(gatewayV2, '/s');
    expect(JSON.parse(bytesOf(sink))).toMatchObject({ statusCode: 200, body: 'hi' });
  });

  it('tells the handler that the door streams', async () => {
    const app = appWith({ '/s': (ctx) => text(200, String(ctx.canStream)) });
    const sink = await onLambda(() => createLambdaFunctionURLStreamingHandler(app))(functionUrl, '/s');
    expect(bytesOf(sink)).toBe('true');
  });

  it('is the buffered door outside Lambda, with collection', async () => {
    const app = appWith({
      '/s': (ctx) => ({ headers: { 'x-can': String(ctx.canStream) }, bodyStream: [Buffer.from('a')] }),
    });
    const answer = await createLambdaFunctionURLStreamingHandler(app)(functionUrl.event({ path: '/s' }), LAMBDA);
    expect(answer).toMatchObject({ statusCode: 200, body: 'a', headers: { 'x-can': 'false' } });
  });
});

describe('a REST streaming handler', () => {
  it('puts repeats and cookies into the multi-value map', async () => {
    const app = appWith({ '/s': streaming([Buffer.from('a')]) });
    const sink = await onLambda(() => createGatewayRestStreamingHandler(app))(gatewayV1, '/s');
    expect(sink.metadata).toEqual({
      statusCode: 200,
      headers: { 'x-request-id': 'req-1' },
      multiValueHeaders: { 'x-a': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] },
    });
    expect(bytesOf(sink)).toBe('a');
  });
});
