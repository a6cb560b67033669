import { createApp } from '@sallyport/dispatch/app';
import { createGatewayRestStreamingHandler, createLambdaFunctionURLStreamingHandler } from '@sallyport/http';
import { ROUTES } from './routes.js';

const app = createApp();
for (const [path, handler] of Object.entries(ROUTES)) app.get(path, handler);
// Fails messages with a trace that differs from the trace of the invocation.
app.queue('traces', (ctx, message) => {
  if (message.body !== ctx.traceId) throw new Error('another trace');
});

export const buffered = app.handleLambda;
export const functionUrl = createLambdaFunctionURLStreamingHandler(app);
export const gatewayRest = createGatewayRestStreamingHandler(app);
