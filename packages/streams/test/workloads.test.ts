import {
  createEventRouter,
  type EventBusEvent,
  type EventContext,
  eventBusEnvelope,
  requireEventBusEnvelope,
  type ScheduledResult,
  scheduledSummary,
  tableStreamSummary,
} from '@sallyport/streams';
import { change, environment, loadEvent } from './support.js';

/** Runs a handler for an event in a new router, and returns its result. */
const inHandler = async (
  event: object,
  work: (event: EventBusEvent, ctx: EventContext) => unknown,
  context?: object,
) => {
  const { clock, options } = environment();
  clock.set(new Date('2026-01-01T00:00:00.000Z'));
  const router = createEventRouter(options);
  router.eventBus({ source: 'billing' }, (ctx, given) => work(given, ctx));
  router.eventBus({ detailType: 'Scheduled Event' }, (ctx, given) => work(given, ctx));
  return router.serveEventBus(event, context as never) as Promise<Record<string, unknown>>;
};
const base = { source: 'billing', 'detail-type': 'InvoicePaid' };

describe('eventBusEnvelope', () => {
  it('describes an event like every runtime', async () => {
    const answer = await inHandler(loadEvent('event-bus-custom'), (event, ctx) => eventBusEnvelope(event, ctx), {
      awsRequestId: 'r-1',
    });
    expect(answer).toEqual({
      account: '123456789012',
      region: 'us-west-1',
      source: 'billing',
      time: '2026-12-22T18:43:48Z',
      event_id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
      detail_type: 'InvoicePaid',
      resources: ['arn:aws:events:us-west-1:123456789012:rule/billing-bus/invoice-rule'],
      request_id: 'r-1',
      correlation_id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
      correlation_source: 'event.id',
    });
  });

  it('is blank if unknown, is trimmed, and accepts only strings', async () => {
    const event = { ...base, id: ' e ', account: 5, region: null, time: {}, resources: ['a', 5, null, ' b '] };
    expect(await inHandler(event, eventBusEnvelope)).toEqual({
      account: '',
      region: '',
      source: 'billing',
      time: '',
      event_id: 'e',
      detail_type: 'InvoicePaid',
      resources: ['a', 'b'],
      request_id: 'test-id-1',
      correlation_id: 'e',
      correlation_source: 'event.id',
    });
  });

  const all = {
    ...base,
    id: 'from-id',
    metadata: { correlation_id: 'from-metadata' },
    headers: { 'x-correlation-id': 'from-headers' },
    detail: { correlation_id: 'from-detail' },
  };

  it.each([
    ['metadata first', all, 'from-metadata', 'metadata.correlation_id'],
    ['headers next', { ...all, metadata: undefined }, 'from-headers', 'headers.x-correlation-id'],
    ['a header in any case', { ...base, headers: { 'X-Correlation-ID': 'h' } }, 'h', 'headers.x-correlation-id'],
    [
      'the first usable of a list',
      { ...base, headers: { 'x-correlation-id': ['', 5, 'h2', 'h3'] } },
      'h2',
      'headers.x-correlation-id',
    ],
    ['the detail next', { ...all, metadata: 5, headers: null }, 'from-detail', 'detail.correlation_id'],
    ['the id next', { ...base, id: 'from-id' }, 'from-id', 'event.id'],
    ['the invocation last', base, 'r-1', 'lambda.aws_request_id'],
    ['metadata as JSON text', { ...base, metadata: '{"correlation_id":" m "}' }, 'm', 'metadata.correlation_id'],
    ['headers as JSON text', { ...base, headers: '{"x-correlation-id":"h"}' }, 'h', 'headers.x-correlation-id'],
    ['a detail as JSON text', { ...base, detail: '{"correlation_id":"d"}' }, 'd', 'detail.correlation_id'],
    [
      'no text that does not parse',
      { ...base, metadata: '{"correlation_id"', detail: 'x' },
      'r-1',
      'lambda.aws_request_id',
    ],
    ['no text of a list', { ...base, metadata: '["a"]' }, 'r-1', 'lambda.aws_request_id'],
    ['no id with a control character', { ...base, metadata: { correlation_id: 'a\nb' }, id: 'i' }, 'i', 'event.id'],
    ['no id of 257 characters', { ...base, metadata: { correlation_id: 'x'.repeat(257) }, id: 'i' }, 'i', 'event.id'],
    [
      'an id of 256 characters',
      { ...base, metadata: { correlation_id: 'x'.repeat(256) } },
      'x'.repeat(256),
      'metadata.correlation_id',
    ],
    [
      'an id of 256 characters of two units each',
      { ...base, metadata: { correlation_id: '\u{1F600}'.repeat(256) } },
      '\u{1F600}'.repeat(256),
      'metadata.correlation_id',
    ],
    [
      'no id of 257 characters of two units each',
      { ...base, metadata: { correlation_id: '\u{1F600}'.repeat(257) }, id: 'i' },
      'i',
      'event.id',
    ],
    ['no blank id', { ...base, metadata: { correlation_id: '  ' }, id: 'i' }, 'i', 'event.id'],
  ])('correlates by %s', async (_name, event, id, source) => {
    const answer = await inHandler(event, eventBusEnvelope, { awsRequestId: 'r-1' });
    expect([answer.correlation_id, answer.correlation_source]).toEqual([id, source]);
  });

  it('does not use the invented request id as correlation', async () => {
    const answer = await inHandler(base, eventBusEnvelope);
    expect([answer.correlation_id, answer.correlation_source, answer.request_id]).toEqual(['', '', 'test-id-1']);
  });
});

