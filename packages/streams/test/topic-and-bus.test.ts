import { FrameworkError } from '@sallyport/core';
import { createEventRouter } from '@sallyport/streams';
import { environment, loadEvent, notification } from './support.js';

describe('a topic', () => {
  it('answers the list of results, null if absent', async () => {
    const router = createEventRouter(environment().options);
    router.topic('alerts', async (_ctx, { Sns }) => (Sns.MessageId === 'a' ? { sent: true } : undefined));
    expect(await router.serveTopicEvent({ Records: [notification('a'), notification('b')] })).toEqual([
      { sent: true },
      null,
    ]);
  });

  it.each([
    ['topic', 'alerts'],
    ['topic', 'arn:aws:sns:us-east-2:123456789012:alerts'],
    ['topic-fifo-cross-account', 'alerts.fifo'],
  ])('%s is served under %s', async (event, name) => {
    const router = createEventRouter(environment().options);
    router.topic(name, (_ctx, { Sns }) => Sns.Message);
    expect(await router.serveTopicEvent(loadEvent(event))).toEqual(['Hello from SNS!']);
  });

  it('rethrows the error of the first failure unchanged and runs no later notification', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    const error = new TypeError('own text');
    router.topic('alerts', (_ctx, { Sns }) => {
      seen.push(Sns.MessageId);
      throw error;
    });
    await expect(router.serveTopicEvent({ Records: [notification('a'), notification('b')] })).rejects.toBe(error);
    expect(seen).toEqual(['a']);
  });

  it.each([
    ['another topic', notification('b', { TopicArn: 'arn:aws:sns:us-east-2:123456789012:other' })],
    ['no TopicArn', notification('b', { TopicArn: undefined })],
    ['no Sns', { EventSource: 'aws:sns' }],
    ['Sns: null', { EventSource: 'aws:sns', Sns: null }],
    ['another tag', { ...notification('b'), EventSource: 'aws:s3' }],
    ['a queue tag', { ...notification('b'), EventSource: undefined, eventSource: 'aws:sqs' }],
    ['nothing', null],
  ])('throws before anything runs when a notification has %s', async (_name, stranger) => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.topic('alerts', (_ctx, { Sns }) => void seen.push(Sns.MessageId));
    await expect(router.serveTopicEvent({ Records: [notification('a'), stranger] })).rejects.toMatchObject({
      code: 'streams.no_handler',
      message: 'framework: no handler for topic',
    });
    expect(seen).toEqual([]);
  });

  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['the greatest', ['x'.repeat(6_291_551)], [6_291_551]],
    ['a byte more', ['x'.repeat(6_291_552)], [null]],
    ['the greatest, and one that is as long as null', ['x'.repeat(6_291_546), 'bb'], [6_291_546, 2]],
    ['the greatest, and one that is longer', ['x'.repeat(6_291_546), 'bbb'], [6_291_546, null]],
    ['one that leaves no room for null, and another', ['x'.repeat(6_291_547), 'bb'], [null, 2]],
    ['some around one that is too large', ['first', 'x'.repeat(6_300_000), 'last'], [5, null, 4]],
    ['some around one that JSON cannot write', ['first', 5n, 'last'], [5, null, 4]],
  ])('answers results as far as the answer has room: %s', async (_name, results, expected) => {
    const { options, records } = environment();
    const router = createEventRouter(options);
    router.topic('alerts', (_ctx, { Sns }) => results[Number(Sns.MessageId)]);
    const Records = results.map((_result, index) => notification(String(index)));
    const answer = (await router.serveTopicEvent({ Records })) as (string | null)[];
    expect(answer.map((result) => result?.length ?? null)).toEqual(expected);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(6_291_556);
    const warned = records.filter(({ event }) => event === 'streams.result_dropped');
    expect(warned).toEqual(
      expected
        .filter((result) => result === null)
        .map(() => expect.objectContaining({ level: 'warn', trigger: 'topic' })),
    );
  });

  it('serves a notification that carries no tag at all', async () => {
    const router = createEventRouter(environment().options);
    router.topic('alerts', () => 1);
    expect(await router.serveTopicEvent({ Records: [{ Sns: notification('a').Sns }] })).toEqual([1]);
  });
});

