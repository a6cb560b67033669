import { appendFileSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
import { durable, durableExecutions } from '@sallyport/durable';

/** A queue whose records charge, wait and mail; the second record is rejected. Each effect is a line of a file. */
const app = createApp({ log: false, surfaces: [durableExecutions()] });
app.queue(
  'orders',
  durable(
    async (ctx, { body: order }) => {
      const effect = (name: string) => appendFileSync(process.env.EFFECTS ?? '', `${name} ${order}\n`);
      await ctx.step('charge', () => effect('charge'));
      await ctx.wait('cool off', { minutes: 12 });
      await ctx.step('mail', () => {
        effect('mail');
        if (order === 'second') throw new Error('no address');
      });
    },
    { delivery: 'inline' },
  ),
);
export const handler = app.handleLambda;
