import { executionScopeOf, markDurable } from '@sallyport/core/internal';
import { toSeconds } from './internal/checks.js';
import { runAs } from './internal/current.js';
import { Lane } from './internal/lane.js';
import { addOperations, addReplayRules } from './internal/members.js';
import { OutsideOperations } from './internal/outside.js';
import type { Durable, DurableOptions } from './types.js';

/**
 * Wraps a handler, so that its context has `step`, `wait`, `callback` and `map`. In a durable function, completed operations never run again:
 * if the invocation ends, the next one continues where it was. Elsewhere steps run at once, and `wait` and `callback` reject.
 *
 * Code between operations runs again at every replay: effects belong in steps.
 *
 * @throws DurableError `durable.invalid_operation` for an invalid option
 * @example
 * app.queue('orders', durable(async (ctx, message) => {
 *   const order = recordJson<Order>(message);
 *   const charge = await ctx.step('charge', (step) => pay(order, step.idempotencyKey));
 *   await ctx.wait('cool off', { minutes: 10 });
 *   await ctx.step('mail', () => mail(order, charge));
 * }));
 */
export function durable<C extends object, A extends unknown[], R>(
  handler: (ctx: C & Durable, ...args: A) => R,
  options: DurableOptions = {},
): (ctx: C, ...args: A) => R {
  if (options.sleepUpTo) toSeconds(options.sleepUpTo, 'sleepUpTo');
  const wrapped = (ctx: C, ...args: A): R => {
    const scope = executionScopeOf(ctx);
    if (!(scope instanceof Lane)) {
      const operations = new OutsideOperations(ctx, options);
      addOperations(ctx, operations);
      return runAs(operations, undefined, () => handler(ctx as C & Durable, ...args));
    }
    scope.bind(ctx);
    addOperations(ctx, scope);
    addReplayRules(ctx, scope);
    return runAs(scope, undefined, () => handler(ctx as C & Durable, ...args));
  };
  Object.defineProperty(wrapped, 'name', { value: handler.name, configurable: true });
  return markDurable(wrapped, { delivery: options.delivery });
}
