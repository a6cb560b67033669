import { payload } from '@sallyport/streams';
import * as z from 'zod';

/** A message of the topic. */
const schema = z.object({ id: z.string().min(1) });

/** Lambda retries a failed message twice, and SNS may deliver a message twice: this handler must be idempotent. */
export const __HANDLER__ = payload(schema, (ctx, { id }) => {
  ctx.log.info('__HANDLER__ received', { id });
});
