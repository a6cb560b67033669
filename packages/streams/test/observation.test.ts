import { tracingChannel } from 'node:diagnostics_channel';
import { FrameworkError, type Span, type SpanAttributes, type SpanLink } from '@sallyport/core';
import { createLogger, defineMetrics, type LogSink, recordLog } from '@sallyport/core/observability';
import { createEventRouter } from '@sallyport/streams';
import { change, click, environment, loadEvent, message, notification, reportOf } from './support.js';

const lambda = { awsRequestId: 'request-1', tenantId: 'tenant-1' };

describe('records of a batch', () => {
  it('are completed events at debug, failed ones at error, and one completed batch', async () => {
    const { clock, options, records } = environment();
    const router = createEventRouter(options);
    router.queue('orders', (_ctx, { messageId }) => {
      clock.tick(messageId === 'a' ? 5 : 7);
      if (messageId === 'b') throw new Error('secret text');
    });
    await router.serveQueueEvent({ Records: [message('a'), message('b')] }, lambda);
    const common = { trigger: 'queue', request_id: 'request-1', trace_id: '', tenant_id: 'tenant-1', source: 'orders' };
    expect(records).toEqual([
      {
        level: 'debug',
        event: 'event.completed',
        ...common,
        record_id: 'a',
        correlation_id: '',
        outcome: 'success',
        error_code: '',
        duration_ms: 5,
      },
      {
        level: 'error',
        event: 'event.completed',
        ...common,
        record_id: 'b',
        correlation_id: '',
        outcome: 'error',
        error_code: 'app.internal',
        duration_ms: 7,
      },
      {
        level: 'info',
        event: 'batch.completed',
        ...common,
        records: 2,
        failed: 1,
        not_tried: 0,
        stopped_by: 'none',
        duration_ms: 12,
      },
    ]);
    expect(JSON.stringify(records)).not.toContain('secret');
  });

  it.each([
    ['none', 0, 0, async () => {}, {}],
    ['failure', 1, 2, () => Promise.reject(new Error('no')), { onFailure: 'stop' as const }],
  ])('report that the batch was stopped by %s', async (stopped_by, failed, not_tried, handler, options) => {
    const { options: given, records } = environment();
    const router = createEventRouter(given);
    router.kinesis('clicks', handler, options);
    await router.serveStreamEvent({ Records: [click('1'), click('2'), click('3')] });
    expect(records.at(-1)).toMatchObject({ event: 'batch.completed', failed, not_tried, stopped_by, records: 3 });
  });

  it('report a missing handler, in the log too', async () => {
    const { lines, metrics, options, records } = environment();
    const router = createEventRouter(options);
    await router.serveQueueEvent({ Records: [message('a')] }, lambda);
    expect(records).toMatchObject([
      {
        level: 'warn',
        event: 'batch.completed',
        source: '(unregistered)',
        failed: 0,
        not_tried: 1,
        stopped_by: 'no_handler',
      },
    ]);
    expect(metrics).toMatchObject([
      {
        tags: {
          source: '(unregistered)',
          outcome: 'error',
          error_code: 'streams.no_handler',
          records: '1',
          failed: '1',
        },
      },
    ]);
    expect(lines).toMatchObject([
      {
        level: 'error',
        message: 'framework: no handler for queue',
        fields: { records: 1, request_id: 'request-1', error: { code: 'streams.no_handler' } },
      },
    ]);
  });

  it('count in one metric for each batch, tagged by registered names', async () => {
    const { clock, metrics, options } = environment();
    const router = createEventRouter(options);
    router.tableStream('notes', (_ctx, { eventID }) => {
      clock.tick(2);
      if (eventID === 'change-2') throw undefined;
    });
    await router.serveTableStream({ Records: [change('1'), change('2')] }, lambda);
    expect(metrics).toEqual([
      {
        name: 'framework.event',
        value: 1,
        duration_ms: 4,
        tags: {
          trigger: 'table-stream',
          source: 'notes',
          outcome: 'error',
          error_code: 'app.internal',
          records: '2',
          failed: '1',
        },
        properties: { request_id: 'request-1', tenant_id: 'tenant-1' },
      },
    ]);
  });

  it('carry the code of the first failure in the metric of the batch', async () => {
    const { metrics, options } = environment();
    const router = createEventRouter(options);
    const codes = ['app.conflict', 'app.timeout'];
    router.queue('orders', (ctx) => {
      throw new FrameworkError(codes[ctx.batch.index] ?? '');
    });
    await router.serveQueueEvent({ Records: [message('a'), message('b')] });
    expect(metrics[0]?.tags.error_code).toBe('app.conflict');
  });

  it('carry the registered name where the source was registered by its ARN', async () => {
    const { options, records } = environment();
    const router = createEventRouter(options);
    router.queue('arn:aws:sqs:us-east-2:123456789012:orders', () => {});
    await router.serveQueueEvent({ Records: [message('a')] });
    expect(records.map(({ source }) => source)).toEqual(Array(2).fill('arn:aws:sqs:us-east-2:123456789012:orders'));
  });

  it('pass the whole error only to the logger', async () => {
    const { lines, options } = environment();
    const router = createEventRouter(options);
    const error = new Error('why', { cause: 'because' });
    router.queue('orders', () => Promise.reject(error));
    await router.serveQueueEvent({ Records: [message('a')] }, lambda);
    expect(lines).toMatchObject([
      {
        level: 'error',
        message: 'framework: event handler failed',
        fields: { request_id: 'request-1', source: 'orders', error },
      },
    ]);
  });
});

