import { gunzipSync, gzipSync } from 'node:zlib';
import { createLogger, createSanitizer } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import { detect } from '@sallyport/dispatch';
import { json } from '@sallyport/http';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildScheduledEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
  captureWriter,
  createTestEnv,
  kinesisCloudWatchLogsSubscriptionRecord,
} from '../src/index.js';
import { createRecorder, loadRecording, type RecorderOptions, type Recording } from '../src/recorder.js';

const QUEUE = 'arn:aws:sqs:eu-west-1:210987654321:orders';
const STREAM = 'arn:aws:kinesis:eu-west-1:210987654321:stream/clicks';

/** Records an event. */
async function recordingOf(event: unknown, options: Partial<RecorderOptions> = {}): Promise<Recording | undefined> {
  const written: Recording[] = [];
  const recorder = createRecorder({ write: (recording) => written.push(recording), sample: 1, ...options });
  await recorder.wrap(async () => ({}))(event, { tenantId: 'acme', getRemainingTimeInMillis: () => 2999.6 });
  return written[0];
}

/** Every secret and personal value that the events below hold. */
const SECRETS = [
  'eyJhbGciOi',
  'sekret',
  'ada@acme.test',
  '198.51.100.77',
  '210987654321',
  'grace',
  'orders',
  'acme',
  '8f14e45f-ceea-467f-a8d2-2f1d3c4b5a69',
];
const personal = {
  email: 'ada@acme.test',
  password: 'sekret',
  note: 'call ada@acme.test from 198.51.100.77',
  userId: '8f14e45f-ceea-467f-a8d2-2f1d3c4b5a69',
};
const http = {
  headers: {
    authorization: 'Bearer eyJhbGciOi.sekret.x',
    'x-api-key': 'sekret',
    'x-forwarded-for': '198.51.100.77',
    host: 'api.acme.example',
  },
  cookies: ['session=sekret', 'theme=grace'],
  query: { token: 'sekret', email: 'ada@acme.test', page: '2' },
  json: personal,
  sourceIp: '198.51.100.77',
};
const { sourceIp: _, ...toTarget } = http;
const logs = kinesisCloudWatchLogsSubscriptionRecord({
  subscription: {
    owner: '210987654321',
    logGroup: '/aws/lambda/x',
    logEvents: [{ id: '1', timestamp: 1, message: 'mail to ada@acme.test password=sekret' }],
  },
});

const EVENTS: Readonly<Record<string, unknown>> = {
  'gateway-v2': buildAPIGatewayV2Request('POST', '/users/8f14e45f-ceea-467f-a8d2-2f1d3c4b5a69', http),
  'function-url': buildLambdaFunctionURLRequest('POST', '/users/ada%40acme.test', http),
  'gateway-v1': buildAPIGatewayProxyRequest('POST', '/users/1', http),
  'load-balancer': buildLoadBalancerRequest('POST', '/users/1', { ...toTarget, multiValue: true }),
  websocket: buildWebSocketEvent({ body: JSON.stringify(personal) }),
  appsync: buildAppSyncEvent({
    arguments: personal,
    identity: { sub: '8f14e45f-ceea-467f-a8d2-2f1d3c4b5a69', username: 'grace', sourceIp: ['198.51.100.77'] },
  }),
  queue: buildQueueEvent(QUEUE, [
    { body: personal },
    { body: 'to ada@acme.test' },
    { body: { Message: JSON.stringify(personal) } },
  ]),
  'table-stream': buildTableStreamEvent(
    'arn:aws:dynamodb:eu-west-1:210987654321:table/orders/stream/2026-01-01T00:00:00.000',
    [{ keys: { id: '8f14e45f-ceea-467f-a8d2-2f1d3c4b5a69' }, newImage: personal }],
  ),
  stream: buildKinesisEvent(STREAM, [
    { json: personal },
    { data: gzipSync(JSON.stringify(personal)) },
    { data: new Uint8Array([0, 1, 2, 255]) },
  ]),
  topic: buildTopicEvent('arn:aws:sns:eu-west-1:210987654321:orders', [
    { message: personal, subject: 'for ada@acme.test' },
  ]),
  'event-bus': buildEventBusEvent({ detail: personal, resources: ['arn:aws:iam::210987654321:user/grace'] }),
};

