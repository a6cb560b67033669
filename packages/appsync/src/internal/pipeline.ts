import { FrameworkError } from '@sallyport/core';
import { type ContextState, createFastMap, OutgoingResponse } from '@sallyport/core/internal';
import {
  createPipeline,
  type DoorTraits,
  Exchange,
  type HttpSurface,
  type Kernel,
  type Pipeline,
  type Registration,
  type Stage,
} from '@sallyport/http/internal';

/** One resolver event in the pipeline. */
export class ResolverExchange extends Exchange {
  /** True if the event can be served. */
  readonly valid: boolean;
  /** The registered handler of the field. */
  readonly field: Registration | undefined;

  constructor(state: ContextState, valid: boolean, field: Registration | undefined) {
    super(state, DOOR);
    this.valid = valid;
    this.field = field;
  }
}

/** Streams pass the door: `project` answers them with an error that contains the reason. */
const DOOR: DoorTraits = { maxAnswerBytes: Number.POSITIVE_INFINITY, streams: 'pass', measure: undefined };

/** The HTTP stages without CORS and answer headers. Errors are kept until `project` turns them into error objects. */
export function createAppSyncPipeline(kernel: Kernel, http: HttpSurface | undefined): Pipeline {
  return createPipeline(kernel, {
    validEvent,
    route: matchField(http),
    // After the result for the resolver is known.
    observesItself: true,
    renderError: (_, error) => new OutgoingResponse(error.status, createFastMap(), ''),
  });
}

const validEvent: Stage = (exchange) => {
  if (!(exchange as ResolverExchange).valid) throw new FrameworkError('app.bad_request', 'invalid appsync event');
  return undefined;
};

/** Matches the field with exactly this parent and name, else the HTTP route of the synthesized request. */
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
