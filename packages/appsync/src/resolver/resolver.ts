import type { Context, Handler, MaybePromise } from '@sallyport/core';
import { json } from '@sallyport/http';

/**
 * A handler out of a function that answers a plain value; `undefined` is `null`.
 *
 * @example app.appSyncField('Query', 'note', resolver((ctx, { id }) => notes.get(id)));
 */
export function resolver<A extends Record<string, unknown> = Record<string, unknown>>(
  resolve: (ctx: Context, args: A) => MaybePromise<unknown>,
): Handler {
  const handler: Handler = (ctx) => {
    const value = resolve(ctx, (ctx.asAppSync()?.arguments ?? {}) as A);
    return value instanceof Promise ? value.then((settled: unknown) => json(200, settled)) : json(200, value);
  };
  return Object.defineProperty(handler, 'name', { value: resolve.name });
}
