import type { Context, Handler, Middleware, Next, Response } from '@sallyport/core';
import { FrameworkError } from '@sallyport/core';
import { type OutgoingResponse, stateOf, toResponse } from '@sallyport/core/pipeline';
import type { Run } from './registration.js';

/**
 * One function out of middlewares and handler, the first outermost. Every `next` is made here, once: which step an
 * invocation has reached is kept on its own state, so that a second `next()` or a foreign context is noticed without a
 * closure per request.
 */
export function composeChain(middlewares: readonly Middleware[], handler: Handler): Run {
  let run: Run = (ctx) => settle(handler(ctx));
  for (let index = middlewares.length - 1; index >= 0; index -= 1) {
    run = wrap(middlewares[index] as Middleware, index, run);
  }
  return run;
}

function wrap(middleware: Middleware, index: number, inner: Run): Run {
  const next: Next = (ctx) => {
    try {
      const state = stateOf(ctx);
      if (state.depth !== index) throw new FrameworkError('app.internal');
      state.depth = index + 1;
      return toPromise(inner(ctx));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return (ctx: Context) => settle(middleware(ctx, next));
}

function settle(result: unknown): OutgoingResponse | Promise<OutgoingResponse> {
  return isPromise(result) ? result.then(toResponse) : toResponse(result);
}

function toPromise(result: OutgoingResponse | Promise<OutgoingResponse>): Promise<Response> {
  return isPromise(result) ? result : Promise.resolve(result);
}

/** Whether a value has to be awaited. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T>;
export function isPromise(value: unknown): value is Promise<unknown>;
export function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
