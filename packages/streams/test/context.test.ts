import { createEventRouter, type EventContext } from '@sallyport/streams';
import { change, click, environment, loadEvent, message } from './support.js';

type Read = (ctx: EventContext) => unknown;
const lambda = { awsRequestId: ' request-9 ', tenantId: 'tenant-1', functionName: 'fn', functionVersion: '7' };

describe('the context of a record', () => {
  const ofQueue = async (
    read: Read,
    context: object | undefined = lambda,
    event: object = loadEvent('queue-standard'),
    given: object = {},
  ) => {
    const router = createEventRouter({ ...environment().options, ...given });
    const seen: unknown[] = [];
    router.queue('orders', (ctx) => void seen.push(read(ctx)));
    await router.serveQueueEvent(event, context);
    return seen;
  };

  it.each<[string, Read, unknown[]]>([
    ['the kind', (ctx) => ctx.triggerKind, ['queue', 'queue']],
    [
      'the source',
      (ctx) => ctx.source,
      Array(2).fill({
        name: 'orders',
        arn: 'arn:aws:sqs:us-east-2:123456789012:orders',
        account: '123456789012',
        region: 'us-east-2',
      }),
    ],
    ['the request id of the invocation, trimmed', (ctx) => ctx.requestId, ['request-9', 'request-9']],
    [
      'the message id',
      (ctx) => ctx.recordId,
      ['059f36b4-87a3-44ab-83d2-661975040001', '059f36b4-87a3-44ab-83d2-661975040002'],
    ],
    [
      'its natural key',
      (ctx) => ctx.eventKey,
      ['059f36b4-87a3-44ab-83d2-661975040001', '059f36b4-87a3-44ab-83d2-661975040002'],
    ],
    ['how often it was delivered', (ctx) => ctx.attempt, [1, 3]],
    [
      'its place in the batch',
      (ctx) => ctx.batch,
      [
        { index: 0, size: 2 },
        { index: 1, size: 2 },
      ],
    ],
    ['the trace of the message', (ctx) => ctx.traceId, ['', '4bf92f3577b34da6a3ce929d0e0e4736']],
    ['the tenant of the invocation', (ctx) => ctx.tenantId, ['tenant-1', 'tenant-1']],
    ['the raw Lambda context', (ctx) => ctx.lambdaContext === lambda, [true, true]],
    ['the clock', (ctx) => ctx.now().toISOString(), ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z']],
    ['the ids', (ctx) => ctx.newId(), ['test-id-1', 'test-id-2']],
  ])('contains %s', async (_name, read, expected) => {
    expect(await ofQueue(read)).toEqual(expected);
  });

  it('has one invented request id for the whole batch where the service returns none', async () => {
    expect(await ofQueue((ctx) => ctx.requestId, {})).toEqual(['test-id-1', 'test-id-1']);
    expect(await ofQueue((ctx) => ctx.requestId, { awsRequestId: '  ' })).toEqual(['test-id-1', 'test-id-1']);
  });

  it.each([[undefined], [null], ['x'], ['NaN'], ['0']])('reads a receive count of %j as 0', async (count) => {
    const event = {
      Records: [message('a', { attributes: count === undefined ? null : { ApproximateReceiveCount: count } })],
    };
    expect(await ofQueue((ctx) => ctx.attempt, lambda, event)).toEqual([0]);
  });

  it.each([
    [-5, 0],
    [Number.NaN, 0],
    [1_234, 1_234],
  ])('reads %d remaining milliseconds as %d', async (left, expected) => {
    const event = { Records: [message('a')] };
    const seen = await ofQueue((ctx) => ctx.remainingMs, { getRemainingTimeInMillis: () => left }, event, {
      deadlineMarginMs: 0,
    });
    expect(seen).toEqual(left < 0 ? [] : [expected]);
  });

  it('passes an empty bag to the next record', async () => {
    const seen = await ofQueue((ctx) => {
      const before = ctx.get('key');
      ctx.set('key', ctx.recordId);
      return [before, ctx.get('key') === ctx.recordId];
    });
    expect(seen).toEqual([
      [undefined, true],
      [undefined, true],
    ]);
  });

  it('shows no payload when it is printed', async () => {
    const [text] = await ofQueue((ctx) => JSON.stringify(ctx), lambda, { Records: [message('secret')] });
    expect(text).toBe('{}');
  });

  it('binds the logger to the record', async () => {
    const { options, lines } = environment();
    const router = createEventRouter(options);
    router.queue('orders', (ctx) => ctx.log.info('hello', { own: 1 }));
    await router.serveQueueEvent({ Records: [message('a')] }, lambda);
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'hello',
        fields: {
          request_id: 'request-9',
          trace_id: '',
          tenant_id: 'tenant-1',
          trigger: 'queue',
          source: 'orders',
          function_name: 'fn',
          function_version: '7',
          own: 1,
        },
      },
    ]);
  });

  it('binds the logger to a record outside Lambda', async () => {
    const { options, lines } = environment();
    const router = createEventRouter(options);
    router.queue('orders', (ctx) => ctx.log.info('hello'));
    await router.serveQueueEvent({ Records: [message('a')] });
    expect(lines.map(({ fields }) => fields)).toEqual([
      {
        request_id: expect.any(String),
        trace_id: '',
        tenant_id: '',
        trigger: 'queue',
        source: 'orders',
        function_name: '',
        function_version: '',
      },
    ]);
  });

  it('has the ids of streams, tables, topics and events', async () => {
    const router = createEventRouter(environment().options);
    const seen: unknown[] = [];
    const handler = (ctx: EventContext) => void seen.push([ctx.triggerKind, ctx.recordId, ctx.attempt, ctx.source]);
    router
      .kinesis('clicks', handler)
      .tableStream('notes', handler)
      .topic('alerts', handler)
      .eventBus({ source: 'billing' }, handler);
    await router.serveStreamEvent({ Records: [click('1')] });
    await router.serveTableStream({ Records: [change('1')] });
    await router.serveTopicEvent(loadEvent('topic'));
    await router.serveEventBus(loadEvent('event-bus-custom'));
    const place = { account: '123456789012', region: 'us-east-2' };
    expect(seen).toEqual([
      [
        'stream',
        'shard:1',
        0,
        { name: 'clicks', arn: 'arn:aws:kinesis:us-east-2:123456789012:stream/clicks', ...place },
      ],
      [
        'table-stream',
        'change-1',
        0,
        {
          name: 'notes',
          arn: 'arn:aws:dynamodb:us-east-1:123456789012:table/notes',
          account: '123456789012',
          region: 'us-east-1',
        },
      ],
      [
        'topic',
        '95df01b4-ee98-5cb9-9903-4c221d41eb51',
        0,
        { name: 'alerts', arn: 'arn:aws:sns:us-east-2:123456789012:alerts', ...place },
      ],
      [
        'event-bus',
        '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
        0,
        { name: 'billing', arn: '', account: '123456789012', region: 'us-west-1' },
      ],
    ]);
  });

  it('has the natural keys of streams, tables, topics and events', async () => {
    const router = createEventRouter(environment().options);
    const seen: unknown[] = [];
    const handler = (ctx: EventContext) => void seen.push(ctx.eventKey);
    router
      .kinesis('clicks', handler)
      .tableStream('notes', handler)
      .topic('alerts', handler)
      .eventBus({ source: 'billing' }, handler);
    await router.serveStreamEvent({ Records: [click('1')] });
    await router.serveTableStream({ Records: [change('1')] });
    await router.serveTopicEvent(loadEvent('topic'));
    const billing = loadEvent('event-bus-custom');
    await router.serveEventBus(billing);
    await router.serveEventBus({ ...billing, 'replay-name': 'again' });
    await router.serveEventBus({ ...billing, id: ' ' });
    const run = { ...billing, 'detail-type': 'Scheduled Event', detail: {} };
    await router.serveEventBus(run);
    await router.serveEventBus({ ...run, detail: { idempotency_key: 'run-7' } });
    await router.serveEventBus({ ...run, id: '' }, lambda);
    expect(seen).toEqual([
      'shard:1',
      'change-1',
      '95df01b4-ee98-5cb9-9903-4c221d41eb51',
      '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
      '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
      undefined,
      'event-bus:6a7e8feb-b491-4cf7-a9f1-bf3703467718',
      'run-7',
      'lambda:request-9',
    ]);
  });
});

