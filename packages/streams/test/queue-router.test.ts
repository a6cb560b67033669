import { FrameworkError, type Logger } from '@sallyport/core';
import { defineMetrics } from '@sallyport/core/observability';
import {
  createQueueRouter,
  type EventHandler,
  observeRecords,
  type QueueRouterOptions,
  recordJson,
} from '@sallyport/streams/queue';
import { environment, message } from './support.js';

const lambda = { awsRequestId: 'request-1', tenantId: 'tenant-1' };
const failing =
  (...ids: string[]): EventHandler<{ messageId: string }> =>
  (_ctx, { messageId }) => {
    if (ids.includes(messageId)) throw new Error('no');
  };

describe('createQueueRouter', () => {
  it('serves the kind queue and reports the messages that failed', async () => {
    const router = createQueueRouter();
    router.queue('orders', failing('b'));
    expect(router.serves).toEqual(['queue']);
    const event = { Records: [message('a'), message('b'), message('c')] };
    expect(await router.serve('queue', event, { lambdaContext: lambda })).toEqual({
      batchItemFailures: [{ itemIdentifier: 'b' }],
    });
  });

  it('runs nothing and reports all records of a queue without a handler', async () => {
    const seen: string[] = [];
    const router = createQueueRouter();
    router.queue('others', (_ctx, { messageId }) => seen.push(messageId));
    const report = await router.serveQueueEvent({ Records: [message('a'), message('b')] });
    expect(report).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'b' }] });
    expect(seen).toEqual([]);
  });

  it('hands messages to the middlewares, the first outermost, and to the physical queue of a logical name', async () => {
    const steps: string[] = [];
    const FRAMEWORK_EVENT_SOURCES = '{"queue":{"incoming":"orders"}}';
    const router = createQueueRouter({ environment: { FRAMEWORK_EVENT_SOURCES } });
    router.useEvents((_ctx, _event, next) => {
      steps.push('first');
      return next();
    });
    router.useEvents((_ctx, _event, next) => {
      steps.push('second');
      return next();
    });
    router.queue('incoming', (ctx, record) => {
      steps.push(`${ctx.source.name} ${ctx.recordId} ${JSON.stringify(recordJson({ ...record, body: '[1]' }))}`);
    });
    expect(await router.serveQueueEvent({ Records: [message('a')] })).toEqual({ batchItemFailures: [] });
    expect(steps).toEqual(['first', 'second', 'orders a [1]']);
  });

  it('runs as many messages at the same time as queueConcurrency', async () => {
    let running = 0;
    let most = 0;
    const router = createQueueRouter({ queueConcurrency: 2 });
    router.queue('orders', async () => {
      running += 1;
      most = Math.max(most, running);
      await undefined;
      running -= 1;
    });
    await router.serveQueueEvent({ Records: [message('a'), message('b'), message('c')] });
    expect(most).toBe(2);
  });

  it('lists registrations', () => {
    const router = createQueueRouter();
    router.queue('orders', () => {}, { concurrency: 2 });
    expect(router.triggers()).toEqual([{ kind: 'queue', name: 'orders', concurrency: 2 }]);
    expect(Object.isFrozen(router.triggers())).toBe(true);
  });

  it('logs the errors of records without observability too', async () => {
    const { options, lines } = environment();
    const router = createQueueRouter({ log: options.log as Logger });
    router.queue('orders', failing('a'));
    expect((await router.serveQueueEvent({ Records: [message('a')] })).batchItemFailures).toHaveLength(1);
    expect(lines.map(({ message: text }) => text)).toEqual(['framework: event handler failed']);
  });

  it('logs the errors of records once with observability, even without hooks', async () => {
    const { options, lines } = environment();
    const router = createQueueRouter({ log: options.log as Logger, observability: observeRecords() });
    router.queue('orders', failing('a'));
    await router.serveQueueEvent({ Records: [message('a')] });
    expect(lines.map(({ message: text }) => text)).toEqual(['framework: event handler failed']);
  });

  it('calls the hooks of observeRecords like the router of every kind', async () => {
    const events: string[] = [];
    const metrics: string[] = [];
    const observability = observeRecords({
      log: ({ level, event }) => events.push(`${level} ${event}`),
      metric: ({ name }) => metrics.push(name),
      metrics: defineMetrics({ Seen: {} }),
    });
    const router = createQueueRouter({ observability });
    router.queue('orders', (ctx, { messageId }) => {
      ctx.metric('Seen', 1);
      if (messageId === 'b') throw new FrameworkError('app.conflict');
    });
    await router.serveQueueEvent({ Records: [message('a'), message('b')] }, lambda);
    expect(events).toEqual(['debug event.completed', 'error event.completed', 'info batch.completed']);
    expect(metrics).toEqual(['Seen', 'Seen', 'framework.event']);
  });

  it.each<[string, object, string]>([
    ['an unknown option', { observe: {} }, 'unknown option "observe"'],
    ['a clock that is none', { clock: 1 }, 'option "clock"'],
    ['an endless margin', { deadlineMarginMs: Number.POSITIVE_INFINITY }, 'option "deadlineMarginMs"'],
    [
      'hooks without the code that calls them',
      { observability: {} },
      'option "observability" must be a result of observeRecords()',
    ],
    ['no hooks at all', { observability: null }, 'option "observability" must be a result of observeRecords()'],
    ['names that are no JSON', { environment: { FRAMEWORK_EVENT_SOURCES: '{' } }, 'FRAMEWORK_EVENT_SOURCES'],
  ])('rejects %s', (_, options, text) => {
    expect(() => createQueueRouter(options as QueueRouterOptions)).toThrow(
      expect.failure('app.invalid_configuration', text),
    );
  });

  it.each<[string, () => unknown, string]>([
    ['a blank name', () => createQueueRouter().queue(' ', () => {}), 'queue name is empty'],
    ['no handler', () => createQueueRouter().queue('a', null as never), 'handler must be a function'],
    ['an unknown option', () => createQueueRouter().queue('a', () => {}, { onFailure: 'stop' } as never), 'onFailure'],
    [
      'a second handler',
      () =>
        createQueueRouter()
          .queue('a', () => {})
          .queue('a', () => {}),
      'duplicate handler for queue "a"',
    ],
    [
      "another service's ARN",
      () => createQueueRouter().queue('arn:aws:sns:eu-west-1:1:orders', () => {}),
      'queue name is not the ARN of a queue',
    ],
    ['hooks that are none', () => observeRecords({ log: 1 } as never), 'observability.log'],
  ])('rejects %s at registration', (_, register, text) => {
    expect(register).toThrow(expect.failure('app.invalid_configuration', text));
  });
});
