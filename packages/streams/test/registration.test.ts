import { createEventRouter, type EventRouter } from '@sallyport/streams';
import { createQueueRouter } from '@sallyport/streams/queue';
import { change, click, environment, message, notification, reportOf } from './support.js';

const handler = () => {};
const router = (options: object = {}) => createEventRouter({ ...environment().options, ...options });
type Router = ReturnType<typeof router>;

describe('registration', () => {
  it.each<[string, (router: Router) => void]>([
    ['queue name is empty', (r) => r.queue('', handler)],
    ['queue name is empty', (r) => r.queue('  ', handler)],
    ['queue name is empty', (r) => r.queue(undefined as never, handler)],
    ['table name is empty', (r) => r.tableStream(' ', handler)],
    ['stream name is empty', (r) => r.kinesis('', handler)],
    ['topic name is empty', (r) => r.topic('\t', handler)],
    ['event-bus selector is empty', (r) => r.eventBus({}, handler)],
    ['event-bus selector is empty', (r) => r.eventBus(null as never, handler)],
    ['event-bus selector is empty', (r) => r.eventBus({ source: ' ' }, handler)],
    ['option "detailType"', (r) => r.eventBus({ source: 'a', detailType: 5 as never }, handler)],
    ['option "source"', (r) => r.eventBus({ source: ['a'] as never }, handler)],
    [
      "event-bus selector must be an object, for example { source: 'billing' }",
      (r) => r.eventBus('billing' as never, handler),
    ],
    ['handler must be a function', (r) => r.queue('a', undefined as never)],
    ['handler must be a function', (r) => r.tableStream('a', {} as never)],
    ['handler must be a function', (r) => r.kinesis('a', null as never)],
    ['handler must be a function', (r) => r.topic('a', 'x' as never)],
    ['handler must be a function', (r) => r.eventBus({ source: 'a' }, 5 as never)],
    ['duplicate handler for queue "a"', (r) => r.queue('a', handler).queue('a', handler)],
    ['duplicate handler for table "a"', (r) => r.tableStream('a', handler).tableStream('a', handler)],
    ['duplicate handler for stream "a"', (r) => r.kinesis('a', handler).kinesis('a', handler)],
    ['duplicate handler for topic "a"', (r) => r.topic('a', handler).topic('a', handler)],
    [
      'duplicate handler for table "arn:aws:dynamodb:r:1:table/a/stream/new"',
      (r) =>
        r
          .tableStream('arn:aws:dynamodb:r:1:table/a', handler)
          .tableStream('arn:aws:dynamodb:r:1:table/a/stream/new', handler),
    ],
    [
      'duplicate handler for event-bus "source=a detailType=b"',
      (r) => r.eventBus({ source: 'a', detailType: 'b' }, handler).eventBus({ detailType: 'b', source: 'a' }, handler),
    ],
    ['option "concurrency"', (r) => r.queue('a', handler, { concurrency: 0 })],
    ['option "concurrency"', (r) => r.queue('a', handler, { concurrency: 1.5 })],
    ['option "concurrency"', (r) => r.queue('a', handler, { concurrency: Number.NaN })],
    ['option "concurrency"', (r) => r.queue('a', handler, { concurrency: '2' as never })],
    ['concurrency', (r) => r.queue('a.fifo', handler, { concurrency: 1 })],
    ['concurrency', (r) => r.queue('arn:aws:sqs:r:1:a.fifo', handler, { concurrency: 2 })],
    ['unknown option "concurency"', (r) => r.queue('a', handler, { concurency: 2 } as never)],
    ['unknown option "onFailure"', (r) => r.queue('a', handler, { onFailure: 'stop' } as never)],
    ['unknown option "concurrency"', (r) => r.kinesis('a', handler, { concurrency: 2 } as never)],
    ['unknown option "onfailure"', (r) => r.tableStream('a', handler, { onfailure: 'stop' } as never)],
    ['unknown option "rule"', (r) => r.eventBus({ rule: 'a' } as never, handler)],
    ['option "onFailure"', (r) => r.kinesis('a', handler, { onFailure: 'halt' as never })],
    ['queue name is not the ARN of a queue', (r) => r.queue('arn:aws:sns:us-east-1:1:a', handler)],
    ['stream name is not the ARN of a stream', (r) => r.kinesis('arn:aws:kinesis:us-east-1:1:a', handler)],
  ])('rejects with %s', (text, register) => {
    const register_ = () => register(router());
    expect(register_).toThrow(expect.failure('app.invalid_configuration', text));
  });

  it.each<[string, (events: EventRouter, more: []) => unknown]>([
    ['queue(name, handler, options)', (events, more) => events.queue('q', async () => {}, {}, ...more)],
    ['tableStream(name, handler, options)', (events, more) => events.tableStream('t', async () => {}, {}, ...more)],
    ['kinesis(name, handler, options)', (events, more) => events.kinesis('k', async () => {}, {}, ...more)],
    ['topic(name, handler)', (events, more) => events.topic('t', async () => {}, ...more)],
    ['eventBus(selector, handler)', (events, more) => events.eventBus({ source: 's' }, async () => {}, ...more)],
    ['useEvents(middleware)', (events, more) => events.useEvents(() => 'x', ...more)],
  ])('rejects a further argument of %s', (usage, register) => {
    for (const more of [{ concurrency: 2 }, undefined]) {
      const events = createEventRouter();
      expect(() => register(events, [more] as unknown as [])).toThrow(
        expect.failure('app.invalid_configuration', 'too many arguments', usage),
      );
      expect(events.triggers()).toEqual([]);
    }
  });

  it('rejects a further argument of a router of queues alone', () => {
    const queues = createQueueRouter();
    expect(() => queues.queue('q', async () => {}, {}, ...([{}] as unknown as []))).toThrow(
      expect.failure('app.invalid_configuration', 'too many arguments'),
    );
    expect(() => queues.useEvents(() => 'x', ...([{}] as unknown as []))).toThrow(
      expect.failure('app.invalid_configuration', 'too many arguments'),
    );
    expect(queues.triggers()).toEqual([]);
  });

  it('keeps no part of a rejected registration', () => {
    const r = router();
    expect(() => r.queue('a', handler, { concurrency: 0 })).toThrow();
    r.queue('a', handler);
    expect(() => r.queue('a', handler)).toThrow();
    expect(r.triggers()).toEqual([{ kind: 'queue', name: 'a' }]);
  });

  it('lets a queue, a table, a stream and a topic share a name', () => {
    expect(() =>
      router().queue('a', handler).tableStream('a', handler).kinesis('a', handler).topic('a', handler),
    ).not.toThrow();
  });
});

