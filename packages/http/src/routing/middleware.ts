import type { Context, Handler, Middleware, Next, Response } from '@sallyport/core';
import { type ContextState, type OutgoingResponse, stateOf, toResponse } from '@sallyport/core/pipeline';
import { refused } from '../internal/refused.js';
import type { Run } from './registration.js';

/**
 * One function out of middlewares and handler, the first outermost. Which step an invocation has reached is kept on its own
 * state, so that a second `next()` is noticed. Each call of a middleware gets a `next` of its own: a shared one could not
 * tell the invocation that calls it from another one that stands at the same step.
 */
export function composeChain(middlewares: readonly Middleware[], handler: Handler): Run {
  let run: Run = (ctx) => settle(handler(ctx));
  for (let index = middlewares.length - 1; index >= 0; index -= 1) {
    run = wrap(middlewares[index] as Middleware, index, run);
  }
  return run;
}

function wrap(middleware: Middleware, index: number, inner: Run): Run {
  const enter = (own: ContextState, ctx: Context): Promise<Response> => {
    try {
      if (stateOf(ctx) !== own) throw refused('next() was given the context of another invocation');
      if (own.depth !== index) throw refused('next() was called twice');
      own.depth = index + 1;
      return toPromise(inner(ctx));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return (ctx: Context) => {
    const own = stateOf(ctx);
    const next: Next = (given) => enter(own, given);
    return settle(middleware(ctx, next));
  };
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