describe('a recording', () => {
  it.each(Object.entries(EVENTS))('of a %s event has the same kind and contains no secret', async (kind, event) => {
    const recording = (await recordingOf(event)) as Recording;
    expect(recording.kind).toBe(kind);
    expect(detect(recording.event)).toBe(kind);
    const text = everything(recording);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(recording.redactions.length).toBeGreaterThan(0);
    expect(loadRecording(JSON.stringify(recording), kind as 'queue')).toEqual(recording.event);
  });

  it.each(Object.entries(EVENTS))(
    'of a %s event keeps its shape: names, types and lengths of lists',
    async (_kind, event) => {
      const recording = (await recordingOf(event)) as Recording;
      expect(shapeOf(recording.event)).toEqual(shapeOf(event));
    },
  );

  it('replays: the path still fits the parameters, and the query its names', async () => {
    const event = {
      ...buildAPIGatewayV2Request('GET', '/users/4711000?userId=4711000&page=2'),
      pathParameters: { id: '4711000' },
    };
    const recording = (await recordingOf(event)) as Recording;
    const replayed = loadRecording(recording, 'gateway-v2');
    const env = createTestEnv();
    const app = env.app().get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') }));
    const { body } = await env.invoke(app, replayed);
    expect(replayed.rawPath).toBe(`/users/${(JSON.parse(body) as { id: string }).id}`);
    expect(replayed.rawPath).toMatch(/^\/users\/\d{7}$/);
    expect(replayed.rawPath).not.toContain('4711000');
    expect(replayed.rawQueryString).toMatch(/^userId=\d{7}&page=2$/);
  });

  it('keeps equal values equal within one recorder, and has different replacements in another', async () => {
    const event = buildQueueEvent(QUEUE, [
      { body: { customerId: 'z-12345678' } },
      { body: { customerId: 'z-12345678', otherId: 'z-87654321' } },
    ]);
    const ids = async () => {
      const { Records } = ((await recordingOf(event)) as Recording).event as { Records: { body: string }[] };
      return Records.map(({ body }) => JSON.parse(body) as { customerId: string; otherId?: string });
    };
    const [first, second] = await ids();
    expect(first?.customerId).toMatch(/^[a-z]-\d{8}$/);
    expect(second?.customerId).toBe(first?.customerId);
    expect(second?.otherId).not.toBe(first?.customerId);
    expect((await ids())[0]?.customerId).not.toBe(first?.customerId);
  });

  it('keeps given names, so that a replay finds its handler', async () => {
    const named = (await recordingOf(buildQueueEvent(`${QUEUE}.fifo`, [{ body: '', groupId: 'g' }]), {
      keepNames: ['orders'],
    })) as Recording;
    expect(JSON.stringify(named.event)).toMatch(/arn:aws:sqs:eu-west-1:1\d{11}:orders\.fifo/);
    const hidden = (await recordingOf(buildQueueEvent(`${QUEUE}.fifo`, [{ body: '', groupId: 'g' }]))) as Recording;
    expect(JSON.stringify(hidden.event)).toMatch(/arn:aws:sqs:eu-west-1:1\d{11}:name-[0-9a-f]{8}\.fifo/);
  });

  it('keeps sequence numbers, numbers and booleans, and hides restricted numbers', async () => {
    const event = buildKinesisEvent(STREAM, [
      {
        sequenceNumber: '49590338271490256608559692538361571095921575989136588898',
        json: { amount: 12.5, ok: true, page: 3, account_number: 4929123412341234 },
      },
    ]);
    const { Records } = ((await recordingOf(event)) as Recording).event as typeof event;
    const record = Records[0];
    expect(record?.kinesis.sequenceNumber).toBe('49590338271490256608559692538361571095921575989136588898');
    const data = JSON.parse(Buffer.from(record?.kinesis.data ?? '', 'base64').toString()) as Record<string, unknown>;
    expect(data).toEqual({ amount: 12.5, ok: true, page: 3, account_number: expect.any(Number) });
    expect(data.account_number).not.toBe(4929123412341234);
  });

  it('packs a log subscription again', async () => {
    const event = buildKinesisEvent(STREAM, [logs]);
    const recording = (await recordingOf(event)) as Recording;
    const { Records } = recording.event as { Records: { kinesis: { data: string } }[] };
    const data = JSON.parse(gunzipSync(Buffer.from(Records[0]?.kinesis.data ?? '', 'base64')).toString()) as {
      logEvents: { message: string }[];
    };
    expect(data.logEvents[0]?.message).toBe('mail to [REDACTED] password=[REDACTED]');
  });

  it('contains its time, the remaining time of the invocation, and the places of replacements', async () => {
    const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
    const recording = await recordingOf(buildEventBusEvent({ detail: { password: 'sekret' } }), { clock });
    expect(recording).toMatchObject({
      schema: 'framework.recorded-event/v1',
      recorded_at: '2026-11-22T10:00:00.000Z',
      lambda: { remaining_ms: 3000, tenant: expect.stringMatching(/^name-[0-9a-f]{8}$/) },
      redactions: ['$.id', '$.account', '$.detail.password'],
    });
  });

  it('is cleaned with the rules of the options too', async () => {
    const sanitizer = createSanitizer({ redact: ['shoe_size'] });
    const recording = await recordingOf(buildScheduledEvent({ rule: 'r', detail: { shoe_size: '47' } }), { sanitizer });
    expect(recording).toMatchObject({ event: { detail: { shoe_size: '[REDACTED]' } } });
  });
});