describe('options', () => {
  it.each([
    [{ tier: 'p0' }, 'unknown option "tier"'],
    [{ deadlineMarginMs: -1 }, 'option "deadlineMarginMs"'],
    [{ deadlineMarginMs: '500' }, 'option "deadlineMarginMs"'],
    [{ deadlineMarginMs: Number.NaN }, 'option "deadlineMarginMs"'],
    [{ queueConcurrency: 0 }, 'option "queueConcurrency"'],
    [{ maskErrors: 'yes' }, 'option "maskErrors"'],
    [{ clock: {} }, 'option "clock"'],
    [{ ids: null }, 'option "ids"'],
    [{ log: console.log }, 'option "log"'],
    [{ environment: 'x' }, 'option "environment"'],
    [{ observability: { logs: handler } }, 'unknown option "observability.logs"'],
  ])('%j is rejected', (options, text) => {
    expect(() => createEventRouter(options as never)).toThrow(expect.failure('app.invalid_configuration', text));
  });

  it('may all be left out', () => {
    expect(createEventRouter().triggers()).toEqual([]);
  });
});

describe('triggers()', () => {
  it('lists registrations in order, frozen and fresh', () => {
    const r = router()
      .queue('orders', handler, { concurrency: 3 })
      .eventBus({ detailType: 'b', source: 'a' }, handler)
      .kinesis('clicks', handler, { onFailure: 'stop' })
      .tableStream('notes', handler)
      .topic('alerts', handler);
    const triggers = r.triggers();
    expect(triggers).toEqual([
      { kind: 'queue', name: 'orders', concurrency: 3 },
      { kind: 'event-bus', selector: { source: 'a', detailType: 'b' } },
      { kind: 'stream', name: 'clicks', onFailure: 'stop' },
      { kind: 'table-stream', name: 'notes' },
      { kind: 'topic', name: 'alerts' },
    ]);
    expect(r.triggers()).not.toBe(triggers);
    expect(Object.isFrozen(triggers)).toBe(true);
    expect(triggers.every((trigger) => Object.isFrozen(trigger))).toBe(true);
    expect(() => Object.assign((triggers[1] as { selector: object }).selector, { source: 'x' })).toThrow(TypeError);
  });

  it('does not change when the caller changes the options object later', () => {
    const selector = { source: 'a' };
    const r = router().eventBus(selector, handler);
    selector.source = 'b';
    expect(r.triggers()).toEqual([{ kind: 'event-bus', selector: { source: 'a' } }]);
  });
});

