import type { InvocationProvenance } from './invocation.js';
import type { SurfaceHost } from './surface-host.js';

/** The kinds of the fixed detection table, in its order. */
export const TRIGGER_KINDS = [
  'queue',
  'table-stream',
  'stream',
  'topic',
  'event-bus',
  'appsync',
  'websocket',
  'gateway-v2',
  'function-url',
  'load-balancer',
  'gateway-v1',
] as const;

/** A kind of the fixed table, or one that a trigger extension adds. */
export type TriggerKind = (typeof TRIGGER_KINDS)[number] | (string & {});

/** The parts of the Lambda service's context object that the framework reads. All may be missing. */
export interface LambdaContext {
  readonly awsRequestId?: string | undefined;
  readonly functionName?: string | undefined;
  readonly functionVersion?: string | undefined;
  readonly invokedFunctionArn?: string | undefined;
  readonly tenantId?: string | undefined;
  /** The invocation's own X-Ray header or trace id, where the runtime puts it on the context. */
  readonly xRayTraceId?: string;
  readonly traceId?: string;
  /** What the caller of the `Invoke` API put beside the event, parsed from JSON; absent for every trigger of AWS. */
  readonly clientContext?: unknown;
  /** The Cognito identity of a caller that invoked through a mobile SDK. */
  readonly identity?: unknown;
  getRemainingTimeInMillis?(): number;
}

/** One call of the function, apart from its event. */
export interface Invocation {
  readonly lambdaContext: LambdaContext | undefined;
}

/** What would serve an event; the answer of `explain`. */
export interface Target {
  /** Of record surfaces: each source of the batch. */
  readonly sources?: readonly { readonly name: string; readonly records: number; readonly handler: string | null }[];
  /** `GET /users/{id}`, `Query.note`, `$connect`, or the event-bus selector. */
  readonly route?: string;
  /** The function's name, `(anonymous)`, or `null` when none is registered. */
  readonly handler: string | null;
  /** `Authenticated(notes:read)`; `null` where there are no postures. */
  readonly posture: string | null;
  readonly outcome: 'handled' | 'not_found' | 'method_not_allowed' | 'no_handler';
  /** What the service gets back: `v2 response`, `batch report`, … */
  readonly projection: string;
}

/** One registration of an opt-in surface, as `app.triggers()` lists it. */
export interface TriggerRecord {
  readonly kind: TriggerKind;
  /** Bucket, topic, Cognito source, …: what the registration is for. Event-bus registrations have a selector in its place. */
  readonly name?: string;
  /** What matters to a deployment. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The seam between packages: whatever serves some kinds of events. */
export interface Surface {
  readonly serves: readonly TriggerKind[];
  /**
   * Which invocations reach this surface; default `['provider']`. A surface that accepts `agent` gets every agent invocation,
   * whatever its event looks like, under the first kind that it serves; of one dispatcher only one surface may.
   */
  readonly accepts?: readonly InvocationProvenance[];
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
