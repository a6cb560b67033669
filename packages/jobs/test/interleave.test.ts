import { json } from '@sallyport/http';
import { idempotentHandler, withIdempotency, withLease } from '@sallyport/jobs';
import { createFakeJobLedger } from '@sallyport/jobs/testing';
import {
  buildAPIGatewayV2Request,
  buildEventBusEvent,
  buildQueueEvent,
  interleave,
  type MarkedEvent,
  type TestEnv,
} from '@sallyport/testkit';

function buildApp(env: TestEnv) {
  const ledger = createFakeJobLedger({ clock: env.clock });
  const app = env.app();
  app.use(withIdempotency(ledger));
  app.post('/orders', async (ctx) => {
    await env.pause();
    return json(201, ctx.bodyJson());
  });
  app.queue(
    'orders',
    idempotentHandler(ledger, {}, async (ctx, { body }) => {
      await env.pause();
      ctx.log.info(body);
    }),
  );
  app.eventBus({ source: 'test.source' }, (_ctx, event) =>
    withLease(ledger, { name: event.id ?? '' }, async ({ token }) => {
      await env.pause();
      return { token };
    }),
  );
  return app;
}

const order: MarkedEvent = (marker) =>
  buildAPIGatewayV2Request('POST', '/orders', { headers: { 'idempotency-key': marker }, json: { marker } });
const batch: MarkedEvent = (marker) =>
  buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [
    { messageId: marker, body: marker },
    { messageId: `${marker}-2`, body: `${marker} second` },
  ]);
const lease: MarkedEvent = (marker) => buildEventBusEvent({ id: marker });

it('concurrent orders, batches and leases have the same answers as alone', async () => {
  await expect(interleave(buildApp, [order, order, batch, batch, lease, lease])).resolves.toBeUndefined();
});
