import type { Handler } from '@sallyport/core';
import type { PathNames } from '../routing/path-names.js';

/**
 * Registration of routes by method name, on top of `handle`.
 *
 * @typeParam Rest the arguments after the handler: options, or a posture and options
 * @typeParam Outer path parameters of the groups around
 */
export abstract class HttpVerbs<Rest extends readonly unknown[], Outer extends string = never> {
  /**
   * Registers a route.
   *
   * @param method any HTTP method, in any case
   * @param pattern static segments, `{id}` or `:id` for one segment, `{rest+}` for one or more at the end. A literal gives
   * `ctx.params` and `ctx.param` their names
   * @throws FrameworkError `app.bad_request`: a handler that is not a function, a blank method, an invalid pattern, a method
   * and pattern twice; where a posture is required, an invalid one. `app.invalid_configuration`: unknown options, further
   * arguments
   * @example
   * app.handle('PURGE', '/cache/{key}', (ctx) => purge(ctx.param('key')), { authRequired: true });
   */
  abstract handle<const P extends string>(
    method: string,
    pattern: P,
    handler: Handler<Outer | PathNames<P>>,
    ...rest: Rest
  ): this;

  /**
   * Registers a `GET` route; the arguments and errors are those of {@link handle}.
   *
   * @example
   * app.get('/notes/{id}', async (ctx) => json(200, await notes.get(ctx.param('id'))));
   */
  get<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('GET', pattern, handler, ...rest);
  }

  /**
   * Registers a `POST` route; the arguments and errors are those of {@link handle}.
   *
   * @example
   * app.post('/notes', async (ctx) => created(await notes.add(ctx.bodyJson())));
   */
  post<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('POST', pattern, handler, ...rest);
  }

  /** Registers a `PUT` route; the arguments and errors are those of {@link handle}. */
  put<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('PUT', pattern, handler, ...rest);
  }

  /** Registers a `PATCH` route; the arguments and errors are those of {@link handle}. */
  patch<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('PATCH', pattern, handler, ...rest);
  }

  /** Registers a `DELETE` route; the arguments and errors are those of {@link handle}. */
  delete<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('DELETE', pattern, handler, ...rest);
  }

  /** Registers an `OPTIONS` route; the arguments and errors are those of {@link handle}. The option `cors` answers preflights before routing. */
  options<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('OPTIONS', pattern, handler, ...rest);
  }

  /** Registers a `HEAD` route; the arguments and errors are those of {@link handle}. Without one, `autoHead` lets `HEAD` run the route of `GET`. */
  head<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('HEAD', pattern, handler, ...rest);
  }
}