describe('FRAMEWORK_EVENT_SOURCES', () => {
  const mapped = {
    queue: {
      orders: 'Stack-Orders-1A2B',
      bills: 'arn:aws:sqs:us-east-2:123456789012:Stack-Bills',
      shop: 'Stack-Shop.fifo',
    },
    tableStream: { notes: 'Stack-Notes' },
    kinesis: { clicks: 'Stack-Clicks' },
    topic: { alerts: 'Stack-Alerts' },
  };
  const FRAMEWORK_EVENT_SOURCES = JSON.stringify(mapped);

  it('routes physical names to logical ones, for every kind', async () => {
    const { options, records } = environment({ environment: { FRAMEWORK_EVENT_SOURCES } });
    const r = createEventRouter(options);
    r.queue('orders', handler).queue('bills', handler).tableStream('notes', handler).kinesis('clicks', handler);
    r.topic('alerts', (ctx) => ctx.source.name);
    const arn = (name: string) => ({ eventSourceARN: `arn:aws:sqs:us-east-2:123456789012:${name}` });
    expect(
      await r.serveQueueEvent({ Records: [message('a', arn('Stack-Orders-1A2B')), message('b', arn('Stack-Bills'))] }),
    ).toEqual(reportOf());
    const eventSourceARN = 'arn:aws:kinesis:us-east-2:123456789012:stream/Stack-Clicks';
    expect(await r.serveStreamEvent({ Records: [click('1', { eventSourceARN })] })).toEqual(reportOf());
    const tableArn = 'arn:aws:dynamodb:us-east-1:123456789012:table/Stack-Notes/stream/2026';
    expect(await r.serveTableStream({ Records: [change('1', { eventSourceARN: tableArn })] })).toEqual(reportOf());
    const TopicArn = 'arn:aws:sns:us-east-2:123456789012:Stack-Alerts';
    expect(await r.serveTopicEvent({ Records: [notification('a', { TopicArn })] })).toEqual(['Stack-Alerts']);
    expect(r.triggers().map((trigger) => 'name' in trigger && trigger.name)).toEqual([
      'orders',
      'bills',
      'notes',
      'clicks',
      'alerts',
    ]);
    expect(new Set(records.map(({ source }) => source))).toEqual(
      new Set(['orders', 'bills', 'clicks', 'notes', 'alerts']),
    );
  });

  it('leaves the logical name of a mapped source unserved, and other kinds alone', async () => {
    const r = router({ environment: { FRAMEWORK_EVENT_SOURCES } });
    r.queue('orders', handler).queue('clicks', handler);
    expect(await r.serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf('a'));
    const clicks = message('b', { eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:clicks' });
    expect(await r.serveQueueEvent({ Records: [clicks] })).toEqual(reportOf());
  });

  it('also accepts one map for all kinds', async () => {
    const r = router({ environment: { FRAMEWORK_EVENT_SOURCES: '{"orders":"Stack-Orders"}' } });
    r.queue('orders', handler);
    const record = message('a', { eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:Stack-Orders' });
    expect(await r.serveQueueEvent({ Records: [record] })).toEqual(reportOf());
  });

  it('detects FIFO and duplicates by the physical name', async () => {
    const r = router({ environment: { FRAMEWORK_EVENT_SOURCES } });
    expect(() => r.queue('shop', handler, { concurrency: 2 })).toThrow(
      expect.failure('app.invalid_configuration', 'concurrency'),
    );
    r.queue('shop', () => Promise.reject(new Error('no')));
    const records = ['a', 'b'].map((id) =>
      message(id, {
        eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:Stack-Shop.fifo',
        attributes: { MessageGroupId: 'g' },
      }),
    );
    expect(await r.serveQueueEvent({ Records: records })).toEqual(reportOf('a', 'b'));
    r.queue('orders', handler);
    expect(() => r.queue('Stack-Orders-1A2B', handler)).toThrow(
      expect.failure('app.invalid_configuration', 'duplicate handler', 'queue "Stack-Orders-1A2B"'),
    );
  });

  it('is never read for inherited names', () => {
    const r = router({ environment: { FRAMEWORK_EVENT_SOURCES } });
    expect(() => r.queue('constructor', handler).queue('toString', handler).topic('__proto__', handler)).not.toThrow();
  });

  it.each(['x', '[]', '5', 'null', '{"orders":5}', '{"queue":{"orders":""}}', '{"queue":[]}', '{"queue":{"a":{}}}'])(
    'is rejected when it is %s, without being quoted',
    (text) => {
      expect(() => router({ environment: { FRAMEWORK_EVENT_SOURCES: text } })).toThrow(
        expect.failure('app.invalid_configuration', 'FRAMEWORK_EVENT_SOURCES'),
      );
    },
  );

  it.each(['', '  '])('may be blank (%j)', (text) => {
    expect(() => router({ environment: { FRAMEWORK_EVENT_SOURCES: text } })).not.toThrow();
  });
});

describe('entrypoints', () => {
  it('work without the router and accept at most two arguments', async () => {
    const r = router().queue('orders', handler);
    const { serveQueueEvent, serveTableStream, serveStreamEvent, serveKinesisEvent, serveTopicEvent, serveEventBus } =
      r;
    expect(await serveQueueEvent({ Records: [message('a')] })).toEqual(reportOf());
    const all = [
      serveQueueEvent,
      serveTableStream,
      serveStreamEvent,
      serveKinesisEvent,
      serveTopicEvent,
      serveEventBus,
    ];
    expect(all.map(({ length }) => length)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(serveKinesisEvent).toBe(serveStreamEvent);
  });

  it('are what the surface serves', async () => {
    const r = router()
      .queue('orders', handler)
      .topic('alerts', () => 1)
      .eventBus({ source: 'a' }, () => 2);
    r.kinesis('clicks', handler).tableStream('notes', handler);
    const invocation = { lambdaContext: undefined };
    expect(r.serves).toEqual(['queue', 'table-stream', 'stream', 'topic', 'event-bus']);
    expect(await r.serve('queue', { Records: [message('a')] }, invocation)).toEqual(reportOf());
    expect(await r.serve('stream', { Records: [click('1')] }, invocation)).toEqual(reportOf());
    expect(await r.serve('table-stream', { Records: [change('1')] }, invocation)).toEqual(reportOf());
    expect(await r.serve('topic', { Records: [notification('a')] }, invocation)).toEqual([1]);
    expect(await r.serve('event-bus', { source: 'a', 'detail-type': 'x' }, invocation)).toBe(2);
  });
});
