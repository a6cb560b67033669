import { payload } from '@sallyport/streams';
import * as z from 'zod';

/** A record of the data stream. An invalid record fails and is retried with the rest of its shard. */
const schema = z.object({ id: z.string().min(1) });

/** A record may be delivered twice: this handler must be idempotent. */
export const __HANDLER__ = payload(schema, (ctx, { id }) => {
  ctx.log.info('__HANDLER__ received', { id });
});
