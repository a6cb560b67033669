import { FrameworkError, type Logger, type Surface, silentLogger, type Target } from '@sallyport/core';
import { createDispatcher, createDispatcherWith, type Explanation, explain } from '@sallyport/dispatch';
import fc from 'fast-check';
import { anyEvent } from './support/arbitraries.js';
import { EVENTS } from './support/events.js';
import { HOSTILE } from './support/hostile.js';

const ALL_KINDS = Object.keys(EVENTS);

interface Call {
  readonly kind: string;
  readonly event: unknown;
  readonly lambdaContext: unknown;
}

function recordingSurface(serves: readonly string[], calls: Call[] = []): Surface & { calls: Call[] } {
  return {
    serves,
    calls,
    serve(kind, event, { lambdaContext }) {
      calls.push({ kind, event, lambdaContext });
      return Promise.resolve(`answer of ${kind}`);
    },
  };
}

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: unknown;
  readonly bound: unknown;
}

function recordingLogger(lines: Line[], bound: unknown = {}): Logger {
  const write = (level: string) => (message: string, fields?: unknown) =>
    void lines.push({ level, message, fields, bound });
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isEnabled: () => true,
    with: (fields) => recordingLogger(lines, fields),
  };
}

async function rejectionOf(promise: Promise<unknown>): Promise<FrameworkError> {
  const error = await promise.then(
    () => new Error('nothing was thrown'),
    (reason: unknown) => reason,
  );
  if (error instanceof FrameworkError) return error;
  throw error;
}

/** The lines that a function writes to standard output. */
async function outputOf(run: () => Promise<unknown>): Promise<string[]> {
  const written: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk) => written.push(String(chunk)) > 0;
  try {
    await run();
  } finally {
    process.stdout.write = write;
  }
  return written;
}