describe('topics and event buses', () => {
  it('are one completed event and one metric each', async () => {
    const { clock, metrics, options, records } = environment();
    const router = createEventRouter(options);
    router
      .topic('alerts', () => clock.tick(3))
      .eventBus({ source: 'billing' }, () => {
        clock.tick(4);
        throw new Error('no');
      });
    await router.serveTopicEvent(loadEvent('topic'), lambda);
    const event = { ...loadEvent('event-bus-custom'), metadata: { correlation_id: 'corr-1' } };
    await expect(router.serveEventBus(event, lambda)).rejects.toThrow('no');
    expect(records).toEqual([
      {
        level: 'info',
        event: 'event.completed',
        trigger: 'topic',
        request_id: 'request-1',
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
        tenant_id: 'tenant-1',
        source: 'alerts',
        record_id: '95df01b4-ee98-5cb9-9903-4c221d41eb51',
        correlation_id: '',
        outcome: 'success',
        error_code: '',
        duration_ms: 3,
      },
      {
        level: 'error',
        event: 'event.completed',
        trigger: 'event-bus',
        request_id: 'request-1',
        trace_id: '',
        tenant_id: 'tenant-1',
        source: 'source=billing',
        record_id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
        correlation_id: 'corr-1',
        detail_type: 'InvoicePaid',
        outcome: 'error',
        error_code: 'app.internal',
        duration_ms: 4,
      },
    ]);
    expect(metrics.map(({ tags, duration_ms }) => [tags, duration_ms])).toEqual([
      [{ trigger: 'topic', source: 'alerts', outcome: 'success', error_code: '' }, 3],
      [{ trigger: 'event-bus', source: 'source=billing', outcome: 'error', error_code: 'app.internal' }, 4],
    ]);
  });

  it('are observed without a handler', async () => {
    const { options, records } = environment();
    const router = createEventRouter(options);
    await expect(router.serveTopicEvent({ Records: [notification('a')] })).rejects.toThrow();
    await expect(router.serveEventBus({ 'detail-type': 'x' })).rejects.toThrow();
    expect(records).toMatchObject([
      {
        level: 'error',
        event: 'event.completed',
        trigger: 'topic',
        source: '(unregistered)',
        error_code: 'streams.no_handler',
      },
      {
        level: 'error',
        event: 'event.completed',
        trigger: 'event-bus',
        source: '(unregistered)',
        error_code: 'streams.no_handler',
      },
    ]);
  });
});

