import { createMap, FrameworkError } from '@sallyport/core';
import { OutgoingResponse } from '@sallyport/core/pipeline';
import {
  createPipeline,
  type Exchange,
  type HttpSurface,
  type Kernel,
  type Pipeline,
  type Registration,
  type Stage,
} from '@sallyport/http/pipeline';
import { isResolverEvent } from './read-event.js';

type FindField = (event: unknown) => Registration | undefined;

/** HTTP's stages without CORS and answer headers. Errors stay errors: the projection words them. */
export function createAppSyncPipeline(kernel: Kernel, findField: FindField, http: HttpSurface | undefined): Pipeline {
  // The surface observes after its projection.
  const features = kernel.features.map((feature) => ({ ...feature, observe: undefined }));
  return createPipeline(kernel, features, {
    first: validEvent,
    match: [matchField(findField, http)],
    renderError: (_, error) => new OutgoingResponse(error.status, createMap(), ''),
  });
}

const validEvent: Stage = ({ state }) => {
  if (!isResolverEvent(state.event)) throw new FrameworkError('app.bad_request', 'invalid appsync event');
  return undefined;
};

/** The field with exactly this parent and name, else the HTTP route of the synthesized request where there is one. */
function matchField(findField: FindField, http: HttpSurface | undefined): Stage {
  return (exchange) => {
    const registration = findField(exchange.state.event);
    if (registration) return adopt(exchange, registration, []);
    const { method, path } = exchange.state.request;
    const route = http?.match(method, path);
    if (route) return adopt(exchange, route.registration, route.params);
    const known = http !== undefined && http.allowedMethods(path).length > 0;
    throw new FrameworkError(known ? 'app.method_not_allowed' : 'app.not_found');
  };
}

function adopt(exchange: Exchange, registration: Registration, params: readonly string[]): undefined {
  exchange.registration = registration;
  exchange.state.route = registration.route;
  exchange.state.paramNames = registration.paramNames;
  exchange.state.paramValues = params;
}
