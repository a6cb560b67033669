import type { Handler } from '@sallyport/core';
import type { RouteOptions } from './http-surface.js';

/** Registration by method name on top of `handle`, for open containers. */
export abstract class HttpVerbs {
  /** @throws FrameworkError `app.bad_request`: nil handler, empty method, invalid pattern, duplicate route */
  abstract handle(method: string, pattern: string, handler: Handler, options?: RouteOptions): this;

  get(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle('GET', pattern, handler, options);
  }

  post(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle('POST', pattern, handler, options);
  }

  put(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle('PUT', pattern, handler, options);
  }

  patch(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle('PATCH', pattern, handler, options);
  }

  delete(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle('DELETE', pattern, handler, options);
  }

  options(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle('OPTIONS', pattern, handler, options);
  }

  head(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle('HEAD', pattern, handler, options);
  }

  /** @deprecated `handle` is as strict. */
  handleStrict(method: string, pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.handle(method, pattern, handler, options);
  }

  /** @deprecated `get` is as strict. */
  getStrict(pattern: string, handler: Handler, options?: RouteOptions): this {
    return this.get(pattern, handler, options);
  }
}
