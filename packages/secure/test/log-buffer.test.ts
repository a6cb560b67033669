import type { Context } from '@sallyport/core';
import { bufferLogs, createLogger, type LogBufferOptions, recordLog } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import { json, sseEventStream, timeoutMiddleware } from '@sallyport/http';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit/events';
import { handler, SURFACES } from './support/surfaces.js';

type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly message: string };

function newApp(
  options: LogBufferOptions = {},
  level: 'info' | 'silent' = 'info',
  more: Pick<SecureOptions, 'deadlineMarginMs'> = {},
) {
  const lines: Line[] = [];
  const clock = new ManualClock();
  const logger = createLogger({ level, clock, environment: {}, write: (line) => lines.push(JSON.parse(line)) });
  const log = bufferLogs(logger, options);
  const app = new SecureApp({
    principalResolver: () => ({ identity: 'ada', scopes: [], claims: {} }),
    log,
    clock,
    observability: { log: recordLog(log) },
    ...more,
  });
  /** The lines of handlers, without the records of the framework. */
  const written = () =>
    lines.filter(({ message }) => !message.endsWith('.completed')).map(({ level: of, message }) => `${of} ${message}`);
  return { app, lines, written, clock };
}

const CONTEXT = { awsRequestId: '8f507cfc-xmpl-4697-b07a-ac58fc914c95', functionName: 'orders', functionVersion: '7' };

describe.each(SURFACES)('the lines of %s', (_name, register, event) => {
  it('are not written if it succeeds', async () => {
    const { app, written } = newApp();
    register(app, false);
    await app.handleLambda(event(), CONTEXT);
    expect(written()).toEqual([]);
  });

  it('are written before its error line if it fails, sanitized and with the ids of the invocation', async () => {
    const { app, written, lines } = newApp();
    register(app, true);
    await app.handleLambda(event(), CONTEXT).catch(() => {});
    expect(written()).toEqual([
      'DEBUG read',
      'INFO priced',
      expect.stringMatching(/^ERROR framework: (?:request|event handler) failed$/),
    ]);
    expect(lines[0]).toMatchObject({ password: '[REDACTED]', function_name: 'orders', timestamp: expect.any(String) });
    expect(lines.filter(({ level }) => level === 'ERROR')).toHaveLength(1);
  });

  it('are written immediately if the invocation is in the sample', async () => {
    const { app, written } = newApp({ sample: 1, maxBytes: 0 });
    register(app, false);
    await app.handleLambda(event(), CONTEXT);
    expect(written()).toEqual(['DEBUG read', 'INFO priced']);
  });

  it('are not written by a silent logger', async () => {
    const { app, lines } = newApp({}, 'silent');
    register(app, true);
    await app.handleLambda(event(), CONTEXT).catch(() => {});
    expect(lines).toEqual([]);
  });
});

