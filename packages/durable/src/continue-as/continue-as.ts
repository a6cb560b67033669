import { isFrameworkError } from '@sallyport/core';
import { DurableError } from '../errors.js';
import { placeDigest } from '../internal/identity.js';
import type { Lane } from '../internal/lane.js';
import { scopeOf } from '../internal/scope.js';
import type { ExecutionCallOptions } from '../start/internal/lambda.js';
import { beginExecution } from '../start/start-execution.js';
import type { Durable } from '../types.js';

/**
 * Starts an execution of the same function that continues this one; return from the handler after it. The name of the new execution is a
 * digest of this one's ARN, so it starts once, even after a kill or a network error. An execution has at most 2,900 operations.
 *
 * Keys of effects come from the event: the new event needs another id if its steps have the same names as before. The role needs
 * `lambda:InvokeFunction` on the function.
 *
 * @param event the event that the function receives, in the form of its trigger: at most 1 MiB of JSON
 * @throws DurableError `durable.not_durable` outside an execution
 * @throws ExecutionServiceError `durable.invalid_input`, `durable.too_large`, `durable.service_unavailable` or `durable.service_failed`
 * @example
 * if (page.next) return continueAs(ctx, { ...event, id: `${event.id}-next`, detail: { cursor: page.next } });
 */
export async function continueAs(
  ctx: Durable,
  event: unknown,
  options: Omit<ExecutionCallOptions, 'signal'> = {},
): Promise<void> {
  const lane = scopeOf(ctx) as Lane | undefined;
  const functionArn = lane?.run.lambdaContext?.invokedFunctionArn;
  if (!lane || functionArn === undefined) {
    throw new DurableError('durable.not_durable', 'continueAs needs a durable function');
  }
  const name = placeDigest(lane.arn, 'continue');
  await ctx.step('framework continue', async ({ signal }) => {
    try {
      await beginExecution({ ...options, functionArn, name, event, signal });
    } catch (error) {
      // An earlier attempt has started it.
      if (!isFrameworkError(error) || error.code !== 'durable.execution_conflict') throw error;
    }
  });
}
