import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildQueueEvent,
  buildWebSocketEvent,
  createTestEnv,
} from '@sallyport/testkit';

describe('one service with one entrypoint', () => {
  const done: unknown[] = [];
  const env = createTestEnv();
  const app = new SecureApp({
    ...env.options(),
    principalResolver: (ctx) =>
      !ctx.header('x-user') ? null : { identity: ctx.header('x-user') ?? '', scopes: ['notes:read'] },
  });
  app.get('/health', () => json(200, { ok: true }), Public());
  app.get('/notes/{id}', async (ctx) => json(200, { id: ctx.param('id') }), Authenticated('notes:read'));
  app.appSyncField('Query', 'note', (ctx) => json(200, ctx.bodyJson()), Authenticated('notes:read'));
  app.webSocket('$connect', () => json(200, null), Authenticated());
  app.queue('orders', async (_, message) => void done.push(JSON.parse(message.body)));
  app.kinesis('clicks', async (_, record) => void done.push(record.kinesis?.partitionKey));
  app.eventBus({ source: 'billing', detailType: 'InvoicePaid' }, (_, event) => void done.push(event.detail));
  const { handleLambda: handler } = app;
  const headers = { 'x-user': 'ada' };

  it('answers callers', async () => {
    const status = async (event: unknown) => ((await handler(event)) as { statusCode: number }).statusCode;
    expect(await status(buildAPIGatewayV2Request('GET', '/health'))).toBe(200);
    expect(await status(buildAPIGatewayV2Request('GET', '/notes/7', { headers }))).toBe(200);
    expect(await status(buildAPIGatewayV2Request('GET', '/notes/7'))).toBe(401);
    expect(await status(buildWebSocketEvent({ routeKey: '$connect', headers }))).toBe(200);
    expect(await status(buildWebSocketEvent({ routeKey: '$connect' }))).toBe(401);
    const field = { parentTypeName: 'Query', fieldName: 'note', arguments: { id: '7' } };
    expect(await handler(buildAppSyncEvent({ ...field, headers }))).toEqual({ id: '7' });
    expect(await handler(buildAppSyncEvent(field))).toMatchObject({
      framework_error: true,
      error_message: 'unauthorized',
    });
  });

  it('accepts events', async () => {
    await handler(buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: { order: 1 } }]));
    await handler(buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{ data: 'x' }]));
    await handler(buildEventBusEvent({ source: 'billing', detailType: 'InvoicePaid', detail: { invoice: 2 } }));
    expect(done).toEqual([{ order: 1 }, 'pk-1', { invoice: 2 }]);
  });
});
