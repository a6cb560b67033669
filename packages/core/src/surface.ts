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

/** The seam between packages: whatever serves some kinds of events. */
export interface Surface {
  readonly serves: readonly TriggerKind[];
  serve(kind: TriggerKind, event: unknown, invocation: Invocation): Promise<unknown>;
  /** For `explain`: pure, runs nothing of the user's. */
  explainTarget?(kind: TriggerKind, event: unknown): Target;
}

/** What containers and routers show of a handler in inventories and explanations. */
export function handlerName(handler: { readonly name: string }): string {
  return handler.name === '' ? '(anonymous)' : handler.name;
}