describe('spans', () => {
  interface Started {
    name: string;
    attributes: SpanAttributes;
    parent: string | undefined;
    links: readonly SpanLink[];
    ended: SpanAttributes[];
  }
  const tracer = () => {
    const started: Started[] = [];
    const names = new WeakMap<Span, string>();
    const current: string[] = [];
    const start = (
      _kind: string,
      name: string,
      attributes: SpanAttributes,
      parent?: Span,
      links: readonly SpanLink[] = [],
    ): Span => {
      const entry: Started = { name, attributes, parent: parent && names.get(parent), links, ended: [] };
      started.push(entry);
      const label = `${name} ${attributes['messaging.message.id'] ?? ''}`.trim();
      const span: Span = {
        set: (more) => void entry.ended.push(more),
        error() {},
        end() {},
        run(work) {
          current.push(label);
          try {
            return work();
          } finally {
            current.pop();
          }
        },
      };
      names.set(span, label);
      return span;
    };
    return { started, current, span: { start } };
  };

  it('are one for the batch with a child for each record, whose own trace is a link', async () => {
    const { started, current, span } = tracer();
    const router = createEventRouter({ ...environment().options, observability: { span } });
    const during: string[][] = [];
    router.queue('orders', (ctx) => {
      during.push([...current]);
      if (ctx.batch.index === 1) throw new Error('no');
    });
    await router.serveQueueEvent(loadEvent('queue-standard'), lambda);
    expect(started.map(({ name, parent }) => [name, parent])).toEqual([
      ['queue orders', undefined],
      ['queue orders', 'queue orders'],
      ['queue orders', 'queue orders'],
    ]);
    expect(started[1]?.attributes).toMatchObject({
      'faas.trigger': 'pubsub',
      'messaging.system': 'aws_sqs',
      'messaging.destination.name': 'orders',
      'messaging.message.id': '059f36b4-87a3-44ab-83d2-661975040001',
    });
    expect(started.map(({ links }) => links)).toEqual([[], [], [{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }]]);
    expect(started.map(({ ended }) => ended)).toEqual([
      [{ 'error.type': 'app.internal' }],
      [{}],
      [{ 'error.type': 'app.internal' }],
    ]);
    expect(during).toEqual([
      ['queue orders', 'queue orders 059f36b4-87a3-44ab-83d2-661975040001'],
      ['queue orders', 'queue orders 059f36b4-87a3-44ab-83d2-661975040002'],
    ]);
  });

  it('call a schedule a timer and a table a data source', async () => {
    const { started, span } = tracer();
    const router = createEventRouter({ ...environment().options, observability: { span } });
    router.eventBus({ scheduleName: 'nightly' }, () => {}).tableStream('notes', () => {});
    await router.serveEventBus(loadEvent('event-bus-scheduler'));
    await router.serveTableStream({ Records: [change('1')] });
    expect(started.map(({ name, attributes }) => [name, attributes['faas.trigger']])).toEqual([
      ['event-bus scheduleName=nightly', 'timer'],
      ['table-stream notes', 'datasource'],
      ['table-stream notes', 'datasource'],
    ]);
  });

  it('reach a diagnostics channel with a listener', async () => {
    const names: string[] = [];
    const handlers = {
      start: (message: unknown) => void names.push((message as { name: string }).name),
      end() {},
      asyncStart() {},
      asyncEnd() {},
      error() {},
    };
    const channel = tracingChannel('framework.event');
    channel.subscribe(handlers);
    const router = createEventRouter();
    router.queue('orders', () => {});
    await router.serveQueueEvent({ Records: [message('a')] });
    channel.unsubscribe(handlers);
    await router.serveQueueEvent({ Records: [message('a')] });
    expect(names).toEqual(['queue orders', 'queue orders']);
  });
});

describe('hooks that throw', () => {
  it('never change an answer', async () => {
    const fail = () => {
      throw new Error('hook');
    };
    const log = { debug: fail, info: fail, warn: fail, error: fail, isEnabled: fail, with: fail };
    const observability = { log: fail, metric: () => Promise.reject(new Error('hook')), span: { start: fail } };
    const router = createEventRouter({ environment: { AWS_EXECUTION_ENV: 'x' }, log, observability } as never);
    router.queue('orders', (_ctx, { messageId }) => {
      if (messageId === 'a') throw new Error('no');
    });
    router.kinesis('clicks', () => {});
    expect(await router.serveQueueEvent({ Records: [message('a'), message('b')] })).toEqual(reportOf('a'));
    expect(await router.serveQueueEvent({ Records: [{ ...message('a'), eventSource: 'x' }] })).toEqual(reportOf('a'));
    expect(await router.serveStreamEvent({ Records: [click('1')] })).toEqual(reportOf());
    await expect(router.serveTopicEvent({ Records: [notification('a')] })).rejects.toThrow(
      expect.failure('streams.no_handler', 'topic'),
    );
  });
});