describe('a batch', () => {
  it('writes only the lines of the records that fail', async () => {
    const { app, lines } = newApp();
    app.queue(
      'orders',
      async (ctx, message) => {
        ctx.log.info('first');
        await undefined;
        ctx.log.info('second');
        if (message.messageId === 'm-2') throw new Error('no');
      },
      { concurrency: 3 },
    );
    const records = ['m-1', 'm-2', 'm-3'].map((messageId) => ({ messageId, body: '{}' }));
    await app.handleLambda(buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', records), CONTEXT);
    expect(lines.filter(({ level }) => level !== 'DEBUG').map(({ message, record_id: id }) => [message, id])).toEqual([
      ['first', undefined],
      ['second', undefined],
      ['framework: event handler failed', 'm-2'],
      ['event.completed', 'm-2'],
      ['batch.completed', undefined],
    ]);
  });
});

it('a batch at its deadline writes only the lines of records that have not completed', async () => {
  const { app, written, clock } = newApp({}, 'info', { deadlineMarginMs: 0 });
  app.queue('orders', (ctx, message) => {
    ctx.log.info(message.messageId);
    return message.messageId === 'm-2' ? new Promise(() => {}) : undefined;
  });
  const records = ['m-1', 'm-2'].map((messageId) => ({ messageId, body: '{}' }));
  const event = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', records);
  void app.handleLambda(event, { ...CONTEXT, getRemainingTimeInMillis: () => 3000 });
  await clock.advance(2900);
  expect(written()).toEqual(['INFO m-2']);
});

describe('a request', () => {
  const get = (path: string) => buildAPIGatewayV2Request('GET', path);

  it.each([
    [499, []],
    [500, ['INFO priced']],
  ])('that the handler answers with %d writes %j', async (status, expected) => {
    const { app, written } = newApp();
    app.get(
      '/',
      (ctx) => {
        ctx.log.info('priced');
        return json(status, {});
      },
      Authenticated(),
    );
    await app.handleLambda(get('/'), CONTEXT);
    expect(written()).toEqual(expected);
  });

  it('writes its lines at a timeout', async () => {
    const { app, written, clock } = newApp();
    app.use(timeoutMiddleware({ defaultTimeoutMs: 1000 }));
    app.get(
      '/',
      (ctx) => {
        ctx.log.info('priced');
        return new Promise(() => {});
      },
      Authenticated(),
    );
    const answer = app.handleLambda(get('/'), CONTEXT);
    await new Promise(setImmediate);
    expect(written()).toEqual([]);
    await clock.advance(1000);
    expect(await answer).toMatchObject({ statusCode: 408 });
    expect(written()).toEqual(['INFO priced']);
  });

  it('writes its lines before the deadline of the invocation, even if the handler never ends', async () => {
    const { app, written, clock } = newApp();
    app.get(
      '/',
      (ctx) => {
        ctx.log.debug('priced');
        return new Promise(() => {});
      },
      Authenticated(),
    );
    void app.handleLambda(get('/'), { ...CONTEXT, getRemainingTimeInMillis: () => 3000 });
    await new Promise(setImmediate);
    await clock.advance(2899);
    expect(written()).toEqual([]);
    await clock.advance(1);
    expect(written()).toEqual(['DEBUG priced']);
  });

  it('writes the lines of a stream that fails after its first byte', async () => {
    const { app, written } = newApp();
    const events = async function* (ctx: Context) {
      ctx.log.info('first');
      yield { data: 'a' };
      ctx.log.info('second');
      throw new Error('no');
    };
    app.get('/', (ctx) => sseEventStream(events(ctx)), Authenticated());
    await app.handleLambda(get('/'), CONTEXT);
    expect(written()).toEqual(['INFO first', 'INFO second', 'ERROR framework: response stream failed']);
  });

  it('keeps the newest lines within the limit, and counts the others', async () => {
    const { app, lines } = newApp({ maxBytes: 1000 });
    app.get(
      '/',
      (ctx) => {
        for (let step = 1; step <= 100; step += 1) ctx.log.debug('step', { step, text: 'x'.repeat(100) });
        throw new Error('no');
      },
      Authenticated(),
    );
    await app.handleLambda(get('/'), CONTEXT);
    const steps = lines.filter(({ message }) => message === 'step');
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)), 0)).toBeLessThanOrEqual(1000);
    expect(steps.at(-1)).toMatchObject({ step: 100 });
    expect(lines[0]).toMatchObject({
      level: 'WARN',
      message: 'framework: log lines dropped from the buffer',
      dropped: 100 - steps.length,
    });
  });

  it('writes lines after its error immediately, at any level', async () => {
    const { app, written } = newApp();
    app.get(
      '/',
      (ctx) => {
        const log = ctx.log.with({ part: 'payment' });
        log.debug('before');
        log.warn('slow');
        log.error('declined');
        log.debug('after');
        expect([log.isEnabled('debug'), log.isEnabled('warn')]).toEqual([true, true]);
        return json(200, {});
      },
      Authenticated(),
    );
    await app.handleLambda(get('/'), CONTEXT);
    expect(written()).toEqual(['WARN slow', 'DEBUG before', 'ERROR declined', 'DEBUG after']);
  });

  it('keeps the lines of concurrent invocations apart', async () => {
    const { app, lines } = newApp();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    app.get(
      '/{id}',
      async (ctx) => {
        ctx.log.info('start', { id: ctx.param('id') });
        await held;
        ctx.log.info('end', { id: ctx.param('id') });
        if (ctx.param('id') === '7') throw new Error('no');
        return json(200, {});
      },
      Authenticated(),
    );
    const answers = Array.from({ length: 20 }, (_, id) =>
      app.handleLambda(get(`/${id}`), { ...CONTEXT, awsRequestId: `r-${id}` }),
    );
    release();
    await Promise.all(answers);
    expect(lines.filter(({ message }) => ['start', 'end'].includes(message))).toMatchObject([
      { message: 'start', id: '7', request_id: 'r-7' },
      { message: 'end', id: '7', request_id: 'r-7' },
    ]);
  });

  it('is in the sample by the last digits of the id of its invocation', async () => {
    const { app, written } = newApp({ sample: 0.25 });
    app.get('/', (ctx) => handler(ctx, false), Authenticated());
    for (const digits of ['00000000', '3fffffff', '40000000', 'ffffffff'])
      await app.handleLambda(get('/'), { ...CONTEXT, awsRequestId: `8f507cfc-0000-4697-b07a-ac58${digits}` });
    expect(written()).toHaveLength(4);
  });
});
