import { appendFileSync, readFileSync } from 'node:fs';
import { createApp } from '@sallyport/dispatch/app';
import { durable, durableExecutions, race } from '@sallyport/durable';

const file = process.env.EFFECTS ?? '';
const effect = (name: string) => appendFileSync(file, `${name}\n`);
/** True in the first process only, because files outlive it. */
const isFirst = (name: string) => !readFileSync(file, 'utf8').includes(name);

process.on('unhandledRejection', (reason) => effect(`unhandled rejection ${String(reason)}`));
process.on('uncaughtException', (error) => effect(`uncaught exception ${String(error)}`));

const app = createApp({ surfaces: [durableExecutions()] });
app.queue(
  'orders',
  durable(
    async (ctx, { body }) => {
      await ctx.step('charge', () => effect(`charge ${body}`));
      if (body === 'stalls' && isFirst('stalled')) {
        effect('stalled');
        // An open handle, such as a socket: the invocation times out.
        setInterval(() => {}, 60_000);
        await new Promise(() => {});
      }
      const half = body === 'interrupted' || body === 'atMostOnce';
      const pay = async () => {
        effect(`pay ${body}`);
        if (half && isFirst(`killed ${body}`)) {
          effect(`killed ${body}`);
          process.kill(process.pid, 'SIGKILL');
          await new Promise(() => {});
        }
      };
      await ctx.step('pay', pay, { effect: body === 'atMostOnce' ? 'atMostOnce' : 'atLeastOnce' });
      if (body === 'waits') {
        await race(ctx, 'first', {
          short: () => ctx.wait('a minute', { minutes: 1 }),
          long: () => ctx.wait('five minutes', { minutes: 5 }),
        });
        effect('waited');
      }
      if (body === 'retries') {
        const attempts = { attempts: 2, delaySeconds: 60 };
        await ctx.step('retry', ({ attempt }) => (attempt === 1 ? Promise.reject(new Error('not yet')) : 1), {
          retry: attempts,
        });
      }
    },
    { delivery: 'inline' },
  ),
);
export const handler = app.handleLambda;
