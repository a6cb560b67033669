import { createDispatcher } from '@sallyport/dispatch';
import { createHttpRouter, json, observe } from '@sallyport/http';

const http = createHttpRouter({ observability: observe({ log: () => {} }) });
http.get('/health', () => json(200, { ok: true }));

export const handler = createDispatcher(http).handleLambda;
