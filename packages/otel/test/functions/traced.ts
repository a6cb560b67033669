import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { tracing } from '@sallyport/otel';

const app = createApp({ log: false, observability: { span: tracing({ service: 'traced' }) } });

/** Waits a little, so that invocations overlap. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

app.get('/marker/{marker}', async (ctx) => {
  const marker = ctx.param('marker');
  await ctx.span('outer', () => ctx.span('inner', turn, { marker }), { marker });
  return json(200, { marker });
});
app.queue('orders', (ctx, message) => ctx.span('inner', turn, { marker: message.body ?? '' }));

export const handler = app.handleLambda;
