import {
  FrameworkError,
  type Handler,
  type Invocation,
  isFrameworkError,
  type LambdaContext,
  type MaybePromise,
  type Route,
  type Surface,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import {
  ContextState,
  canonicalMethod,
  canonicalPath,
  type Door,
  type DoorRequest,
  type DoorTraits,
  type EncodedBody,
  handlerName,
  IncomingRequest,
  isPromise,
  logRefusal,
  noAdapter,
  type OutgoingResponse,
  registerCopy,
} from '@sallyport/core/internal';
import { door as functionUrl } from '#function-url';
import { door as gatewayV1 } from '#gateway-v1';
import { door as gatewayV2 } from '#gateway-v2';
import { door as loadBalancer } from '#load-balancer';
import { cutBasePath, type HttpDoor, type HttpDoors, refusalOf } from '../doors/internal/event.js';
import { VERSION } from '../internal/version.js';
import type { CorsStages } from '../pipeline/cors.js';
import { errorResponse, HTTP_ERROR_FORMAT_NESTED, type HttpErrorFormat } from '../pipeline/error-body.js';
import type { HookStages } from '../pipeline/hooks.js';
import { type Kernel, parseBasePath } from '../pipeline/kernel.js';
import { createPipeline } from '../pipeline/order.js';
import { Exchange, type Pipeline, type RenderError } from '../pipeline/run.js';
import { addRequestId, matchRoute, requestId, validBody } from '../pipeline/stages.js';
import { type Pattern, parsePattern, withTrailingSlash } from '../routing/internal/pattern.js';
import { RouteTable } from '../routing/internal/router.js';
import {
  assertBoundParams,
  assertRouteHandler,
  type Registration,
  type RegistrationInit,
  registrationError,
} from '../routing/registration.js';

registerCopy('@sallyport/http', VERSION, new Error());

/** The HTTP front doors by the kind of event that comes through them; without the doors that the bundle leaves out. */
const DOORS: HttpDoors = { ...gatewayV2, ...functionUrl, ...loadBalancer, ...gatewayV1 };

/** @throws FrameworkError `dispatch.no_adapter` if the bundle leaves the door out */
function doorOf(kind: TriggerKind): HttpDoor {
  const door = DOORS[kind];
  if (door === undefined) throw noAdapter(kind);
  return door;
}

/** A front door of HTTP, or of another surface. */
type AnyDoor = Door & Partial<HttpDoor>;

/** Describes the posture of a registration for `explain`; passed by the secure container. */
export type DescribePosture = (posture: unknown) => string | null;

/** The container's options for HTTP only. */
export interface HttpSurfaceOptions {
  /** Shape of error bodies. Default `nested`. */
  readonly httpErrorFormat?: HttpErrorFormat | undefined;
  /** Path prefixes. The longest matching prefix is removed once before routing. */
  readonly basePath?: string | readonly string[] | undefined;
  /** `HEAD` without its own route runs the route of `GET`. Default false. */
  readonly autoHead?: boolean | undefined;
  /** The result of `cors()`; without it no CORS header is sent. */
  readonly cors?: CorsStages | undefined;
  /** The result of `hooks()`; without it no hook is called. */
  readonly hooks?: HookStages | undefined;
  /** Describes postures for `explain`. Default: none. */
  readonly describePosture?: DescribePosture;
}

/** The options of a registration. */
export interface RegistrationExtra
  extends Pick<RegistrationInit, 'authRequired' | 'posture' | 'use' | 'tags' | 'states'>,
    Pick<Route, 'streaming'> {
  /** Serves the path with one slash at its end too. Default false. */
  readonly trailingSlash?: boolean | undefined;
}

/** The input of a streaming door: the exchange, and an answer, possibly with a stream. */
export interface OpenedStream {
  /** The run of the request. */
  readonly exchange: Exchange;
  /** The final answer; the caller must read its stream. */
  readonly response: MaybePromise<OutgoingResponse>;
  /** Creates the answer of a failure that occurs only at the door. */
  readonly fail: (error: unknown) => MaybePromise<OutgoingResponse>;
}

const STREAMING: DoorTraits = { maxAnswerBytes: Number.POSITIVE_INFINITY, streams: 'commit', measure: undefined };

/** Routes and the four HTTP front doors of one container. */
export class HttpSurface implements Surface {
  /** The kinds of events that the front doors read. */
  readonly serves: readonly TriggerKind[] = Object.keys(DOORS);
  readonly #kernel: Kernel;
  readonly #routes: RouteTable;
  readonly #pipeline: Pipeline;
  readonly #basePath: readonly string[];
  readonly #describePosture: DescribePosture;
  readonly #warned = new Set<Door>();

  /** @throws FrameworkError `app.invalid_configuration` for a wrong base path */
  constructor(kernel: Kernel, options: HttpSurfaceOptions) {
    const { httpErrorFormat = HTTP_ERROR_FORMAT_NESTED, cors, hooks } = options;
    this.#kernel = kernel;
    this.#routes = new RouteTable(options.autoHead ?? false);
    this.#basePath = parseBasePath(options.basePath);
    this.#describePosture = options.describePosture ?? (() => null);
    const renderError: RenderError = ({ state }, error) =>
      errorResponse(error, httpErrorFormat, { requestId: state.requestId, traceId: state.traceId });
    const route = matchRoute(this.#routes, renderError, hooks?.askOnError !== undefined);
    this.#pipeline = createPipeline(kernel, { requestId, cors, validBody, route, addRequestId, renderError, ...hooks });
  }

  /**
   * Registers an operation.
   *
   * @throws FrameworkError `app.bad_request`, with method and pattern: a handler that is not a function, a blank method, an
   *   invalid pattern, a duplicate method and pattern, a bound handler with other path parameters than the pattern
   */
  register(method: string, pattern: string, handler: Handler, extra: RegistrationExtra = {}): Registration {
    const verb = typeof method === 'string' ? canonicalMethod(method) : '';
    const path = typeof pattern === 'string' ? pattern : '(no text)';
    const place = verb === '' ? path : `${verb} ${path}`;
    assertRouteHandler(handler, place);
    if (verb === '') throw registrationError('route method is empty', place);
    let compiled: Pattern;
    try {
      compiled = parsePattern(pattern);
    } catch (cause) {
      if (!isFrameworkError(cause)) throw cause;
      throw new FrameworkError(cause.code, `${cause.message}: ${place}`, { cause });
    }
    assertBoundParams(handler, compiled.paramNames, place);
    this.#routes.assertFree(verb, compiled);
    const { streaming, trailingSlash, ...rest } = extra;
    const registration = this.#kernel.book.register({
      ...rest,
      route: { surface: 'http', method: verb, pattern: compiled.canonical, streaming },
      paramNames: compiled.paramNames,
      handler,
    });
    this.#routes.add(verb, compiled, registration);
    const slashed = trailingSlash ? withTrailingSlash(compiled) : undefined;
    if (slashed) this.#routes.add(verb, slashed, registration);
    return registration;
  }

  /**
   * Answers an event of one of the kinds in `serves`. Rejects with an `http.…` error, before any handler runs, for an event that
   * only looks like a request.
   */
  serve(kind: TriggerKind, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    const door = DOORS[kind];
    const refused = door === undefined ? noAdapter(kind) : refusalOf(kind, event);
    if (refused) {
      logRefusal(this.#kernel.runtime.log, refused, lambdaContext, kind);
      return Promise.reject(refused);
    }
    return this.serveThrough(door as Door, kind, event, lambdaContext);
  }

  /** Runs an event through a front door of this or of another surface. */
  serveThrough(
    door: AnyDoor,
    kind: TriggerKind,
    event: unknown,
    lambdaContext: LambdaContext | undefined,
  ): Promise<unknown> {
    const exchange = this.#open(door.read(event), door.traits, kind, event, lambdaContext);
    const response = this.#pipeline.run(exchange);
    if (isPromise(response)) return response.then((settled) => this.#write(door, exchange, settled));
    return Promise.resolve(this.#write(door, exchange, response));
  }

  /** Runs a request that a door has read, and returns the answer unchanged. */
  run(
    read: DoorRequest,
    traits: DoorTraits,
    kind: TriggerKind,
    event: unknown,
    lambdaContext: LambdaContext | undefined,
  ): OpenedStream {
    const exchange = this.#open(read, traits, kind, event, lambdaContext);
    exchange.state.canStream = traits.streams === 'commit';
    return { exchange, response: this.#pipeline.run(exchange), fail: (error) => this.#pipeline.fail(exchange, error) };
  }

  /**
   * Runs an event until the first byte can be sent; for doors that stream.
   *
   * @throws FrameworkError `http.…`, before any handler runs, for an event that only looks like a request
   */
  serveStream(kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined): OpenedStream {
    const refused = refusalOf(kind, event);
    if (refused) {
      logRefusal(this.#kernel.runtime.log, refused, lambdaContext, kind);
      throw refused;
    }
    return this.run(doorOf(kind).read(event), STREAMING, kind, event, lambdaContext);
  }

  /** The operation of a method and a canonical path, for surfaces that route like HTTP; `undefined` without a match. */
  match(method: string, path: string): { registration: Registration; params: readonly string[] } | undefined {
    const match = this.#routes.match(method, path);
    return match && { registration: match.value, params: match.params };
  }

  /** The methods of a path, sorted; empty for an unknown path. */
  allowedMethods(path: string): string[] {
    return this.#routes.allowedMethods(path);
  }

  /**
   * Describes the handler that would serve an event, for `explain`.
   *
   * @throws FrameworkError the error with which `serve` would reject before any handler runs
   */
  explainTarget(kind: TriggerKind, event: unknown): Target {
    const refused = refusalOf(kind, event);
    if (refused) throw refused;
    const { projection, read } = doorOf(kind);
    return this.explainRequest(read(event), projection);
  }

  /** Describes the handler that would serve a request that a door has read. */
  explainRequest(request: DoorRequest, projection: string): Target {
    const path = cutBasePath(canonicalPath(request.path), this.#basePath);
    const match = this.#routes.match(canonicalMethod(request.method), path);
    if (!match) {
      const outcome = this.#routes.allowedMethods(path).length > 0 ? 'method_not_allowed' : 'not_found';
      return { handler: null, posture: null, outcome, projection };
    }
    const { route, handler, posture } = match.value;
    return {
      route: `${route.method} ${route.pattern}`,
      handler: handlerName(handler),
      posture: this.#describePosture(posture),
      outcome: 'handled',
      projection,
    };
  }

  #open(
    { method, path, rawPath, source }: DoorRequest,
    traits: DoorTraits,
    kind: TriggerKind,
    event: unknown,
    lambdaContext: LambdaContext | undefined,
  ): Exchange {
    const canonical = canonicalPath(path);
    const routed = this.#basePath.length === 0 ? canonical : cutBasePath(canonical, this.#basePath);
    const request = new IncomingRequest(canonicalMethod(method), routed, rawPath, source);
    return new Exchange(new ContextState(this.#kernel.runtime, request, kind, event, lambdaContext), traits);
  }

  #write(door: AnyDoor, { encoded, state, ctx }: Exchange, response: OutgoingResponse): Record<string, unknown> {
    const warning = door.warningOf && !this.#warned.has(door) ? door.warningOf(response, state.event) : undefined;
    if (warning) {
      this.#warned.add(door);
      ctx.log.warn(warning.message, { event: warning.event });
    }
    return door.write(response, encoded as EncodedBody, state.event);
  }
}

/** The key of a container's member for streaming handlers. */
export const STREAM_ACCESS = Symbol.for('sallyport.http.stream-access/1');

/** The parts of a container that streaming handlers use. */
export interface StreamAccess {
  /** The HTTP surface. */
  readonly http: HttpSurface;
  /**
   * The kind of event that an invocation is served as.
   *
   * @throws FrameworkError for an unknown event, and for an invocation that the container rejects
   */
  readonly detect: (event: unknown, lambdaContext?: LambdaContext) => TriggerKind;
}

/** A container as the argument of a streaming handler. */
export interface StreamingApp {
  /** Exists only in the type, of containers of any copy of the packages. At run time {@link STREAM_ACCESS} is the key. */
  readonly '~sallyport.streams/1': true;
  /** Answers events that cannot be streamed. */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
}
