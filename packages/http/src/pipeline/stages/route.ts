import { FrameworkError } from '@sallyport/core';
import type { Exchange } from '../exchange.js';
import type { RenderError, Stage } from '../run.js';
import type { RouteTable } from '../../routing/internal/route-table.js';

const NOT_FOUND = new FrameworkError('app.not_found');

/** Finds the operation of a path, or answers 404 or 405. Neither costs a stack trace. */
export function matchRoute(table: RouteTable, renderError: RenderError): Stage {
  return (exchange) => {
    const { request } = exchange.state;
    const match = table.match(request.method, request.path);
    if (match === undefined) return missing(exchange, table, renderError);
    const registration = match.value;
    exchange.registration = registration;
    exchange.state.route = registration.route;
    exchange.state.paramNames = registration.paramNames;
    exchange.state.paramValues = match.params;
    return undefined;
  };
}

function missing(exchange: Exchange, table: RouteTable, renderError: RenderError): ReturnType<RenderError> {
  const allowed = table.allowedMethods(exchange.state.request.path);
  const error =
    allowed.length === 0
      ? NOT_FOUND
      : new FrameworkError('app.method_not_allowed', undefined, { headers: { allow: allowed.join(', ') } });
  exchange.error = error;
  return renderError(exchange, error);
}
