import { createApp } from '@sallyport/dispatch/app';
import { durable, durableExecutions } from '@sallyport/durable';
import { executionName } from '@sallyport/durable/start';
import { runDurable } from '@sallyport/durable/testing';
import { buildQueueEvent, type TestEnv } from '@sallyport/testkit';

/** The names of executions by their idempotency keys. */
export function executionNames(keys: readonly string[]): readonly string[] {
  return keys.map(executionName);
}

/** The name, ids and keys of the execution that a message of a queue starts. */
export async function recordExecution(queueArn: string, messageId: string): Promise<object> {
  const ids: string[] = [];
  const keys: string[] = [];
  const build = (env: TestEnv) =>
    createApp({ ...env.options(), surfaces: [durableExecutions()] }).queue(
      queueArn,
      durable(async (ctx) => {
        ids.push(ctx.newId(), ctx.newId());
        await ctx.step('charge', (step) => void keys.push(step.idempotencyKey));
        await ctx.map('mails', ['a'], async (_item, inner) =>
          inner.step('send', (step) => void keys.push(step.idempotencyKey)),
        );
      }),
    );
  const event = buildQueueEvent(queueArn, [{ messageId }]);
  const { started } = await runDurable(build, event, { handoff: true, environment: { FRAMEWORK_DURABLE: '1' } });
  return { name: started[0]?.name, ids: ids.slice(0, 2), keys };
}