describe('handleLambda', () => {
  it.each(ALL_KINDS)('hands a %s event to the one surface that serves it', async (kind) => {
    const mine = recordingSurface([kind]);
    const others = recordingSurface(ALL_KINDS.filter((other) => other !== kind));
    const lambdaContext = { awsRequestId: 'r-1' };

    const answer = await createDispatcher(others, mine).handleLambda(EVENTS[kind], lambdaContext);

    expect(answer).toBe(`answer of ${kind}`);
    expect(mine.calls).toEqual([{ kind, event: EVENTS[kind], lambdaContext }]);
    expect(mine.calls[0]?.event).toBe(EVENTS[kind]);
    expect(others.calls).toEqual([]);
  });

  it('has two parameters, as the Lambda runtime requires, and works without the second', async () => {
    const surface = recordingSurface(['queue']);
    const { handleLambda } = createDispatcher(surface);

    expect(handleLambda).toHaveLength(2);
    await handleLambda(EVENTS.queue);
    expect(surface.calls[0]?.lambdaContext).toBeUndefined();
  });

  it('works without its object, and so do detect and explain', async () => {
    const { handleLambda, detect, explain: explainEvent } = createDispatcher(recordingSurface(['queue']));

    await expect(handleLambda(EVENTS.queue)).resolves.toBe('answer of queue');
    expect(detect(EVENTS.queue)).toBe('queue');
    expect(explainEvent(EVENTS.queue).kind).toBe('queue');
  });

  it('keeps the surface’s own this', async () => {
    class Counter implements Surface {
      readonly serves = ['queue'];
      count = 0;
      async serve() {
        this.count += 1;
        return this.count;
      }
    }
    const { handleLambda } = createDispatcher(new Counter());

    await handleLambda(EVENTS.queue);
    await expect(handleLambda(EVENTS.queue)).resolves.toBe(2);
  });

  it('never passes an event to a later row if its own kind is not served', async () => {
    const event = {
      requestContext: { connectionId: 'c', http: {}, elb: { targetGroupArn: 'arn' } },
      routeKey: '$default',
      httpMethod: 'GET',
    };
    const surface = recordingSurface(['gateway-v2', 'function-url', 'load-balancer', 'gateway-v1']);

    const error = await rejectionOf(createDispatcher(surface).handleLambda(event));

    expect(error.message).toBe('framework: no adapter for websocket');
    expect(error.code).toBe('dispatch.no_adapter');
    expect(surface.calls).toEqual([]);
  });

  it.each(ALL_KINDS)('rejects a %s event without a surface', async (kind) => {
    const error = await rejectionOf(createDispatcher().handleLambda(EVENTS[kind]));

    expect(error.message).toBe(`framework: no adapter for ${kind}`);
    expect(error.code).toBe('dispatch.no_adapter');
  });

  it('turns a surface’s synchronous throw into a rejection, with the thrown value itself', async () => {
    const thrown = new TypeError('in the surface');
    const surface: Surface = {
      serves: ['queue'],
      serve() {
        throw thrown;
      },
    };

    await expect(createDispatcher(surface).handleLambda(EVENTS.queue)).rejects.toBe(thrown);
  });

  it('rethrows the rejection of a surface unchanged, even undefined', async () => {
    const surface: Surface = { serves: ['queue'], serve: () => Promise.reject(undefined) };

    await expect(createDispatcher(surface).handleLambda(EVENTS.queue)).rejects.toBeUndefined();
  });

  it('returns a promise even where a surface returns none', async () => {
    const surface = { serves: ['queue'], serve: () => 'plain' } as unknown as Surface;
    const answer = createDispatcher(surface).handleLambda(EVENTS.queue);

    expect(answer).toBeInstanceOf(Promise);
    await expect(answer).resolves.toBe('plain');
  });

  it('returns the surface’s own promise: nothing is added between them', () => {
    const promise = Promise.resolve('answer');
    const surface: Surface = { serves: ['queue'], serve: () => promise };

    expect(createDispatcher(surface).handleLambda(EVENTS.queue)).toBe(promise);
  });

  it.each(HOSTILE)('rejects with a framework error for %s', async (_name, event) => {
    const { handleLambda } = createDispatcherWith({ log: silentLogger }, recordingSurface(ALL_KINDS));

    expect((await rejectionOf(handleLambda(event))).code).toMatch(/^dispatch\.(?:unknown_event|not_an_object)$/);
  });

  it('answers or rejects with a framework error for any event', async () => {
    const { handleLambda } = createDispatcherWith({ log: silentLogger }, recordingSurface(ALL_KINDS));

    await fc.assert(
      fc.asyncProperty(anyEvent, async (event) => {
        try {
          expect(await handleLambda(event)).toMatch(/^answer of /);
        } catch (error) {
          expect((error as FrameworkError).code).toMatch(/^dispatch\.(?:unknown_event|not_an_object)$/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('an unknown event', () => {
  const S3 = { Records: [{ eventSource: 'aws:s3' }] };
  const NEAREST = {
    kind: 'queue',
    misses: [{ path: 'Records[0].eventSource', expected: 'aws:sqs', found: 'aws:s3' }],
    hint: 'looks like an S3 notification; no opt-in row is registered',
  };

  it('is logged once, at error, with the nearest row and the request id', async () => {
    const lines: Line[] = [];
    const { handleLambda } = createDispatcherWith({ log: recordingLogger(lines) }, recordingSurface(ALL_KINDS));

    const error = await rejectionOf(handleLambda(S3, { awsRequestId: 'r-1' }));

    expect(error.details).toEqual(explain(S3));
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'framework: unknown event type',
        fields: { event: 'dispatch.unknown_event', nearest: NEAREST },
        bound: {
          request_id: 'r-1',
          trace_id: '',
          tenant_id: '',
          trigger: '',
          function_name: '',
          function_version: '',
        },
      },
    ]);
  });

  it('is one JSON line on standard output when no logger was given', async () => {
    const { handleLambda } = createDispatcher(recordingSurface(ALL_KINDS));

    const written = await outputOf(() => rejectionOf(handleLambda(S3, { awsRequestId: 'r-1\n2' })));

    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(written[0] ?? '')).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 'ERROR',
      message: 'framework: unknown event type',
      service: '',
      request_id: 'r-12',
      event: 'dispatch.unknown_event',
      nearest: NEAREST,
    });
  });

  it.each([
    ['an event that nobody serves', EVENTS.queue, 'framework: no adapter for queue'],
    ['what is no object', [], 'framework: event must be an object'],
  ])('has a separate line; so has %s', async (_name, event, message) => {
    const lines: Line[] = [];

    await rejectionOf(createDispatcherWith({ log: recordingLogger(lines) }).handleLambda(event));

    expect(lines).toMatchObject([
      { level: 'error', message: 'framework: invocation refused', fields: { error: { message } } },
    ]);
  });

  it('is not logged by detect and explain', async () => {
    const lines: Line[] = [];
    const dispatcher = createDispatcherWith({ log: recordingLogger(lines) });

    dispatcher.explain(S3);
    expect(() => dispatcher.detect(S3)).toThrow(expect.failure('dispatch.unknown_event'));

    expect(lines).toEqual([]);
  });

  it('is rejected in the same way when the logger throws', async () => {
    const log: Logger = {
      ...silentLogger,
      with() {
        throw new Error('broken logger');
      },
    };

    const error = await rejectionOf(createDispatcherWith({ log }).handleLambda(S3));

    expect(error.code).toBe('dispatch.unknown_event');
  });
});

describe('a dispatcher’s explain', () => {
  const target: Target = {
    route: 'GET /notes/{id}',
    handler: 'getNote',
    posture: null,
    outcome: 'handled',
    projection: 'v2 response',
  };

  it('reads the target from the surface, and serves nothing', () => {
    const asked: unknown[] = [];
    const surface = {
      ...recordingSurface(['gateway-v2']),
      explainTarget(kind: string, event: unknown) {
        asked.push(kind, event);
        return target;
      },
    };

    const explanation = createDispatcher(surface).explain(EVENTS['gateway-v2']);

    expect(explanation).toEqual({ ...explain(EVENTS['gateway-v2']), target });
    expect(explanation.error).toBeNull();
    expect(asked).toEqual(['gateway-v2', EVENTS['gateway-v2']]);
    expect(surface.calls).toEqual([]);
  });

  it('has the message of the missing adapter and the kind', () => {
    const explanation: Explanation = createDispatcher().explain(EVENTS.topic);

    expect(explanation.kind).toBe('topic');
    expect(explanation.error).toBe('framework: no adapter for topic');
    expect(explanation.entrypoint).toBe('serveTopicEvent');
    expect(explanation.target).toBeNull();
  });

  it('has no target if the surface reports no target or fails', () => {
    const broken = {
      ...recordingSurface(['topic']),
      explainTarget() {
        throw new Error('broken');
      },
    };

    expect(createDispatcher(recordingSurface(['queue'])).explain(EVENTS.queue).target).toBeNull();
    expect(createDispatcher(broken).explain(EVENTS.topic).target).toBeNull();
  });

  it('has the exact message of the rejection of handleLambda for any event', async () => {
    const dispatcher = createDispatcherWith(
      { log: silentLogger },
      recordingSurface(['queue', 'gateway-v2', 'appsync']),
    );

    await fc.assert(
      fc.asyncProperty(anyEvent, async (event) => {
        const text = await dispatcher.handleLambda(event).then(
          () => null,
          (error: Error) => error.message,
        );
        expect(dispatcher.explain(event).error).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('createDispatcher', () => {
  it.each([
    ['two surfaces', [recordingSurface(['queue']), recordingSurface(['topic', 'queue'])]],
    ['one surface twice', [recordingSurface(['queue', 'queue'])]],
  ])('rejects a kind served by %s', (_name, surfaces) => {
    expect(() => createDispatcher(...surfaces)).toThrow(expect.failure('dispatch.duplicate_surface', 'queue'));
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['options', { log: silentLogger }],
    ['a handler', async () => null],
    ['an object without serves', { serve: async () => null }],
    ['an object without serve', { serves: ['queue'] }],
  ])('rejects an invalid surface: %s', (_name, surface) => {
    expect(() => createDispatcher(surface as unknown as Surface)).toThrow(
      expect.failure('dispatch.invalid_surface', 'serves', 'serve()'),
    );
  });

  it('rejects a kind that no row detects, for it would never be served', () => {
    expect(() => createDispatcher(recordingSurface(['Queue']))).toThrow(
      expect.failure('dispatch.invalid_surface', 'no row', 'Queue'),
    );
  });

  it.each([
    ['an unknown option', { logger: silentLogger }, 'unknown option "logger"'],
    ['a log that is no logger', { log: () => {} }, 'option "log"'],
    ['null as options', null, 'options'],
    ['null as log', { log: null }, 'option "log"'],
  ])('rejects %s', (_name, options, message) => {
    expect(() => createDispatcherWith(options as object)).toThrow(expect.failure('app.invalid_configuration', message));
  });

  it('shares nothing between two dispatchers', async () => {
    const one = createDispatcher(recordingSurface(['queue']));
    const two = createDispatcher(recordingSurface(['topic']));

    await expect(one.handleLambda(EVENTS.queue)).resolves.toBe('answer of queue');
    await expect(two.handleLambda(EVENTS.queue)).rejects.toThrow(expect.failure('dispatch.no_adapter', 'queue'));
  });
});
