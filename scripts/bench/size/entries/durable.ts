import { durable, durableExecutions } from '@sallyport/durable';
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';

const schema = { '~standard': { version: 1, vendor: 'none', validate: (value: unknown) => ({ value }) } } as const;
const app = new SecureApp({ surfaces: [durableExecutions()] });
app.get('/health', () => json(200, { ok: true }), Public());
app.queue(
  'orders',
  durable(async (ctx, { body }) => {
    await ctx.step('charge', () => body);
    await ctx.wait('pause', { minutes: 10 });
    await ctx.callback('approval', schema, { submit: () => {}, timeoutSeconds: 60 });
    await ctx.map('mails', [1, 2], async (item, inner) => inner.step('mail', () => item));
  }),
);

export const handler = app.handleLambda;
