import type { MaybePromise } from '@sallyport/core';
import { assertName } from './internal/checks.js';
import { onFailure } from './internal/on-failure.js';
import type { Durable, StepContext } from './types.js';

/**
 * Registers work that undoes a step. If the handler fails or its caller is refused, the registered functions run as steps, the last one first,
 * and the failure is thrown after them. A function that fails is logged, and the others still run.
 *
 * @param name 1 to 121 printable ASCII characters: its step is `undo <name>`
 * @throws DurableError `durable.invalid_operation`
 * @example
 * const seat = await ctx.step('reserve', () => reserve(order));
 * compensate(ctx, 'reserve', () => release(seat));
 */
export function compensate(
  ctx: Pick<Durable, 'step'>,
  name: string,
  run: (step: StepContext) => MaybePromise<void>,
): void {
  const step = `undo ${name}`;
  assertName(step);
  onFailure(ctx, async () => {
    try {
      await ctx.step(step, run);
    } catch (error) {
      (ctx as { readonly log?: StepContext['log'] }).log?.error('framework: compensation failed', { step, error });
    }
  });
}