describe('a recorder', () => {
  const event = buildEventBusEvent();

  it('records the given share, and no event that is too large or unknown', async () => {
    const written: unknown[] = [];
    const draws = [0.5, 0.009, 0.01, 0];
    const recorder = createRecorder({
      write: (recording) => written.push(recording),
      random: () => draws.shift() ?? 1,
    });
    const handler = recorder.wrap(async () => 'answer');
    for (let n = 0; n < 4; n += 1) expect(await handler(event)).toBe('answer');
    expect(written).toHaveLength(2);
    expect(await recordingOf(buildEventBusEvent({ detail: 'x'.repeat(1000) }), { maxBytes: 1000 })).toBeUndefined();
    expect(await recordingOf({ no: 'kind' })).toBeUndefined();
    expect(await recordingOf('text')).toBeUndefined();
  });

  it('records the event before the handler changes it', async () => {
    const written: Recording[] = [];
    const recorder = createRecorder({ write: (recording) => written.push(recording), sample: 1 });
    await recorder.wrap(async (given) => {
      (given as { detail: unknown }).detail = 'changed';
    })(buildEventBusEvent({ detail: { page: 1 } }));
    expect(written).toMatchObject([{ event: { detail: { page: 1 } } }]);
  });

  it.each<[string, RecorderOptions['write'], string]>([
    [
      'throws',
      () => {
        throw new Error('no bucket');
      },
      'no bucket',
    ],
    ['rejects', () => Promise.reject(new Error('no bucket')), 'no bucket'],
  ])('changes no answer when its write %s, and leaves one line', async (_name, write, reason) => {
    const { write: line, lines } = captureWriter();
    const log = createLogger({ write: line, environment: {} });
    expect(await createRecorder({ write, sample: 1, log }).wrap(async () => 42)(event)).toBe(42);
    expect(lines).toMatchObject([{ level: 'WARN', message: 'framework: event not recorded', reason }]);
  });

  it('waits two seconds for its write and no longer', async () => {
    const clock = new ManualClock();
    const { write: line, lines } = captureWriter();
    const recorder = createRecorder({
      write: () => new Promise(() => {}),
      sample: 1,
      clock,
      log: createLogger({ write: line, environment: {} }),
    });
    const answer = recorder.wrap(async () => 42)(event);
    await clock.advance(2000);
    expect(await answer).toBe(42);
    expect(lines).toMatchObject([{ reason: 'no answer within 2000 ms' }]);
  });

  it('records an event whose handler throws, and throws what it threw', async () => {
    const written: unknown[] = [];
    const recorder = createRecorder({ write: (recording) => written.push(recording), sample: 1 });
    await expect(recorder.wrap(async () => Promise.reject(new Error('boom')))(event)).rejects.toThrow('boom');
    expect(written).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['no write', {}, 'option "write"'],
    ['a share above one', { write: () => {}, sample: 2 }, 'option "sample"'],
    ['an unknown option', { write: () => {}, rate: 1 }, 'unknown option "rate"'],
  ])('rejects %s', (_name, options, message) => {
    expect(() => createRecorder(options as RecorderOptions)).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });
});

describe('loadRecording', () => {
  const recording = {
    schema: 'framework.recorded-event/v1',
    kind: 'event-bus',
    recorded_at: 'now',
    event: buildEventBusEvent(),
    lambda: { remaining_ms: 1, tenant: '' },
    redactions: [],
  };
  it.each<[string, unknown, string]>([
    ['a text that is not JSON', '{', 'the recording is not JSON'],
    [
      'another form',
      { ...recording, schema: 'other/v1' },
      'the recording is not valid: option "schema" must be "framework.recorded-event/v1"',
    ],
    ['a missing member', { ...recording, lambda: undefined }, 'the recording is not valid: option "lambda"'],
    ['a surplus member', { ...recording, extra: 1 }, 'the recording is not valid: unknown option "extra"'],
    ['another kind', { ...recording, kind: 'queue' }, 'the recording is of kind "queue", not "event-bus"'],
    [
      'an event of another kind',
      { ...recording, event: buildQueueEvent(QUEUE, [{}]) },
      'the recorded event is of kind "queue", not "event-bus"',
    ],
    ['no event', { ...recording, event: undefined }, 'the recorded event is of kind "", not "event-bus"'],
  ])('rejects %s', (_name, json, message) => {
    expect(() => loadRecording(json, 'event-bus')).toThrow(expect.failure('testkit.invalid_recording', message));
    expect(() => loadRecording(json, 'event-bus')).toThrow(
      expect.objectContaining({ code: 'testkit.invalid_recording' }),
    );
  });
});

/** The recording as text, with what is packed in it unpacked. */
function everything(recording: Recording): string {
  const text = JSON.stringify(recording);
  const unpacked = [...text.matchAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g)].map(([, base64 = '']) => {
    const bytes = Buffer.from(base64, 'base64');
    return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
  });
  return [text, ...unpacked].join('\n');
}

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}
