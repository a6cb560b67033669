import type { Context } from '../context/context.js';
import { ContextState } from '../context/context-state.js';
import { copyPrincipal } from '../context/principal.js';
import { RequestContext } from '../context/request-context.js';
import type { Route } from '../context/route.js';
import type { SecurePrincipal } from '../context/secure-principal.js';
import type { Logger, Observability } from '../observability/hooks.js';
import { unknownProvenance } from '../request/provenance.js';
import { createMap, IncomingRequest, type RequestSource, toHeaderMap } from '../request/request.js';
import type { MaybePromise, OutgoingResponse } from '../response/response.js';
import { trimmedText } from '../values/read.js';
import type { DoorGuard } from './doors.js';
import type {
  Environment,
  FullClock,
  IdGenerator,
  Invocation,
  InvocationProvenance,
  LambdaContext,
  TriggerKind,
} from './invocation.js';

/** The handler that would serve an event, as shown by `explain`. */
export interface Target {
  /** Only for surfaces of records: each source of the batch. */
  readonly sources?: readonly { readonly name: string; readonly records: number; readonly handler: string | null }[];
  /** `GET /users/{id}`, `Query.note`, `$connect`, or the event-bus selector. */
  readonly route?: string;
  /** The function's name, `(anonymous)`, or `null` if no handler is registered. */
  readonly handler: string | null;
  /** `Authenticated(notes:read)`; `null` for containers without postures. */
  readonly posture: string | null;
  /** The outcome: a handler runs, or the reason why no handler runs. */
  readonly outcome: 'handled' | 'not_found' | 'method_not_allowed' | 'no_handler';
  /** The form of the result for the service: `v2 response`, `batch report`, … */
  readonly projection: string;
}

