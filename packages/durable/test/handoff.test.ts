/** Records that start separate executions: the default on Lambda for sources without order. */

import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import {
  buildAPIGatewayV2Request,
  buildEventBusEvent,
  buildQueueEvent,
  buildTopicEvent,
  type TestEnv,
} from '@sallyport/testkit';
import { alarmAction, s3Trigger } from '@sallyport/triggers';
import { buildAlarmEvent, buildS3Event } from '@sallyport/triggers/testing';
import { type Durable, durable, durableExecutions } from '../src/index.js';
import { recordExecutionName } from '../src/internal/handoff.js';
import { eventOfRecord } from '../src/internal/record-event.js';
import { type BuildDurable, type DurableRun, runDurable, sweep } from '../src/testing.js';

const ACCOUNT = 'eu-west-1:123456789012';
const QUEUE = `arn:aws:sqs:${ACCOUNT}:orders`;
const environment = { FRAMEWORK_DURABLE: '1' };

const work = async (ctx: Durable) => {
  await ctx.wait('three days', { days: 3 });
  await ctx.step('work', () => 'done');
};
const handler = durable((ctx: Durable) => work(ctx));

/** One container with every source. */
const build: BuildDurable = (env: TestEnv) => {
  const s3 = s3Trigger().bucket('uploads', handler);
  const alarms = alarmAction(handler);
  return createApp({ ...env.options(), surfaces: [durableExecutions(), s3, alarms] })
    .queue('orders', handler)
    .queue('orders.fifo', handler)
    .topic('exports', handler)
    .eventBus({ source: 'shop' }, handler);
};

const run = (event: unknown, options: object = {}) =>
  runDurable(build, event, { environment, handoff: true, ...options });
const startedNames = ({ operations }: DurableRun['started'][number]) => operations.slice(1).map(({ Name }) => Name);

it.each([
  [
    'messages of a standard queue',
    buildQueueEvent(QUEUE, [{ body: 'a' }, { body: 'b' }]),
    2,
    { batchItemFailures: [] },
  ],
  ['a notification', buildTopicEvent(`arn:aws:sns:${ACCOUNT}:exports`, [{ message: 'a' }]), 1, [null]],
  ['an event of a bus', buildEventBusEvent({ source: 'shop', detailType: 'Order', detail: {} }), 1, null],
  ['an object of S3', buildS3Event('uploads', [{ key: 'a' }, { key: 'b' }]), 2, null],
  ['an alarm', buildAlarmEvent(), 1, null],
])(
  '%s starts an execution for each record, and the event is answered immediately',
  async (_name, event, count, result) => {
    const ran = await run(event);
    expect(ran).toMatchObject({ status: 'SUCCEEDED', result, invocations: 1 });
    expect(ran.operations.slice(1).map(({ Type, Status }) => `${Type} ${Status}`)).toEqual(
      Array.from({ length: count }, () => 'STEP SUCCEEDED'),
    );
    expect(ran.started).toHaveLength(count);
    for (const own of ran.started) {
      expect(own).toMatchObject({ status: 'SUCCEEDED', invocations: 2, name: expect.stringMatching(/^[0-9a-f]{48}$/) });
      expect(startedNames(own)).toEqual(expect.arrayContaining(['three days', 'work']));
    }
  },
);

it('a redelivered message has the execution of its first delivery', async () => {
  const event = buildQueueEvent(QUEUE, [{ body: 'a' }]);
  const [record] = event.Records;
  const again = { Records: [{ ...record, attributes: { ...record?.attributes, ApproximateReceiveCount: '2' } }] };
  const first = await run(event);
  const second = await run(again);
  expect(second.started.map(({ name }) => name)).toEqual(first.started.map(({ name }) => name));
});

it('the execution of a record serves one record, and does not start another', async () => {
  const first = await run(buildQueueEvent(QUEUE, [{ body: 'a' }, { body: 'b' }]));
  const [own] = first.started;
  expect(own?.event).toMatchObject({ Records: [{ body: 'a' }] });
  const ownName = own?.name ?? '';
  for (const name of [ownName, `${ownName}-restart1`]) {
    const ran = await run(own?.event, { name });
    expect(ran).toMatchObject({ status: 'SUCCEEDED', invocations: 2, started: [] });
  }
});

it('a FIFO queue, and an event without a natural key, are served inline', async () => {
  const fifo = (env: TestEnv) =>
    createApp({ ...env.options(), surfaces: [durableExecutions()] })
      .queue(
        'orders.fifo',
        durable((ctx) => ctx.step('work', () => 1)),
      )
      .topic(
        'exports',
        durable((ctx) => ctx.step('work', () => 1)),
      );
  const events = [
    buildQueueEvent(`${QUEUE}.fifo`, [{ body: 'a', groupId: 'g' }]),
    { Records: [{ EventSource: 'aws:sns', Sns: { TopicArn: `arn:aws:sns:${ACCOUNT}:exports`, Message: 'a' } }] },
  ];
  for (const event of events) {
    const ran = await runDurable(fifo, event, { environment, handoff: true });
    expect(ran).toMatchObject({ status: 'SUCCEEDED', started: [] });
    expect(ran.bodies.map(({ name }) => name)).toEqual(['work']);
  }
});

