import { bind, json } from '@sallyport/http';
import * as z from 'zod';

/** The query of the request. An invalid query is answered with 422. */
const query = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });

export const __HANDLER__ = bind({ query }, (ctx, { query: { limit } }) => json(200, { limit, by: ctx.authIdentity }));
