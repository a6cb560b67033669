import type { Clock } from '@sallyport/core';
import { type DurableMark, type ExecutionScope, isPromise, stateOf } from '@sallyport/core/internal';
import { defineOptions, list, oneOf, withMethods } from '@sallyport/core/options';
import { durationOption } from './internal/checks.js';
import { runAs } from './internal/current.js';
import type { Lane } from './internal/lane.js';
import type { AnyMiddleware } from './internal/lane-scope.js';
import { addOperations, addReplayRules } from './internal/members.js';
import { runOnFailure } from './internal/on-failure.js';
import { OutsideOperations } from './internal/outside.js';
import { isRequestContext, scopeOf } from './internal/scope.js';
import type { Durable, DurableOptions, DurablePart } from './types.js';

/** Validators of {@link DurableOptions}. */
export const DURABLE_OPTIONS = /* @__PURE__ */ defineOptions<DurableOptions>()({
  sleepUpTo: /* @__PURE__ */ durationOption(),
  clock: /* @__PURE__ */ withMethods<Clock>('now'),
  delivery: /* @__PURE__ */ oneOf('inline', 'handoff'),
  use: /* @__PURE__ */ list(/* @__PURE__ */ withMethods<DurablePart>('attach')),
});

/** Clears the timers of a request, and waits for its notifications. The run of a batch does this for its records. */
async function endRequest(ctx: object): Promise<void> {
  if (!isRequestContext(ctx)) return;
  const state = stateOf(ctx);
  state.end(false);
  await state.settleDeliveries();
}

/** The scopes of executions are flows of this package; a class test would load their code at the start. */
function isLane(scope: ExecutionScope | undefined): scope is Lane {
  return scope !== undefined;
}

/** Runs what `compensate` has registered if a handler fails. */
function undoing<R>(ctx: object, run: () => R, before?: () => void): R {
  const undo = async (thrown: unknown): Promise<never> => {
    before?.();
    await runOnFailure(ctx);
    throw thrown;
  };
  const result = run();
  return isPromise(result) ? (result.then(undefined, undo) as R) : result;
}

/** Calls a middleware around a durable handler: an execution records its outcome. */
function around<M>(middleware: M): M {
  const run = middleware as AnyMiddleware;
  const recorded: AnyMiddleware = (ctx, ...args) => {
    const scope = scopeOf(ctx);
    return isLane(scope) ? scope.through(run, ctx, args) : run(ctx, ...args);
  };
  return recorded as M;
}

/** Runs a handler after its additions. */
function attached<R>(use: readonly DurablePart[], flow: object, run: () => R): R {
  if (use.length === 0) return run();
  const attach = async () => {
    for (const part of use) await part.attach(flow as never);
    return run();
  };
  return attach() as R;
}

/**
 * Wraps a handler, so that its context has `step`, `wait`, `callback` and `map`. In a durable function, completed operations never run again:
 * if the invocation ends, the next one continues where it was. Elsewhere steps run immediately, and `wait` and `callback` reject.
 *
 * Code between operations runs again at every replay: effects belong in steps.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
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
  const { delivery, use = [] } = DURABLE_OPTIONS.parse(options);
  const wrapped = (ctx: C, ...args: A): R => {
    const scope = scopeOf(ctx);
    if (!isLane(scope)) {
      const operations = new OutsideOperations(ctx, options);
      addOperations(ctx, operations);
      return runAs(operations, undefined, () =>
        attached(use, operations, () => undoing(ctx, () => handler(ctx as C & Durable, ...args))),
      );
    }
    scope.bind(ctx);
    scope.onSuspend(() => endRequest(ctx));
    addOperations(ctx, scope);
    addReplayRules(ctx, scope);
    const refused = () => scope.endRefusal();
    const run = () => attached(use, scope, () => undoing(ctx, () => handler(ctx as C & Durable, ...args), refused));
    return runAs(scope, undefined, () => scope.handle(ctx, run)) as R;
  };
  Object.defineProperty(wrapped, 'name', { value: handler.name, configurable: true });
  const mark: DurableMark = { delivery, around };
  // Enumerable: a wrapper around this handler copies them.
  return Object.assign(wrapped, { 'sallyport.durable': mark, 'sallyport.registration': { durable: true } });
}