describe('requireEventBusEnvelope', () => {
  it('is the envelope when source, type and correlation are there', async () => {
    const event = loadEvent('event-bus-custom');
    expect(await inHandler(event, requireEventBusEnvelope)).toEqual(await inHandler(event, eventBusEnvelope));
  });

  it('throws with the names of what is missing', async () => {
    const event = { detailType: 'Scheduled Event', source: ' ' };
    await expect(inHandler(event, requireEventBusEnvelope)).rejects.toMatchObject({
      code: 'streams.envelope_invalid',
      message: 'framework: event-bus envelope invalid',
      details: { missing: ['source', 'correlation_id'] },
    });
    await expect(
      inHandler({ source: 'billing', 'detail-type': ' ', id: 'x' }, requireEventBusEnvelope),
    ).rejects.toMatchObject({
      details: { missing: ['detail_type'] },
    });
  });
});

describe('scheduledSummary', () => {
  const summary = (result?: unknown) => (event: EventBusEvent, ctx: EventContext) =>
    scheduledSummary(event, ctx, result as ScheduledResult);

  it('summarises a schedule with an empty object as text in its detail', async () => {
    const context = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 2_500.75 };
    expect(await inHandler(loadEvent('event-bus-scheduler'), summary(), context)).toEqual({
      kind: 'scheduled',
      run_id: 'e4b0c5d1-2f6a-4f8f-9d2b-0a4f3f4a9f11',
      idempotency_key: 'event-bus:e4b0c5d1-2f6a-4f8f-9d2b-0a4f3f4a9f11',
      remaining_ms: 2_500,
      deadline_unix_ms: 1_767_225_602_500,
      result: { processed: 0, failed: 0, status: 'ok' },
      scheduled_time: '2026-10-08T16:53:00Z',
      correlation_id: 'e4b0c5d1-2f6a-4f8f-9d2b-0a4f3f4a9f11',
      correlation_source: 'event.id',
      detail_type: 'Scheduled Event',
      event_id: 'e4b0c5d1-2f6a-4f8f-9d2b-0a4f3f4a9f11',
      source: 'aws.scheduler',
    });
  });

  it.each([
    [
      'the detail',
      { detail: { run_id: ' run ', idempotency_key: 'key' }, id: 'i' },
      { awsRequestId: 'r' },
      'run',
      'key',
    ],
    ['the event', { detail: { run_id: 5 }, id: 'i' }, { awsRequestId: 'r' }, 'i', 'event-bus:i'],
    ['the invocation', {}, { awsRequestId: 'r' }, 'r', 'lambda:r'],
    ['nothing', {}, {}, '', ''],
  ])('reads run id and idempotency key from %s', async (_name, parts, context, run_id, idempotency_key) => {
    const answer = await inHandler({ ...base, ...parts }, summary(), context);
    expect([answer.run_id, answer.idempotency_key]).toEqual([run_id, idempotency_key]);
  });

  it.each([[undefined], [{}], [{ getRemainingTimeInMillis: () => Number.NaN }]])(
    'has no deadline with %j',
    async (context) => {
      const answer = await inHandler(base, summary(), context);
      expect([answer.remaining_ms, answer.deadline_unix_ms]).toEqual([0, 0]);
    },
  );

  it.each<[string, unknown, object | string, object]>([
    [
      'what it was given',
      { processed: 3, failed: 1, status: 'done' },
      { result: { processed: 9, failed: 9, status: 'x' } },
      { processed: 3, failed: 1, status: 'done' },
    ],
    [
      'the detail',
      undefined,
      { result: { processed: 4, failed: 0, status: 'fine' } },
      { processed: 4, failed: 0, status: 'fine' },
    ],
    ['the detail as text', null, '{"result":{"processed":4}}', { processed: 4, failed: 0, status: 'ok' }],
    [
      'each number where it is one',
      { processed: -1, failed: 1.5 },
      { result: { processed: 2, failed: '3' } },
      { processed: 2, failed: 0, status: 'ok' },
    ],
    ['the status of the detail itself', {}, { status: 'told' }, { processed: 0, failed: 0, status: 'told' }],
    ['partial when something failed', { failed: 2 }, {}, { processed: 0, failed: 2, status: 'partial' }],
    [
      'zero when it was given',
      { processed: 0, failed: 0 },
      { result: { processed: 7, failed: 7 } },
      { processed: 0, failed: 0, status: 'ok' },
    ],
    ['nothing of a result that is none', 'text', 'text', { processed: 0, failed: 0, status: 'ok' }],
  ])('uses the result of %s', async (_name, given, detail, expected) => {
    expect((await inHandler({ ...base, detail }, summary(given))).result).toEqual(expected);
  });
});

