import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit';
import { type Durable, durable } from '../src/index.js';
import { DOORS } from './doors.js';
import { runExecution } from './run.js';

/** A record of the hook `log`, as far as it belongs to an execution. */
const about = ({ event, execution, duration_ms: ms }: Record<string, unknown>) => [event, execution, ms];

test('a request names its execution, and has the time from its start', async () => {
  const ran = await runExecution(
    (app) =>
      app.post(
        '/orders',
        durable(async (ctx) => {
          await ctx.wait('pause', { minutes: 10 });
          return json(200, {});
        }),
      ),
    buildAPIGatewayV2Request('POST', '/orders', {}),
  );
  expect(ran.records.map(about)).toEqual([['request.completed', 'run-1', 600_000]]);
});

test('records of a batch and their batch name the execution, each with the time from its start', async () => {
  const ran = await runExecution(
    (app) =>
      app
        .queue(
          'orders',
          durable(async (ctx) => ctx.wait('pause', { minutes: 10 })),
        )
        .queue('mails', () => {}),
    {
      Records: [
        ...buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{ messageId: 'm-1', body: '' }]).Records,
        ...buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:mails', [{ messageId: 'm-2', body: '' }]).Records,
      ],
    },
  );
  expect(ran.records.map(about)).toEqual([
    ['event.completed', 'run-1', 0],
    ['event.completed', 'run-1', 600_000],
    ['batch.completed', 'run-1', 600_000],
  ]);
});

test('the metrics of an execution have the same time', async () => {
  const metrics: unknown[] = [];
  await runExecution(
    (app) =>
      app.queue(
        'orders',
        durable(async (ctx) => ctx.wait('pause', { minutes: 10 })),
      ),
    buildQueueEvent('arn:aws:sqs:eu-west-1:123456789012:orders', [{ messageId: 'm-1', body: '' }]),
    {
      container: {
        observability: {
          metric: ({ name, duration_ms: ms }: { name: string; duration_ms?: number }) => metrics.push([name, ms]),
        },
      },
    },
  );
  expect(metrics).toEqual([['framework.event', 600_000]]);
});

const ASKED = () => ({ identity: 'ada', scopes: [] });

test.each(DOORS.flatMap(([door, event]) => [[door, 'open', event] as const, [door, 'closed', event] as const]))(
  '%s, %s: one record over all invocations, with the execution and the time from its start',
  async (_door, kind, event) => {
    const posture = kind === 'open' ? Public() : Authenticated();
    const handler = durable(async (ctx: Durable) => {
      await ctx.wait('pause', { minutes: 10 });
      await ctx.wait('again', { minutes: 10 });
      return json(200, await ctx.step('last', () => ({ id: '7' })));
    });
    const ran = await runExecution<SecureApp>(
      (app) => {
        app.post('/orders', handler, posture);
        app.appSyncField('Query', 'order', handler, posture);
        app.webSocket('order', handler, posture);
      },
      event,
      {
        create: (options) => new SecureApp(kind === 'open' ? options : { principalResolver: ASKED, ...options }),
      },
    );
    expect([ran.status, ran.invocations, ran.records.map(about)]).toEqual([
      'SUCCEEDED',
      3,
      [['request.completed', 'run-1', 1_200_000]],
    ]);
  },
);