/** One registration of an opt-in surface, as `app.triggers()` lists it. */
export interface TriggerRecord {
  /** The kind of the events. */
  readonly kind: TriggerKind;
  /** Bucket, topic, Cognito source, …: the source of the registration. Event-bus registrations have a selector instead. */
  readonly name?: string;
  /** Options that a deployment needs. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** One kind that an alias selects, and its failed conditions. */
export type AliasClaim = readonly [
  kind: TriggerKind,
  misses: readonly { readonly path: string; readonly expected: string; readonly found: string }[],
];

/** The interface between packages: an object that serves some kinds of events. */
export interface Surface {
  /** The kinds of events that it serves. */
  readonly serves: readonly TriggerKind[];
  /**
   * The invocations that this surface accepts; default `['provider']`. A surface that accepts `agent` receives every agent invocation,
   * regardless of its event, under the first kind that it serves; a dispatcher accepts only one such surface.
   */
  readonly accepts?: readonly InvocationProvenance[];
  /**
   * Claims an invocation, after its row is found: `true` to receive it under the first kind that this surface serves. For events that a
   * device or a client wrote, which only the alias of the invocation distinguishes, and for some events of another kind.
   *
   * @param kind the kind by its row; `undefined` for an event that no row matches
   */
  claims?(kind: TriggerKind | undefined, event: unknown, lambdaContext: LambdaContext | undefined): boolean;
  /** For `explain`: the kind that an alias selects, with the failed condition if the invocation used another alias. */
  explainClaim?(lambdaContext: LambdaContext | undefined): readonly AliasClaim[];
  /** Serves one event; its result is passed to the service unchanged. */
  serve(kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown>;
  /** For `explain`: pure, runs no user code. Throws the errors with which `serve` rejects before it runs user code. */
  explainTarget?(kind: TriggerKind, event: unknown, lambdaContext?: LambdaContext): Target;
  /** Called once, when a container with this surface is constructed. A second container throws. */
  attach?(host: SurfaceHost): void;
  /** The surface's registrations in order; joined into `triggers()` of the container. */
  triggers?(): readonly TriggerRecord[];
}

/** The name of a handler in inventories and explanations. */
export function handlerName(handler: { readonly name: string }): string {
  return handler.name === '' ? '(anonymous)' : handler.name;
}

/** The parts of a container that a surface of its option `surfaces` may use. */
export interface SurfaceHost {
  /** The time of the container. */
  readonly clock: FullClock;
  /** The generator of ids. */
  readonly ids: IdGenerator;
  /** The environment variables of the container. */
  readonly environment: Environment;
  /** The container's own logger, not bound to an invocation. */
  readonly log: Logger;
  /** The front doors of the container, if they are named. */
  readonly doors?: DoorGuard | undefined;
  /** The hooks of the container. */
  readonly observability: Observability;
  /** Milliseconds before the end of the invocation from which no further work starts. */
  readonly deadlineMarginMs: number;
  /** True if a handler's error is replaced before the service sees it. */
  readonly maskErrors: boolean;
  /** The message of the error that replaces it. */
  readonly failureText: string;
  /** The middlewares of `useEvents`, outermost first. The list grows while the application registers more. */
  readonly eventMiddlewares: readonly SurfaceMiddleware[];
  /** Creates the observer that calls the hooks for a batch of events. Its type is internal to `@sallyport/streams`. */
  readonly observeEvents: unknown;
  /** Identifies the caller; only in containers whose operations have postures. */
  readonly gate?: SurfaceGate;
  /** Runs an event through the container's own HTTP routes, through a front door of the surface. */
  serveHttp(door: SurfaceDoor, event: unknown, invocation: Invocation): Promise<unknown>;
  /** Returns the container's own HTTP route that would serve an event; for `explainTarget` of a surface with a front door. */
  explainHttp(door: SurfaceDoor, event: unknown): Target;
  /**
   * Passes an event to the container, except to the calling surface. The rule for invocations is applied again, so an agent's
   * event reaches no handler.
   */
  dispatch(event: unknown, invocation: Invocation): Promise<unknown>;
}

/** An event that is not an HTTP request, in the form that its context shows: a POST without query and body. */
export interface SurfaceEvent {
  /** The value of `ctx.triggerKind`. */
  readonly kind: TriggerKind;
  /** The value of `ctx.event`. */
  readonly event: unknown;
  /** The Lambda context of the invocation. */
  readonly lambdaContext: LambdaContext | undefined;
  /** The path of its request. Default `/`. */
  readonly path?: string;
  /** The headers of its request; names in any case. Default: none. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The value of `ctx.route`. Default `null`. */
  readonly route?: Route | null;
  /** A caller that is already identified. Default `null`. */
  readonly principal?: SecurePrincipal | null;
  /** Default: the tenant of the Lambda context. */
  readonly tenantId?: string;
}

/** A context that a surface created, with the functions to finish it. */
export interface SurfaceContext {
  /** For the gate and the handler. */
  readonly context: Context;
  /** The caller that the gate has accepted; `null` if absent. */
  readonly principal: SecurePrincipal | null;
  /** Aborts the invocation's signal. */
  abort(reason: unknown): void;
  /** Waits for the work that handlers have left, within its timeout and the deadline, and clears the timers. */
  end(): Promise<void>;
}

/**
 * Creates the context of an event that is not an HTTP request, for the gate of the container and for handlers. The surface
 * must call `end`.
 */
export function createSurfaceContext(
  { clock, ids, log, environment, observability, doors }: SurfaceHost,
  { kind, event, lambdaContext, path = '/', headers, route = null, principal = null, tenantId }: SurfaceEvent,
): SurfaceContext {
  const tenantOf = () => tenantId ?? trimmedText(lambdaContext?.tenantId);
  const runtime = { clock, ids, log, environment, observability, doors, copyPrincipal, tenantOf, traceHead: [] };
  const request = new IncomingRequest('POST', path, path, sourceOf(headers));
  const state = new ContextState(runtime, request, kind, event, lambdaContext);
  state.requestId = trimmedText(lambdaContext?.awsRequestId) || ids.newId();
  state.route = route;
  state.principal = principal;
  return {
    context: new RequestContext(state),
    get principal() {
      return state.principal;
    },
    abort: (reason) => state.abort(reason),
    async end() {
      state.span?.end({}, '');
      state.end(false);
      await state.settleDeliveries();
    },
  };
}

function sourceOf(given: SurfaceEvent['headers']): RequestSource {
  const headers = toHeaderMap(given);
  return {
    headers: () => headers,
    header: (name) => headers[name] ?? [],
    query: () => createMap(),
    cookieValues: () => headers.cookie ?? [],
    rawBody: '',
    isBase64: false,
    provenance: unknownProvenance,
  };
}

/** A middleware of events, as a container passes it on to its surfaces. `@sallyport/streams` has its whole type. */
export type SurfaceMiddleware = (ctx: never, event: unknown, next: () => Promise<unknown>) => unknown;

/** A front door of a surface, and the kind of its requests. */
export interface SurfaceDoor extends Door {
  /** The value of `ctx.triggerKind` for its requests. */
  readonly kind: string;
}

/** The gate of a container whose operations have postures. */
export interface SurfaceGate {
  /**
   * Rejects everything but a posture.
   *
   * @param place the registration as error messages name it: `PUBLISH /news`
   * @throws FrameworkError `framework: invalid auth posture: <place>`
   */
  assertPosture(posture: unknown, place: string): void;
  /**
   * Accepts the caller of an invocation, or throws; on success the context has the principal.
   *
   * @throws FrameworkError `app.unauthorized`, `app.forbidden`, or the error of the container's principal resolver
   */
  authorize(posture: unknown, ctx: Context): MaybePromise<undefined>;
}

/** The limits and features of a front door. */
export interface DoorTraits {
  /** The maximum number of bytes that the service accepts. */
  readonly maxAnswerBytes: number;
  /**
   * `collect`: a stream is read to its end first; `commit`: passed on after its first chunk, so that an earlier failure is
   * an ordinary error answer; `pass`: passed on unchanged; `refuse`: answered with `app.internal`.
   */
  readonly streams: 'collect' | 'commit' | 'pass' | 'refuse';
  /**
   * The size of an answer in bytes, as the service counts it. `undefined` for doors that pass the body unchanged; the others encode it
   * as a string in a JSON document.
   */
  readonly measure: ((response: OutgoingResponse, body: EncodedBody, event: unknown) => number) | undefined;
}

/** A body in a form that a JSON document can contain. */
export interface EncodedBody {
  /** Text, or base64 text. */
  readonly body: string;
  /** True if `body` is base64. */
  readonly isBase64Encoded: boolean;
}

/** The request in an event: method and path immediately, the rest when it is read. */
export interface DoorRequest {
  /** The method as the event has it. */
  readonly method: string;
  /** The path without the stage; not decoded and not yet canonical. */
  readonly path: string;
  /** The path as received. */
  readonly rawPath: string;
  /** Reads the remaining parts of the event. */
  readonly source: RequestSource;
}

/** A front door: two pure functions, and its limits and features. */
export interface Door {
  /** The limits and features of the door. */
  readonly traits: DoorTraits;
  /** Reads method and path of an event. */
  read(event: unknown): DoorRequest;
  /** The response document that the service expects. */
  write(response: OutgoingResponse, body: EncodedBody, event: unknown): Record<string, unknown>;
}
