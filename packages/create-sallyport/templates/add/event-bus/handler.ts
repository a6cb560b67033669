import { payload } from '@sallyport/streams';
import * as z from 'zod';

/** The detail of the event. */
const schema = z.object({ id: z.string().min(1) });

/** Lambda retries a failed event twice, and EventBridge may deliver an event twice: this handler must be idempotent. */
export const __HANDLER__ = payload(schema, (ctx, { id }) => {
  ctx.log.info('__HANDLER__ received', { id });
});
