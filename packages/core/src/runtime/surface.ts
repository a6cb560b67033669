import type { Context, Route } from '../context/context.js';
import { copyPrincipal, type SecurePrincipal } from '../context/principal.js';
import { ContextState, RequestContext } from '../context/request-context.js';
import type { Logger, Observability } from '../observability/hooks.js';
import { unknownProvenance } from '../request/provenance.js';
import { createMap, IncomingRequest, type RequestSource, toHeaderMap } from '../request/request.js';
import type { MaybePromise, OutgoingResponse } from '../response/response.js';
import type { DoorGuard } from './doors.js';
import {
  type Environment,
  type FullClock,
  type IdGenerator,
  type Invocation,
  type InvocationProvenance,
  type LambdaContext,
  type TriggerKind,
  trimmedText,
} from './invocation.js';

/** The handler that would serve an event, as shown by `explain`. */
export interface Target {
  /** Of record surfaces: each source of the batch. */
  readonly sources?: readonly { readonly name: string; readonly records: number; readonly handler: string | null }[];
  /** `GET /users/{id}`, `Query.note`, `$connect`, or the event-bus selector. */
  readonly route?: string;
  /** The function's name, `(anonymous)`, or `null` when none is registered. */
  readonly handler: string | null;
  /** `Authenticated(notes:read)`; `null` where there are no postures. */
  readonly posture: string | null;
  /** What would happen: a handler runs, or why none does. */
  readonly outcome: 'handled' | 'not_found' | 'method_not_allowed' | 'no_handler';
  /** What the service gets back: `v2 response`, `batch report`, … */
  readonly projection: string;
}

/** One registration of an opt-in surface, as `app.triggers()` lists it. */
export interface TriggerRecord {
  /** The kind of the events. */
  readonly kind: TriggerKind;
  /** Bucket, topic, Cognito source, …: what the registration is for. Event-bus registrations have a selector in its place. */
  readonly name?: string;
  /** What matters to a deployment. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The interface between packages: an object that serves some kinds of events. */
export interface Surface {
  /** The kinds of events that it serves. */
  readonly serves: readonly TriggerKind[];
  /**
   * Which invocations reach this surface; default `['provider']`. A surface that accepts `agent` gets every agent invocation,
   * whatever its event looks like, under the first kind that it serves; of one dispatcher only one surface may.
   */
  readonly accepts?: readonly InvocationProvenance[];
  /** Serves one event; what it gives goes back to the service as it is. */
  serve(kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown>;
  /** For `explain`: pure, runs nothing of the user's. Throws what `serve` would reject with before it runs anything. */
  explainTarget?(kind: TriggerKind, event: unknown): Target;
  /** Called once, when a container that took the surface is constructed. A second container throws. */
  attach?(host: SurfaceHost): void;
  /** The surface's registrations in order; joined into `triggers()` of the container. */
  triggers?(): readonly TriggerRecord[];
}

/** What containers and routers show of a handler in inventories and explanations. */
export function handlerName(handler: { readonly name: string }): string {
  return handler.name === '' ? '(anonymous)' : handler.name;
}

/** The parts of a container that a surface of its option `surfaces` may use. */
export interface SurfaceHost {
  /** The time of the container. */
  readonly clock: FullClock;
  /** Where ids come from. */
  readonly ids: IdGenerator;
  /** The environment variables of the container. */
  readonly environment: Environment;
  /** The container's own logger, not bound to an invocation. */
  readonly log: Logger;
  /** The front doors of the container, where they are named. */
  readonly doors?: DoorGuard | undefined;
  /** The hooks of the container. */
  readonly observability: Observability;
  /** Milliseconds before the end of the invocation from which no further work starts. */
  readonly deadlineMarginMs: number;
  /** True if a handler's error is replaced before the service sees it. */
  readonly maskErrors: boolean;
  /** Text of the error that replaces it. */
  readonly failureText: string;
  /** What `useEvents` has added, outermost first. The list grows while the application registers more. */
  readonly eventMiddlewares: readonly SurfaceMiddleware[];
  /** Makes what calls the hooks for a batch of events. Only `@sallyport/streams` knows its type. */
  readonly observeEvents: unknown;
  /** Identifies the caller; only in containers whose operations have postures. */
  readonly gate?: SurfaceGate;
  /** Runs an event through the container's own HTTP routes, behind a front door of the surface's. */
  serveHttp(door: SurfaceDoor, event: unknown, invocation: Invocation): Promise<unknown>;
  /** Says which of the container's own HTTP routes would serve an event; for `explainTarget` of a surface with a front door. */
  explainHttp(door: SurfaceDoor, event: unknown): Target;
  /**
   * Hands an event to the container without the asking surface. The rule for invocations is applied again, so an agent's
   * event reaches nothing by this way.
   */
  dispatch(event: unknown, invocation: Invocation): Promise<unknown>;
}

/** An event that is no HTTP request, as its context shows it: a POST without query and body. */
export interface SurfaceEvent {
  /** What `ctx.triggerKind` says. */
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
  /** A caller that is known already. Default `null`. */
  readonly principal?: SecurePrincipal | null;
  /** Default: the tenant of the Lambda context. */
  readonly tenantId?: string;
}

/** A context that a surface has made, and how it ends. */
export interface SurfaceContext {
  /** For the gate and the handler. */
  readonly context: Context;
  /** The caller that the gate has accepted; `null` for none. */
  readonly principal: SecurePrincipal | null;
  /** Aborts the invocation's signal. */
  abort(reason: unknown): void;
  /** Waits for the work that handlers have left, within its timeout and the deadline, and clears the timers. */
  end(): Promise<void>;
}

/**
 * Makes the context of an event that is no HTTP request: for the gate of the container, and for handlers that get one. The surface
 * ends it.
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
      await state.settleDeliveries();
      state.end();
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

/** A front door that a surface brings along, and the kind under which its requests run. */
export interface SurfaceDoor extends Door {
  /** What `ctx.triggerKind` says of its requests. */
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
   * @throws FrameworkError `app.unauthorized`, `app.forbidden`, or what the container's principal resolver throws
   */
  authorize(posture: unknown, ctx: Context): MaybePromise<undefined>;
}

/**
 * The largest serialised answer of a function that is called synchronously, in bytes; headers and escaping count. The guide states
 * a quota of 6 MB; the error of the service is "Exceeded maximum allowed payload size (6291556 bytes)".
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const LAMBDA_MAX_ANSWER_BYTES = 6_291_556;

/** The limits and features of a front door. */
export interface DoorTraits {
  /** Bytes that the service behind the door accepts. */
  readonly maxAnswerBytes: number;
  /**
   * `collect`: a stream is read to its end first; `commit`: passed on after its first chunk, so that an earlier failure is
   * an ordinary error answer; `pass`: passed on unchanged; `refuse`: answered with `app.internal`.
   */
  readonly streams: 'collect' | 'commit' | 'pass' | 'refuse';
  /**
   * What the service counts of an answer, in bytes. `undefined` at doors that leave the body as it is; the others encode it
   * as the text of a JSON document.
   */
  readonly measure: ((response: OutgoingResponse, body: EncodedBody, event: unknown) => number) | undefined;
}

/** A body as a JSON document can hold it. */
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
  /** Undecoded, stage cut, not yet canonical. */
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
  /** The document that the service behind this door expects. */
  write(response: OutgoingResponse, body: EncodedBody, event: unknown): Record<string, unknown>;
}
