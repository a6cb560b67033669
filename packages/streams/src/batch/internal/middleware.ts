import { streamsError } from '../../errors.js';
import type { EventContext, EventHandler, EventMiddleware } from '../handler.js';

/** Calls the handler inside the middlewares, outermost first. Without any, nothing is added to the handler's own call. */
export function callWrapped(
  middlewares: readonly EventMiddleware[],
  index: number,
  handler: EventHandler<unknown>,
  ctx: EventContext,
  event: unknown,
): unknown {
  const middleware = middlewares[index];
  return middleware === undefined
    ? handler(ctx, event)
    : callMiddleware(middleware, ctx, event, async () => callWrapped(middlewares, index + 1, handler, ctx, event));
}

/**
 * A middleware that returns before its `next()` has settled is waited for: what it left running may still fail. A second
 * `next()` fails the record even if the middleware drops that error.
 */
async function callMiddleware(
  middleware: EventMiddleware,
  ctx: EventContext,
  event: unknown,
  inner: () => Promise<unknown>,
): Promise<unknown> {
  let pending: Promise<unknown> | undefined;
  let settled = false;
  let misuse: Promise<never> | undefined;
  const settle = () => {
    settled = true;
  };
  const result = await middleware(ctx, event, () => {
    if (pending !== undefined) {
      misuse = Promise.reject(streamsError('streams.next_called_twice', 'next() called twice'));
      misuse.catch(settle);
      return misuse;
    }
    pending = inner();
    pending.then(settle, settle);
    return pending;
  });
  if (!settled) await pending;
  await misuse;
  pending ??= Promise.resolve();
  return result;
}
