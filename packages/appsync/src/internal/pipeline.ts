import { createMap, FrameworkError } from '@sallyport/core';
import { type ContextState, OutgoingResponse } from '@sallyport/core/pipeline';
import {
  createPipeline,
  type DoorTraits,
  Exchange,
  type HttpSurface,
  type Kernel,
  type Pipeline,
  type Registration,
  type Stage,
} from '@sallyport/http/pipeline';

/** An exchange whose event has been read: whether it is fit to be served, and which field it asks for. */
export class ResolverExchange extends Exchange {
  readonly valid: boolean;
  readonly field: Registration | undefined;

  constructor(state: ContextState, valid: boolean, field: Registration | undefined) {
    super(state, DOOR);
    this.valid = valid;
    this.field = field;
  }
}

/** Streams are handed on: the projection refuses them by name. */
const DOOR: DoorTraits = { maxAnswerBytes: Number.POSITIVE_INFINITY, streams: 'pass', measure: undefined };

/** HTTP's stages without CORS and answer headers. Errors stay errors: the projection words them. */
export function createAppSyncPipeline(kernel: Kernel, http: HttpSurface | undefined): Pipeline {
  // The surface observes after its projection.
  const features = kernel.features.map((feature) => ({ ...feature, observe: undefined }));
  return createPipeline(kernel, features, {
    first: validEvent,
    match: [matchField(http)],
    renderError: (_, error) => new OutgoingResponse(error.status, createMap(), ''),
  });
}

const validEvent: Stage = (exchange) => {
  if (!(exchange as ResolverExchange).valid) throw new FrameworkError('app.bad_request', 'invalid appsync event');
  return undefined;
};

/** The field with exactly this parent and name, else the HTTP route of the synthesized request where there is one. */
function matchField(http: HttpSurface | undefined): Stage {
  return (exchange) => {
    const { field } = exchange as ResolverExchange;
    if (field) return adopt(exchange, field, NO_PARAMS);
    const { method, path } = exchange.state.request;
    const route = http?.match(method, path);
    if (route) return adopt(exchange, route.registration, route.params);
    const known = http !== undefined && http.allowedMethods(path).length > 0;
    throw new FrameworkError(known ? 'app.method_not_allowed' : 'app.not_found');
  };
}

const NO_PARAMS: readonly string[] = [];

function adopt(exchange: Exchange, registration: Registration, params: readonly string[]): undefined {
  exchange.registration = registration;
  exchange.state.route = registration.route;
  exchange.state.paramNames = registration.paramNames;
  exchange.state.paramValues = params;
}