describe('fifty invocations at the same time', () => {
  it('keep their request ids, tenants and bags apart', async () => {
    const { clock, options, records } = environment();
    const router = createEventRouter(options);
    router.queue('orders', async (ctx, { body }) => {
      ctx.set('mine', body);
      await new Promise<void>((resolve) => clock.after(Number(body) % 7, resolve));
      if (ctx.get('mine') !== body || ctx.tenantId !== `tenant-${body}`) throw new Error('mixed');
    });
    const answers = Array.from({ length: 50 }, (_, index) =>
      router.serveQueueEvent(
        { Records: [message(String(index))] },
        { awsRequestId: `request-${index}`, tenantId: `tenant-${index}` },
      ),
    );
    await clock.advance(10);
    expect(await Promise.all(answers)).toEqual(Array(50).fill(reportOf()));
    const events = records.filter(({ event }) => event === 'event.completed');
    expect(
      events.every(
        ({ request_id, tenant_id, record_id }) =>
          request_id === `request-${record_id}` && tenant_id === `tenant-${record_id}`,
      ),
    ).toBe(true);
    expect(events).toHaveLength(50);
  });
});

describe('ctx.metric', () => {
  it('writes only a declared metric with the ids of the invocation', async () => {
    const { metrics, options, records } = environment();
    const observability = {
      ...options.observability,
      metrics: defineMetrics({ Fulfilled: { unit: 'Count', tags: ['shop'] } }),
    };
    const router = createEventRouter({ ...options, observability });
    router.queue('orders', (ctx) => {
      ctx.metric('Fulfilled', 2, { tags: { shop: 'north' } });
      ctx.metric('Undeclared', 1);
    });
    expect(await router.serveQueueEvent({ Records: [message('a')] }, lambda)).toEqual(reportOf());
    expect(metrics[0]).toEqual({
      name: 'Fulfilled',
      value: 2,
      unit: 'Count',
      tags: { shop: 'north' },
      properties: { request_id: 'request-1', tenant_id: 'tenant-1' },
    });
    expect(metrics.map(({ name }) => name)).toEqual(['Fulfilled', 'framework.event']);
    expect(records[0]).toEqual({ level: 'warn', event: 'metric.dropped', dropped: 'metric Undeclared' });
  });

  it('is dropped with one warning without a declaration', async () => {
    const { metrics, options, records } = environment();
    const router = createEventRouter(options);
    router.queue('orders', (ctx) => ctx.metric('Fulfilled', 1));
    await router.serveQueueEvent({ Records: [message('a'), message('b')] });
    expect(metrics.map(({ name }) => name)).toEqual(['framework.event']);
    expect(records.filter(({ event }) => event === 'metric.dropped')).toHaveLength(1);
  });
});

describe('work that the log started', () => {
  it('is waited for before the answer leaves', async () => {
    const { clock, options } = environment();
    let sent = false;
    const sink: LogSink = {
      take(_line, _level, _warn, deliveries) {
        const work = new Promise<void>((resolve) => void clock.after(50, resolve)).then(() => {
          sent = true;
        });
        deliveries?.keep(work, 500);
      },
    };
    const log = createLogger({ level: 'error', sinks: [sink], write: () => {} });
    const router = createEventRouter({ ...options, log });
    router.queue('orders', () => Promise.reject(new Error('no')));
    const answer = router.serveQueueEvent({ Records: [message('a')] }).then((report) => [sent, report]);
    await clock.advance(100);
    expect(await answer).toEqual([true, reportOf('a')]);
  });
});

it('with recordLog, each failed record of a batch is one error line', async () => {
  const lines: { level: string; message: string; record_id?: string }[] = [];
  const log = createLogger({ write: (line) => void lines.push(JSON.parse(line)), environment: {} });
  const router = createEventRouter({ log, environment: {}, observability: { log: recordLog(log) } });
  router.queue('orders', () => {
    throw new Error('no');
  });
  router.topic('alerts', () => {
    throw new Error('no');
  });
  await router.serveQueueEvent({ Records: [message('a'), message('b')] });
  await expect(router.serveTopicEvent({ Records: [notification('c')] })).rejects.toThrow('no');
  const failed = (id: string) => [
    ['ERROR', 'framework: event handler failed', id],
    ['INFO', 'event.completed', id],
  ];
  expect(lines.map((line) => [line.level, line.message, line.record_id])).toEqual([
    ...failed('a'),
    ...failed('b'),
    ['INFO', 'batch.completed', undefined],
    ...failed('c'),
  ]);
});
