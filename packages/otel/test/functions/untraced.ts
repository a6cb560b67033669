// Prints how far the heap grew over a million spans without a tracer. Started by a test, with --expose-gc.
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit/events';

const CALLS = 1_000_000;

const app = createApp({ log: false });
app.get('/', (ctx) => {
  const work = () => 1;
  const growth = () => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let call = 0; call < CALLS; call += 1) ctx.span('work', work);
    return process.memoryUsage().heapUsed - before;
  };
  growth();
  return json(200, { bytes: growth() });
});
const { body } = (await app.handleLambda(buildAPIGatewayV2Request('GET', '/'), {})) as { readonly body: string };
process.stdout.write(body);
