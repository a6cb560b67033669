import { durable } from '@sallyport/durable';
import type { TestEnv } from '@sallyport/testkit';
import { z } from 'zod';

const Decision = z.object({ approved: z.boolean() });

/** Registers the export of a note, whose last step has the given name. */
export function registerExports(app: ReturnType<TestEnv['app']>, last: string): void {
  app.queue(
    'exports',
    durable(async (ctx, { body }) => {
      const { note } = JSON.parse(body) as { note: string };
      const size = await ctx.step('collect', () => note.length);
      await ctx.wait('cool off', { minutes: 10 });
      const { approved } = await ctx.callback('approval', Decision, { submit: () => {}, timeoutSeconds: 3600 });
      if (approved) await ctx.step(last, () => ({ note, size, token: 'hunter2' }));
    }),
  );
}
