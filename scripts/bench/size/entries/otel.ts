import { createDispatcher } from '@sallyport/dispatch';
import { createHttpRouter, json, observe } from '@sallyport/http';
import { tracing } from '@sallyport/otel';

const http = createHttpRouter({ observability: observe({ span: tracing({ service: 'health' }) }) });
http.get('/health', () => json(200, { ok: true }));

export const handler = createDispatcher(http).handleLambda;
