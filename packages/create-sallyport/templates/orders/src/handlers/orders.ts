import { type EventContext, payload } from '@sallyport/streams';
import * as z from 'zod';

/** What an order in the queue looks like. A message that is none fails, is retried, and ends in the dead-letter queue. */
const order = z.object({ id: z.string().min(1), items: z.number().int().positive() });

/** A failed message is retried, and a message may come twice: what is done here has to stand that. */
export const fulfil = payload(order, (ctx, { id, items }) => {
  ctx.log.info('order fulfilled', { order: id, items });
});

/** Messages of one group come in order; a failure holds back the rest of its group alone. */
export const bill = payload(order, (ctx, { id }) => {
  ctx.log.info('order billed', { order: id });
});

/** Counts what people look at. */
export const count = payload(z.object({ page: z.string() }), (ctx, { page }) => {
  ctx.log.info('page seen', { page });
});

/** Runs by the clock. */
export const tidy = (ctx: EventContext) => {
  ctx.log.info('tidied up');
};
