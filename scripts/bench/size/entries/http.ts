import { createDispatcher } from '@sallyport/dispatch';
import { createHttpRouter, json } from '@sallyport/http';

const http = createHttpRouter();
http.get('/health', () => json(200, { ok: true }));

export const handler = createDispatcher(http).handleLambda;
