import { createDispatcher } from '@sallyport/dispatch';
import { createParameters, environment } from '@sallyport/parameters';
import { createQueueRouter } from '@sallyport/streams/queue';

environment({});
const { parameter, secret, flag } = createParameters();
const limit = parameter('/orders/limit');
const key = secret('orders/key');
const checkout = flag('new-checkout');
const queues = createQueueRouter();
queues.queue('jobs', async (ctx) => {
  if (await checkout.isOn(ctx)) await Promise.all([limit.get(ctx), key.get(ctx)]);
});

export const handler = createDispatcher(queues).handleLambda;
