import {
  FrameworkError,
  type Handler,
  handlerName,
  type Invocation,
  isFrameworkError,
  type LambdaContext,
  type MaybePromise,
  type Surface,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import {
  ContextState,
  canonicalMethod,
  canonicalPath,
  IncomingRequest,
  type OutgoingResponse,
} from '@sallyport/core/pipeline';
import type { Door, DoorRequest } from '../doors/internal/event.js';
import { functionUrlDoor, gatewayV2Door } from '../doors/gateway-v2.js';
import { cutBasePath } from '../doors/internal/paths.js';
import { gatewayV1Door, isMultiValue, loadBalancerDoor } from '../doors/gateway-v1.js';
import { refusalOf } from '../doors/internal/refusal.js';
import { errorResponse, HTTP_ERROR_FORMAT_NESTED } from '../pipeline/error-body.js';
import { type DoorTraits, type EncodedBody, Exchange } from '../pipeline/exchange.js';
import type { Feature } from '../pipeline/feature.js';
import { createPipeline, type Kernel } from '../pipeline/kernel.js';
import { isPromise } from '../routing/middleware.js';
import { type Pattern, parsePattern, withTrailingSlash } from '../routing/internal/pattern.js';
import type { Decorate, Pipeline, RenderError } from '../pipeline/run.js';
import { assertRouteHandler, type Registration, type RegistrationInit, registrationError } from '../routing/registration.js';
import { RouteTable } from '../routing/internal/route-table.js';
import { type PipelineOptions, parseBasePath } from '../pipeline/options.js';
import { validBody } from '../pipeline/stages/body.js';
import { requestId } from '../pipeline/stages/request-id.js';
import { matchRoute } from '../pipeline/stages/route.js';

/** The HTTP front doors by the kind of event that comes through them. */
const DOORS: Readonly<Record<string, Door>> = {
  'gateway-v2': gatewayV2Door,
  'function-url': functionUrlDoor,
  'load-balancer': loadBalancerDoor,
  'gateway-v1': gatewayV1Door,
};

const PROJECTIONS: Readonly<Record<string, string>> = {
  'gateway-v2': 'v2 response',
  'function-url': 'URL response',
  'load-balancer': 'ALB response',
  'gateway-v1': 'v1 response',
};

/** How `explain` words the posture of a registration; the secure container's. */
export type DescribePosture = (posture: unknown) => string | null;

export interface HttpSurfaceOptions {
  readonly httpErrorFormat?: PipelineOptions['httpErrorFormat'] | undefined;
  readonly basePath?: PipelineOptions['basePath'] | undefined;
  readonly autoHead?: boolean | undefined;
  /** What HTTP alone does, before the kernel's own. */
  readonly features?: readonly Feature[];
  readonly describePosture?: DescribePosture;
}

/** Routes and the four HTTP front doors of one container. */
export class HttpSurface implements Surface {
  readonly serves: readonly TriggerKind[] = Object.keys(DOORS);
  readonly #kernel: Kernel;
  readonly #routes: RouteTable;
  readonly #pipeline: Pipeline;
  readonly #basePath: readonly string[];
  readonly #describePosture: DescribePosture;
  #warnedOfCookies = false;

  constructor(kernel: Kernel, options: HttpSurfaceOptions) {
    this.#kernel = kernel;
    this.#routes = new RouteTable(options.autoHead ?? false);
    this.#basePath = parseBasePath(options.basePath);
    this.#describePosture = options.describePosture ?? (() => null);
    this.#pipeline = createHttpPipeline(kernel, this.#routes, options);
  }

  /**
   * @throws FrameworkError `app.bad_request`, with method and pattern: a handler that is no function, a blank method, an
   *   invalid pattern, a method and pattern twice
   */
  register(method: string, pattern: string, handler: Handler, extra: RegistrationExtra = {}): Registration {
    const verb = typeof method === 'string' ? canonicalMethod(method) : '';
    const path = typeof pattern === 'string' ? pattern : '(no text)';
    const place = verb === '' ? path : `${verb} ${path}`;
    assertRouteHandler(handler, place);
    if (verb === '') throw registrationError('route method is empty', place);
    const compiled = parseRoutePattern(pattern, place);
    this.#routes.reserve(verb, compiled);
    const registration = this.#kernel.book.register({
      route: { surface: 'http', method: verb, pattern: compiled.canonical },
      paramNames: compiled.paramNames,
      handler,
      ...extra,
    });
    this.#routes.add(verb, compiled, registration);
    const slashed = extra.trailingSlash ? withTrailingSlash(compiled) : undefined;
    if (slashed) this.#routes.add(verb, slashed, registration);
    return registration;
  }

  /** Rejects with an `http.…` error, before anything runs, for an event that only looks like a request. */
  serve(kind: TriggerKind, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    const refused = refusalOf(kind, event);
    if (refused) return Promise.reject(refused);
    return this.serveThrough(DOORS[kind] as Door, kind, event, lambdaContext);
  }

  /** Runs an event through a front door, which may be another surface's. */
  serveThrough(
    door: Door,
    kind: TriggerKind,
    event: unknown,
    lambdaContext: LambdaContext | undefined,
  ): Promise<unknown> {
    const exchange = this.#open(door.read(event), door.traits, kind, event, lambdaContext);
    const response = this.#pipeline.run(exchange);
    if (isPromise(response)) return response.then((settled) => this.#write(door, exchange, settled));
    return Promise.resolve(this.#write(door, exchange, response));
  }

  /** Runs what some door has read, and leaves the answer as it is. */
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
   * Runs an event up to the point where the first byte could leave; for doors that stream.
   *
   * @throws FrameworkError `http.…`, before anything runs, for an event that only looks like a request
   */
  serveStream(kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined): OpenedStream {
    const refused = refusalOf(kind, event);
    if (refused) throw refused;
    return this.run((DOORS[kind] as Door).read(event), STREAMING, kind, event, lambdaContext);
  }

  /** The answer of a synthesized request that another surface routes like HTTP. */
  match(method: string, path: string): { registration: Registration; params: readonly string[] } | undefined {
    const match = this.#routes.match(method, path);
    return match && { registration: match.value, params: match.params };
  }

  allowedMethods(path: string): string[] {
    return this.#routes.allowedMethods(path);
  }

  /** @throws FrameworkError what `serve` would reject with before anything runs */
  explainTarget(kind: TriggerKind, event: unknown): Target {
    const refused = refusalOf(kind, event);
    if (refused) throw refused;
    const { method, path } = this.#address((DOORS[kind] as Door).read(event));
    const projection = PROJECTIONS[kind] ?? '';
    const match = this.#routes.match(method, path);
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

  #address(read: DoorRequest): { method: string; path: string } {
    return { method: canonicalMethod(read.method), path: cutBasePath(canonicalPath(read.path), this.#basePath) };
  }

  #open(
    read: DoorRequest,
    traits: DoorTraits,
    kind: TriggerKind,
    event: unknown,
    lambdaContext: LambdaContext | undefined,
  ): Exchange {
    const { method, path } = this.#address(read);
    const request = new IncomingRequest(method, path, read.rawPath, read.source);
    return new Exchange(new ContextState(this.#kernel.runtime, request, kind, event, lambdaContext), traits);
  }

  #write(door: Door, exchange: Exchange, response: OutgoingResponse): Record<string, unknown> {
    const { event } = exchange.state;
    if (door === loadBalancerDoor && response.cookies.length > 1 && !isMultiValue(event)) this.#warnOfCookies(exchange);
    return door.write(response, exchange.encoded as EncodedBody, event);
  }

  #warnOfCookies({ ctx }: Exchange): void {
    if (this.#warnedOfCookies) return;
    this.#warnedOfCookies = true;
    ctx.log.warn('several cookies through a load balancer in single-value mode; turn on multi-value headers', {
      event: 'http.load_balancer_cookies',
    });
  }
}

/** @throws FrameworkError `app.bad_request` that says what is wrong and where */
function parseRoutePattern(pattern: string, place: string): Pattern {
  try {
    return parsePattern(pattern);
  } catch (cause) {
    if (!isFrameworkError(cause)) throw cause;
    throw new FrameworkError(cause.code, `${cause.message}: ${place}`, { cause });
  }
}

export interface RegistrationExtra extends Pick<RegistrationInit, 'authRequired' | 'posture' | 'streaming'> {
  readonly trailingSlash?: boolean;
}

/** Options of a route of the open container. */
export interface RouteOptions {
  /** The auth hook must name a caller; without a hook the route answers 401. Default false. */
  readonly authRequired?: boolean;
  /** States in the inventory that the route streams. Default false. */
  readonly streaming?: boolean;
  /** Serves the path with one slash at its end as well: `/notes` and `/notes/`. Default false. */
  readonly trailingSlash?: boolean;
}

/** What a streaming door gets: the exchange, and an answer whose body may be a stream. */
export interface OpenedStream {
  readonly exchange: Exchange;
  readonly response: MaybePromise<OutgoingResponse>;
  /** The answer of a failure that shows only at the door. */
  readonly fail: (error: unknown) => MaybePromise<OutgoingResponse>;
}

const STREAMING: DoorTraits = { maxAnswerBytes: Number.POSITIVE_INFINITY, streams: 'commit', measure: undefined };

function createHttpPipeline(kernel: Kernel, routes: RouteTable, options: HttpSurfaceOptions): Pipeline {
  const format = options.httpErrorFormat ?? HTTP_ERROR_FORMAT_NESTED;
  const basic = kernel.tier === 'p0';
  const renderError: RenderError = ({ state }, error) =>
    errorResponse(error, format, { requestId: state.requestId, traceId: state.request.traceId });
  return createPipeline(kernel, [...(options.features ?? []), ...kernel.features], {
    first: basic ? undefined : requestId,
    match: [validBody, matchRoute(routes, renderError)],
    decorate: basic ? [] : [addRequestId],
    renderError,
  });
}

const addRequestId: Decorate = ({ state }, { headers }) => {
  headers['x-request-id'] = [state.requestId];
};
