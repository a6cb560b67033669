import {
  FrameworkError,
  type Handler,
  type Invocation,
  type LambdaContext,
  type Surface,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import {
  ContextState,
  canonicalMethod,
  canonicalPath,
  type EncodedBody,
  handlerName,
  IncomingRequest,
  isPromise,
  logRefusal,
  type OutgoingResponse,
  stringOf,
  unknownProvenance,
  WEBSOCKET_MAX_MESSAGE_BYTES,
} from '@sallyport/core/internal';
import { asIs, firstText, type HttpDoor, objectOf, refusalOf } from '../doors/internal/event.js';
import { ProxySource, type ProxyTraits, writeProxy } from '../doors/internal/gateway-v1.js';
import { errorResponse, HTTP_ERROR_FORMAT_NESTED } from '../pipeline/error-body.js';
import type { Kernel } from '../pipeline/kernel.js';
import { createPipeline } from '../pipeline/order.js';
import { Exchange, type Pipeline, type RenderError, type Stage } from '../pipeline/run.js';
import { validBody } from '../pipeline/stages.js';
import {
  assertBoundParams,
  assertRouteHandler,
  type Registration,
  registrationError,
} from '../routing/registration.js';
import type { DescribePosture } from '../surface/http-surface.js';
import { createWebSocketClientFactory } from './client.js';
import {
  configuredEndpoint,
  type WebSocketClientFactory,
  type WebSocketClients,
  WebSocketTransport,
} from './internal/transport.js';

const KIND = 'websocket';

/** The container's options for WebSocket only. */
export interface WebSocketSurfaceOptions {
  /** Creates the clients that send messages. Default: the AWS client, loaded when a first message is sent. */
  readonly webSocketClientFactory?: WebSocketClientFactory | undefined;
  /** URL that messages are posted to. Default: the endpoint of the event's API. */
  readonly webSocketEndpoint?: string | undefined;
  /** Describes postures for `explain`. Default: none. */
  readonly describePosture?: DescribePosture;
}

/** The WebSocket operations of one container. Every event runs through the whole pipeline separately. */
export class WebSocketSurface implements Surface {
  /** The kind `websocket`. */
  readonly serves: readonly TriggerKind[] = [KIND];
  readonly #kernel: Kernel;
  readonly #routes = new Map<string, Registration>();
  readonly #pipeline: Pipeline;
  readonly #describePosture: DescribePosture;
  readonly #clients: WebSocketClients;

  /** @throws FrameworkError `app.invalid_configuration` for a configured endpoint that is not a URL */
  constructor(kernel: Kernel, options: WebSocketSurfaceOptions, clients = toClients(kernel, options)) {
    this.#kernel = kernel;
    this.#describePosture = options.describePosture ?? (() => null);
    this.#clients = clients;
    this.#pipeline = createWebSocketPipeline(kernel, this.#routes);
  }

  /**
   * Registers the handler of a route key.
   *
   * @throws FrameworkError `app.bad_request`: a blank key, a handler that is not a function, a duplicate key
   */
  register(routeKey: string, handler: Handler, posture?: unknown): void {
    const key = typeof routeKey === 'string' ? routeKey.trim() : '';
    if (key === '') throw new FrameworkError('app.bad_request', 'framework: invalid websocket route');
    assertRouteHandler(handler, key);
    assertBoundParams(handler, [], key);
    if (this.#routes.has(key)) throw registrationError('duplicate route', key);
    const route = { surface: 'websocket', method: '', pattern: key } as const;
    this.#routes.set(key, this.#kernel.book.register({ route, paramNames: [], handler, posture }));
  }

  /** Rejects with an `http.…` error, before any handler runs, for an event that only looks like a WebSocket event. */
  serve(_kind: TriggerKind, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    const refused = refusalOf(KIND, event);
    if (refused) {
      logRefusal(this.#kernel.runtime.log, refused, lambdaContext, KIND);
      return Promise.reject(refused);
    }
    const exchange = this.#open(event, lambdaContext);
    const response = this.#pipeline.run(exchange);
    const write = (settled: OutgoingResponse) => webSocketDoor.write(settled, exchange.encoded as EncodedBody, event);
    return isPromise(response) ? response.then(write) : Promise.resolve(write(response));
  }

  /** @throws FrameworkError the error with which `serve` would reject before any handler runs */
  explainTarget(_kind: TriggerKind, event: unknown): Target {
    const refused = refusalOf(KIND, event);
    if (refused) throw refused;
    const key = routeKeyOf(event);
    const registration = this.#routes.get(key);
    const { projection } = webSocketDoor;
    if (!registration) return { route: key, handler: null, posture: null, outcome: 'not_found', projection };
    const posture = this.#describePosture(registration.posture);
    return { route: key, handler: handlerName(registration.handler), posture, outcome: 'handled', projection };
  }

  #open(event: unknown, lambdaContext: LambdaContext | undefined): Exchange {
    const { method, path, rawPath, source } = webSocketDoor.read(event);
    const request = new IncomingRequest(canonicalMethod(method), canonicalPath(path), rawPath, source);
    const state = new ContextState(this.#kernel.runtime, request, KIND, event, lambdaContext);
    state.transport = new WebSocketTransport(state, this.#clients);
    return new Exchange(state, webSocketDoor.traits);
  }
}

/**
 * The settings for messages to connections.
 *
 * @throws FrameworkError `app.invalid_configuration` for a configured endpoint that is not a URL
 */
export function toClients({ runtime }: Kernel, options: WebSocketSurfaceOptions): WebSocketClients {
  return {
    factory: options.webSocketClientFactory ?? createWebSocketClientFactory(),
    endpoint: configuredEndpoint(options.webSocketEndpoint, runtime.environment),
  };
}

/** The route key that the gateway chose. The gateway itself sends `$default`; unknown keys do not fall back to it here. */
function routeKeyOf(event: unknown): string {
  return stringOf(objectOf(objectOf(event).requestContext).routeKey).trim();
}

/** The pipeline of HTTP without CORS and without the header `x-request-id`; error bodies always have the shape `nested`. */
function createWebSocketPipeline(kernel: Kernel, routes: ReadonlyMap<string, Registration>): Pipeline {
  const renderError: RenderError = ({ state }, error) =>
    errorResponse(error, HTTP_ERROR_FORMAT_NESTED, { requestId: state.requestId, traceId: state.traceId });
  return createPipeline(kernel, {
    requestId: socketRequestId,
    validBody,
    route: matchRouteKey(routes),
    renderError,
  });
}

const socketRequestId: Stage = ({ state }) => {
  const sent = stringOf(objectOf(objectOf(state.event).requestContext).requestId).trim();
  state.requestId = sent || state.lambdaContext?.awsRequestId?.trim() || state.runtime.ids.newId();
  return undefined;
};

function matchRouteKey(routes: ReadonlyMap<string, Registration>): Stage {
  return (exchange) => {
    const registration = routes.get(routeKeyOf(exchange.state.event));
    if (!registration) throw new FrameworkError('app.not_found');
    exchange.registration = registration;
    exchange.state.route = registration.route;
    return undefined;
  };
}

const TRAITS: ProxyTraits = { decodeQuery: asIs, provenance: unknownProvenance };

/** API Gateway WebSocket API. The answer to `$connect` determines if the connection is opened. */
const webSocketDoor: HttpDoor = {
  projection: 'v1-style response',
  traits: {
    maxAnswerBytes: WEBSOCKET_MAX_MESSAGE_BYTES,
    streams: 'refuse',
    measure: (_response, { body }) => Buffer.byteLength(body),
  },
  read(input) {
    const event = objectOf(input);
    const rawPath = firstText(event.path, '/');
    return { method: stringOf(event.httpMethod), path: rawPath, rawPath, source: new ProxySource(event, TRAITS) };
  },
  write: writeProxy,
};
