import type { Handler, Middleware } from '@sallyport/core';
import { assertNoSurplus, boolean, defineOptions, kind } from '@sallyport/core/options';
import { isMiddleware } from '../routing/registration.js';
import { type RouteStatement, STATEMENT_KINDS } from '../routing/statement.js';

/** The name of the parameter in a segment of a pattern: `{id}`, `:id`, `{rest+}`, `:rest+`; `never` for a static segment. */
type SegmentName<S extends string> = S extends `{${infer Name}+}`
  ? Name
  : S extends `{${infer Name}}`
    ? Name
    : S extends `:${infer Name}+`
      ? Name
      : S extends `:${infer Name}`
        ? Name
        : never;

type NamesIn<P extends string> = P extends `${infer Head}/${infer Tail}`
  ? SegmentName<Head> | NamesIn<Tail>
  : SegmentName<P>;

/**
 * The names of a pattern's path parameters: `'id'` for `/orders/{id}`, `never` for `/orders`. `string` for a pattern that the
 * compiler cannot infer completely, so that any name is accepted.
 */
export type PathNames<P extends string> = Record<never, 1> extends Record<P, 1> ? string : NamesIn<P>;

/** A list of middlewares, of a route or of a group. */
export const MIDDLEWARE_LIST = kind<readonly Middleware[]>(
  'a list of functions of (ctx, next)',
  (value) => Array.isArray(value) && value.every(isMiddleware),
);

/** Options of a route of the open container. */
export interface RouteOptions extends RouteStatement {
  /** The auth hook must identify the caller; without a hook the route answers 401. Default: the setting of the group, else false. */
  readonly authRequired?: boolean;
  /** States in the inventory that the route streams. Default false. */
  readonly streaming?: boolean;
  /** Serves the path with one slash at its end too: `/notes` and `/notes/`. Default false. */
  readonly trailingSlash?: boolean;
  /** Middlewares of this route, inside the middlewares of the router and of its groups; the first is outermost. Default none. */
  readonly use?: readonly Middleware[];
}

/** Validators and defaults for {@link RouteOptions}. */
export const ROUTE_OPTIONS = /* @__PURE__ */ defineOptions<RouteOptions>()({
  authRequired: boolean,
  streaming: boolean,
  trailingSlash: boolean,
  use: MIDDLEWARE_LIST,
  ...STATEMENT_KINDS,
});

/** The arguments after the handler in a registration of the open container. */
export type OpenRest = [options?: RouteOptions, ...surplus: readonly never[]];

/** The checked options of a route without options. */
let noOptions: ReturnType<typeof ROUTE_OPTIONS.parse> | undefined;

/** The checked options of a route. */
export function parseOpenRest(rest: OpenRest) {
  if (rest.length > 1) assertNoSurplus(rest.slice(1), 'handle(method, pattern, handler, options)');
  if (rest[0] !== undefined) return ROUTE_OPTIONS.parse(rest[0]);
  noOptions ??= Object.freeze(ROUTE_OPTIONS.parse(undefined));
  return noOptions;
}

/**
 * Registration of routes by method name, on top of `handle`.
 *
 * @typeParam Rest the arguments after the handler: options, or a posture and options
 * @typeParam Outer path parameters of the enclosing groups
 */
export abstract class HttpVerbs<Rest extends readonly unknown[], Outer extends string = never> {
  /**
   * Registers the handler of a route. In `SecureApp` the posture follows the handler: `app.handle(method, pattern, handler, Public())`.
   *
   * @param method any HTTP method, in any case
   * @param pattern static segments, `{id}` or `:id` for a segment, `{rest+}` for the remaining segments. With a literal pattern,
   * `ctx.params` and `ctx.param` are typed with its names
   * @throws FrameworkError `app.bad_request`: a handler that is not a function, a blank method, an invalid pattern, a method
   * and pattern twice, or, if a posture is required, an invalid posture. `app.invalid_configuration`: unknown options, further
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
   * Registers the handler of a `GET` route; arguments and errors as for {@link handle}.
   *
   * @example
   * app.get('/notes/{id}', async (ctx) => json(200, await notes.get(ctx.param('id'))), Authenticated('notes:read')); // SecureApp
   * router.get('/notes/{id}', async (ctx) => json(200, await notes.get(ctx.param('id')))); // createHttpRouter
   */
  get<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('GET', pattern, handler, ...rest);
  }

  /**
   * Registers the handler of a `POST` route; arguments and errors as for {@link handle}.
   *
   * @example
   * app.post('/notes', async (ctx) => created(await notes.add(ctx.bodyJson())), Authenticated('notes:write')); // SecureApp
   * router.post('/notes', async (ctx) => created(await notes.add(ctx.bodyJson()))); // createHttpRouter
   */
  post<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('POST', pattern, handler, ...rest);
  }

  /** Registers a `PUT` route; arguments and errors as for {@link handle}. */
  put<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('PUT', pattern, handler, ...rest);
  }

  /** Registers a `PATCH` route; arguments and errors as for {@link handle}. */
  patch<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('PATCH', pattern, handler, ...rest);
  }

  /** Registers a `DELETE` route; arguments and errors as for {@link handle}. */
  delete<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('DELETE', pattern, handler, ...rest);
  }

  /** Registers an `OPTIONS` route; arguments and errors as for {@link handle}. The option `cors` answers preflights before routing. */
  options<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('OPTIONS', pattern, handler, ...rest);
  }

  /** Registers a `HEAD` route; arguments and errors as for {@link handle}. Without a `HEAD` route, `autoHead` runs the route of `GET`. */
  head<const P extends string>(pattern: P, handler: Handler<Outer | PathNames<P>>, ...rest: Rest): this {
    return this.handle('HEAD', pattern, handler, ...rest);
  }
}
