import type { Handler } from '@sallyport/core';
import type { RouteOptions } from './http-surface.js';

/** How a route is registered, for error texts. */
export const HANDLE_USAGE = 'handle(method, pattern, handler, options)';

/** Registration by method name on top of `handle`, for open containers. */
export abstract class HttpVerbs {
  /**
   * Registers an HTTP operation.
   *
   * @throws FrameworkError `app.bad_request`: a handler that is no function, a blank method, an invalid pattern, a method and
   *   pattern twice, further arguments
   */
  abstract handle(
    method: string,
    pattern: string,
    handler: Handler,
    options?: RouteOptions,
    ...surplus: readonly never[]
  ): this;

  get(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.handle('GET', pattern, handler, options, ...surplus);
  }

  post(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.handle('POST', pattern, handler, options, ...surplus);
  }

  put(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.handle('PUT', pattern, handler, options, ...surplus);
  }

  patch(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.handle('PATCH', pattern, handler, options, ...surplus);
  }

  delete(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.handle('DELETE', pattern, handler, options, ...surplus);
  }

  options(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.handle('OPTIONS', pattern, handler, options, ...surplus);
  }

  head(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.handle('HEAD', pattern, handler, options, ...surplus);
  }

  /** @deprecated `handle` is as strict. */
  handleStrict(
    method: string,
    pattern: string,
    handler: Handler,
    options?: RouteOptions,
    ...surplus: readonly never[]
  ): this {
    return this.handle(method, pattern, handler, options, ...surplus);
  }

  /** @deprecated `get` is as strict. */
  getStrict(pattern: string, handler: Handler, options?: RouteOptions, ...surplus: readonly never[]): this {
    return this.get(pattern, handler, options, ...surplus);
  }
}