describe('tableStreamSummary', () => {
  it('omits keys and images', () => {
    const [record] = loadEvent('table-stream').Records;
    const summary = tableStreamSummary(record as never);
    expect(summary).toEqual({
      aws_region: 'us-east-1',
      event_id: 'c4ca4238a0b923820dcc509a6f758491',
      event_name: 'INSERT',
      sequence_number: '111100000000000000000001',
      size_bytes: 26,
      stream_view_type: 'NEW_AND_OLD_IMAGES',
      table_name: 'notes',
      safe_log:
        'table=notes event_id=c4ca4238a0b923820dcc509a6f758491 event_name=INSERT sequence_number=111100000000000000000001',
    });
    expect(JSON.stringify(summary)).not.toMatch(/secret|101/);
  });

  it('encodes characters that could start another pair or another line', () => {
    const record = change('1', { eventID: 'a b=c%\n\u2028é', eventName: 5, dynamodb: null, eventSourceARN: 'x' });
    expect(tableStreamSummary(record as never)).toEqual({
      aws_region: '',
      event_id: 'a b=c%\n\u2028é',
      event_name: '',
      sequence_number: '',
      size_bytes: 0,
      stream_view_type: '',
      table_name: '',
      safe_log: 'table= event_id=a%20b%3Dc%25%0A%E2%80%A8é event_name= sequence_number=',
    });
  });
});