it('delivery: inline keeps the messages of a standard queue in the execution of their batch', async () => {
  const inline = (env: TestEnv) =>
    createApp({ ...env.options(), surfaces: [durableExecutions()] }).queue(
      'orders',
      durable((ctx) => ctx.step('work', () => 1), { delivery: 'inline' }),
    );
  const ran = await runDurable(inline, buildQueueEvent(QUEUE, [{ body: 'a' }]), { environment, handoff: true });
  expect([ran.started, ran.bodies.length]).toEqual([[], 1]);
});

const failing = (code: string, times: number) => {
  let calls = 0;
  const names: string[] = [];
  return {
    names,
    async start({ name }: { readonly name: string }) {
      calls += 1;
      if (calls <= times) throw Object.assign(new Error('no'), { code });
      names.push(name);
    },
  };
};

it('a start that fails is reported for its record alone', async () => {
  const { start, names } = failing('durable.service_unavailable', 1);
  const one = (env: TestEnv) =>
    createApp({ ...env.options(), surfaces: [durableExecutions({ start })] }).queue('orders', handler);
  const ran = await runDurable(
    one,
    buildQueueEvent(QUEUE, [
      { messageId: 'm-1', body: 'a' },
      { messageId: 'm-2', body: 'b' },
    ]),
    {
      environment,
    },
  );
  expect(ran.result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  expect(names).toHaveLength(1);
});

it('a start for an event that AWS does not deliver again is tried again', async () => {
  const { start, names } = failing('durable.service_unavailable', 3);
  const one = (env: TestEnv) =>
    createApp({ ...env.options(), surfaces: [durableExecutions({ start })] }).topic('exports', handler);
  const ran = await runDurable(one, buildTopicEvent(`arn:aws:sns:${ACCOUNT}:exports`, [{ message: 'a' }]), {
    environment,
  });
  expect([ran.status, names.length, ran.invocations]).toEqual(['SUCCEEDED', 1, 4]);
});

it('two functions that receive one event have executions with different names', () => {
  const name = (fn: string) =>
    recordExecutionName(`arn:aws:lambda:${ACCOUNT}:function:${fn}:7/durable-execution/x/y`, 'event');
  expect(name('orders')).toBe('4dd5305a601053d2ab1f3ae2eabb6355dc647252a949f2ea');
  expect(name('mails')).not.toBe(name('orders'));
});

it('the event of a record has no credentials, and other members are unchanged', () => {
  const message = {
    messageId: 'm-1',
    body: '{"authorization":"of the body"}',
    messageAttributes: {
      traceparent: { stringValue: '00' },
      Authorization: { stringValue: 's' },
      apiKey: { stringValue: 's' },
      'set-cookie': { stringValue: 's' },
    },
  };
  expect(eventOfRecord({ Records: [{}, message] }, 1, 2)).toEqual({
    Records: [{ messageId: 'm-1', body: message.body, messageAttributes: { traceparent: { stringValue: '00' } } }],
  });
  const mail = {
    headers: [
      { name: 'Subject', value: 'a' },
      { name: 'Cookie', value: 's' },
    ],
  };
  const detail = {
    headers: { 'x-id': '1', cookie: 's' },
    cookies: ['s'],
    authorization: 's',
    proxyAuthorization: 's',
    token: 'of the business',
    order: { cookie: { S: 'cake' } },
  };
  expect(eventOfRecord({ id: 'e-1', mail, detail }, 0, 1)).toEqual({
    id: 'e-1',
    mail: { headers: [{ name: 'Subject', value: 'a' }] },
    detail: { headers: { 'x-id': '1' }, token: 'of the business', order: { cookie: { S: 'cake' } } },
  });
});

it.each([
  ['the list has another length', { Records: [{}] }],
  ['the records are not a list, and there are two', { records: { 'topic-0': [{}, {}] } }],
  ['the event is not an object', 'event'],
])('no event of a record if %s', (_name, event) => {
  expect(eventOfRecord(event, 0, 2)).toBeUndefined();
});

it('a kill at any point loses no record and starts none twice', async () => {
  const { kills } = await sweep(build, buildQueueEvent(QUEUE, [{ body: 'a' }, { body: 'b' }]), {
    environment,
    handoff: true,
    check: ({ started }) => expect(started.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']),
  });
  expect(kills).toBeGreaterThan(15);
});

it('an HTTP request in an execution writes one warning for a container: AWS keeps it', async () => {
  let app: ReturnType<typeof createApp> | undefined;
  const web = (env: TestEnv) => {
    app ??= createApp({ ...env.options(), surfaces: [durableExecutions()] }).get(
      '/',
      durable(async (ctx) => json(200, await ctx.step('a', () => 1))),
    );
    return app;
  };
  const first = await runDurable(web, buildAPIGatewayV2Request('GET', '/'), { environment });
  const second = await runDurable(web, buildAPIGatewayV2Request('GET', '/'), { environment });
  expect([first.status, second.status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(first.logs.filter(({ level }) => level === 'WARN')).toMatchObject([
    { message: expect.stringContaining('AWS keeps the request of a durable execution') },
  ]);
});
