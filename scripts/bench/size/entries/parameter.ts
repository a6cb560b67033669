import { createDispatcher } from '@sallyport/dispatch';
import { createSsmParameters } from '@sallyport/parameters';
import { createQueueRouter } from '@sallyport/streams/queue';

const { parameter } = createSsmParameters();
const limit = parameter('/orders/limit');
const queues = createQueueRouter();
queues.queue('jobs', async (ctx) => {
  await limit.get(ctx);
});

export const handler = createDispatcher(queues).handleLambda;