describe('the trace of a record', () => {
  const traceOf = async (record: object, context: object = {}, variables: Record<string, string> = {}) => {
    const router = createEventRouter({ ...environment().options, environment: variables });
    let trace: string | undefined;
    router.queue('orders', (ctx) => {
      trace = ctx.traceId;
    });
    await router.serveQueueEvent({ Records: [message('a', record as never)] }, context);
    return trace;
  };
  const header = 'Root=1-5e272390-8c398be037738dc042009320;Parent=94ae789b969f1cc5;Sampled=1';
  const own = { attributes: { AWSTraceHeader: header } };
  const w3c = {
    messageAttributes: { traceparent: { stringValue: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' } },
  };
  const invocation = 'Root=1-aaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbb;Sampled=1';

  it.each([
    ['traceparent before the X-Ray header', { ...own, ...w3c }, {}, {}, '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['the X-Ray header of the message', own, { xRayTraceId: invocation }, {}, '1-5e272390-8c398be037738dc042009320'],
    [
      'the X-Ray header behind a malformed traceparent',
      { ...own, messageAttributes: { traceparent: { stringValue: '00-0-0-0' } } },
      {},
      {},
      '1-5e272390-8c398be037738dc042009320',
    ],
    ['the Lambda context', {}, { xRayTraceId: invocation }, {}, '1-aaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbb'],
    ['the variable', {}, {}, { _X_AMZN_TRACE_ID: invocation }, '1-aaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbb'],
    [
      'not the variable where invocations share the process',
      {},
      {},
      { _X_AMZN_TRACE_ID: invocation, AWS_LAMBDA_MAX_CONCURRENCY: '10' },
      '',
    ],
    [
      'the Lambda context where invocations share the process',
      {},
      { xRayTraceId: invocation },
      { AWS_LAMBDA_MAX_CONCURRENCY: '10' },
      '1-aaaaaaaa-bbbbbbbbbbbbbbbbbbbbbbbb',
    ],
    ['nothing invented', { attributes: { AWSTraceHeader: 'Root=1-5e272390-000000000000000000000000' } }, {}, {}, ''],
  ])('is %s', async (_name, record, context, variables, expected) => {
    expect(await traceOf(record, context, variables as Record<string, string>)).toBe(expected);
  });

  it('is read from the attributes of a notification', async () => {
    const router = createEventRouter(environment().options);
    router.topic('alerts', (ctx) => ctx.traceId);
    expect(await router.serveTopicEvent(loadEvent('topic'))).toEqual(['4bf92f3577b34da6a3ce929d0e0e4736']);
  });
});
