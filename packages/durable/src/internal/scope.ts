import type { Context } from '@sallyport/core';
import type { ExecutionScope, Scoped } from '@sallyport/core/internal';

/** A handler's context. */
interface Scopable {
  readonly lambdaContext?: (Scoped & { readonly executionContext?: unknown }) | undefined;
}

/** The scope of a handler's context; `undefined` outside an execution, and inside a step. */
export function scopeOf(context: object): ExecutionScope | undefined {
  return (context as Scopable).lambdaContext?.['sallyport.execution'];
}

/** True for the context of a request, of a field or of a WebSocket message. */
export function isRequestContext(context: object): context is Context {
  return 'sallyport.RequestContext' in context;
}

/** True for a request to a route with the option `streaming`. */
export function isStreamingRoute(context: object): boolean {
  return isRequestContext(context) && context.route?.streaming === true;
}

/** Makes a scope the scope of a context. */
export function bindScope(context: object, scope: ExecutionScope): void {
  define(context, { ...(context as Scopable).lambdaContext, 'sallyport.execution': scope });
}

/** Makes a context one of a step: its handler runs once, has no operations, and ends within its invocation. */
export function bindToStep(context: object): void {
  const {
    'sallyport.execution': _scope,
    executionContext: _execution,
    ...plain
  } = (context as Scopable).lambdaContext ?? {};
  define(context, plain);
}

function define(context: object, lambdaContext: object): void {
  Object.defineProperty(context, 'lambdaContext', { value: lambdaContext, configurable: true });
}
