import { type EventContext, payload } from '@sallyport/streams';
import * as z from 'zod';

/** The schema of an order in the queue. An invalid message fails, is retried, and ends in the dead-letter queue. */
const order = z.object({ id: z.string().min(1), items: z.number().int().positive() });

/** SQS retries a failed message and may deliver a message twice: this handler must be idempotent. */
export const fulfil = payload(order, (ctx, { id, items }) => {
  ctx.log.info('order fulfilled', { order: id, items });
});

/** Messages of one group arrive in order; a failure holds back only the rest of its group. */
export const bill = payload(order, (ctx, { id }) => {
  ctx.log.info('order billed', { order: id });
});

/** Counts page views. */
export const count = payload(z.object({ page: z.string() }), (ctx, { page }) => {
  ctx.log.info('page seen', { page });
});

/** Runs by the rule `nightly`. */
export const tidy = (ctx: EventContext) => {
  ctx.log.info('tidied up');
};
