import { createGatewayRestStreamingHandler, createLambdaFunctionURLStreamingHandler } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { ROUTES } from './routes.js';

const app = new SecureApp({ principalResolver: () => null, directInvocations: 'serve' });
for (const [path, handler] of Object.entries(ROUTES)) app.get(path, handler, Public());
// Fails messages with a trace that differs from the trace of the invocation.
app.queue('traces', (ctx, message) => {
  if (message.body !== ctx.traceId) throw new Error('another trace');
});

export const buffered = app.handleLambda;
export const functionUrl = createLambdaFunctionURLStreamingHandler(app);
export const gatewayRest = createGatewayRestStreamingHandler(app);