describe('an event bus', () => {
  const event = { source: 'billing', 'detail-type': 'InvoicePaid', detail: {} };

  it.each([
    ['a value', 7, 7],
    ['nothing', undefined, null],
    ['null', null, null],
    ['false', false, false],
    ['a promise', Promise.resolve('x'), 'x'],
  ])('answers %s', async (_name, result, expected) => {
    const router = createEventRouter(environment().options);
    router.eventBus({ source: 'billing' }, () => result);
    expect(await router.serveEventBus(event)).toEqual(expected);
  });

  it.each([{}, event, [], { source: 'other', 'detail-type': 'x' }])(
    'throws when no selector matches %j',
    async (given) => {
      const router = createEventRouter(environment().options);
      router.eventBus({ source: 'nobody' }, () => {});
      await expect(router.serveEventBus(given)).rejects.toMatchObject({
        code: 'streams.no_handler',
        message: 'framework: no handler for event-bus event',
      });
    },
  );

  it.each([null, undefined, 'text', 5])('rejects %j', async (given) => {
    await expect(createEventRouter().serveEventBus(given)).rejects.toMatchObject({
      code: 'streams.invalid_event',
      message: 'framework: event must be an object',
    });
  });
});

describe('what topics and event buses throw', () => {
  const thrownBy = async (thrown: unknown, options: object = {}, failureText?: string) => {
    const router = createEventRouter({ ...environment().options, ...options }, failureText);
    router.eventBus({ source: 'billing' }, () => {
      throw thrown;
    });
    return router.serveEventBus({ source: 'billing', 'detail-type': 'x' }).then(
      () => 'nothing',
      (error: unknown) => error,
    );
  };

  it.each([new Error('plain'), new FrameworkError('app.conflict', 'coded'), new RangeError('sub')])(
    'is the very error %s',
    async (error) => {
      expect(await thrownBy(error)).toBe(error);
    },
  );

  it.each(['text', 5, null, undefined, { message: 'object' }])(
    'is an error of ours for the non-error %j',
    async (thrown) => {
      const error = (await thrownBy(thrown)) as FrameworkError;
      expect(error).toMatchObject({
        name: 'FrameworkError',
        code: 'streams.handler_failed',
        message: 'framework: event handler failed',
      });
      expect(error.cause).toBe(thrown);
    },
  );

  it('is masked with maskErrors, the cause kept', async () => {
    const error = new Error('secret');
    expect(await thrownBy(error, { maskErrors: true })).toMatchObject({
      code: 'streams.handler_failed',
      message: 'framework: event handler failed',
      cause: error,
    });
  });

  it('has the message of the container that masks errors', async () => {
    const masked = await thrownBy(new Error('secret'), { maskErrors: true }, 'framework: event workload failed');
    expect(masked).toMatchObject({ message: 'framework: event workload failed' });
    expect((masked as Error).stack).not.toContain('secret');
  });

  it('is in the log, with its cause', async () => {
    const { lines, options } = environment();
    const router = createEventRouter({ ...options, maskErrors: true });
    const error = new Error('the cause');
    router.eventBus({ source: 'billing' }, () => Promise.reject(error));
    await expect(router.serveEventBus({ source: 'billing', 'detail-type': 'x' })).rejects.toThrow();
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'framework: event handler failed',
        fields: {
          request_id: 'test-id-1',
          trace_id: '',
          tenant_id: '',
          trigger: 'event-bus',
          source: 'source=billing',
          function_name: '',
          function_version: '',
          error,
        },
      },
    ]);
  });
});
