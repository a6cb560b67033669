import { payload } from '@sallyport/streams';
import * as z from 'zod';

/** A message of the queue. An invalid message fails, is retried, and ends in the dead-letter queue. */
const schema = z.object({ id: z.string().min(1) });

/** SQS retries a failed message and may deliver a message twice: this handler must be idempotent. */
export const __HANDLER__ = payload(schema, (ctx, { id }) => {
  ctx.log.info('__HANDLER__ received', { id });
});
