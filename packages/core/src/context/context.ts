import type { Logger, MetricOptions } from '../observability/hooks.js';
import type { SourceProvenance } from '../request/provenance.js';
import type { Request } from '../request/request.js';
import type { MaybePromise, Response, Result } from '../response/response.js';
import type { InvocationProvenance, LambdaContext, TriggerKind } from '../runtime/invocation.js';
import type { SecurePrincipal } from './principal.js';

/** The registration that an invocation reached. */
export interface Route {
  readonly surface: 'http' | 'appsync' | 'websocket';
  /** `''` on websocket. */
  readonly method: string;
  /** Canonical pattern, `Query.note`, or the route key. */
  readonly pattern: string;
}

/** Everything that belongs to one request. Read-only but for the bag of `set` and `get`. */
export interface Context {
  readonly request: Request;
  /** Percent-decoded once; a map without a prototype. */
  readonly params: Readonly<Record<string, string>>;
  /** `null` before the match. */
  readonly route: Route | null;
  /** The detected kind; `direct` for `serve`. */
  readonly triggerKind: TriggerKind | 'direct';
  /** The raw event, `undefined` for `serve`. */
  readonly event: unknown;
  readonly lambdaContext: LambdaContext | undefined;
  /** What the Lambda context says of the caller: `provider`, `direct` or `agent`. Only `provider` events speak for AWS. */
  readonly invocationProvenance: InvocationProvenance;
  /** `''` at tier P0. */
  readonly requestId: string;
  readonly traceId: string;
  readonly tenantId: string;
  readonly authIdentity: string;
  /** Milliseconds left now; 0 when unknown. */
  readonly remainingMs: number;
  /** Aborts at the deadline, at a timeout, or when the client is gone and the door sees it. */
  readonly signal: AbortSignal;
  /** Whether the door sends bytes before the handler ends. */
  readonly canStream: boolean;
  /** Names of the stages passed so far; a copy. */
  readonly middlewareTrace: readonly string[];
  /** Bound to this invocation on first use. */
  readonly log: Logger;
  /** Writes one value of a metric that `observability.metrics` declares; anything else is dropped, with one `warn`. */
  metric(name: string, value: number, options?: MetricOptions): void;
  /** First value, or `''`; the name in any case. */
  header(name: string): string;
  headerAll(name: string): readonly string[];
  query(name: string): string;
  queryAll(name: string): readonly string[];
  cookie(name: string): string;
  /** Decoded once; a malformed escape stays as it is; `''` when missing. */
  param(name: string): string;
  rawParam(name: string): string;
  bodyText(): string;
  /** @throws FrameworkError `app.bad_request` `invalid json` when media type or syntax is not JSON; empty is `null` */
  bodyJson<T = unknown>(): T;
  /** @throws FrameworkError `app.bad_request` for a blank key or one that begins `framework.` */
  set(key: string, value: unknown): void;
  get(key: string): unknown;
  now(): Date;
  newId(): string;
  sourceProvenance(): SourceProvenance;
  sourceIP(): string;
  /** A deep copy at each call, or `null`. */
  securePrincipal(): SecurePrincipal | null;
  asAppSync(): AppSyncContext | null;
  asWebSocket(): WebSocketContext | null;
}

export type Handler = (ctx: Context) => Result;
export type Next = (ctx: Context) => Promise<Response>;
export type Middleware = (ctx: Context, next: Next) => Result;
/** Names the caller of an `authRequired` route of the open container; blank is 401. */
export type AuthHook = (ctx: Context) => MaybePromise<string>;
/** Answers instead of the route when `code` is not blank. */
export type PolicyHook = (ctx: Context) => MaybePromise<PolicyDecision | null | undefined>;

export interface PolicyDecision {
  readonly code: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** What a GraphQL resolver event carries beside its synthesized request; `ctx.asAppSync()`. */
export interface AppSyncContext {
  readonly fieldName: string;
  readonly parentTypeName: string;
  readonly arguments: Record<string, unknown>;
  readonly identity: unknown;
  readonly source: Record<string, unknown>;
  readonly variables: Record<string, unknown>;
  readonly prev: unknown;
  readonly stash: Record<string, unknown>;
  readonly requestHeaders: Record<string, unknown>;
  readonly selectionSetList: readonly string[];
  readonly selectionSetGraphQL: string;
  readonly rawEvent: unknown;
}

/** A client of the gateway's connection management API, as `@sallyport/http/websocket` makes one. */
export interface WebSocketClient {
  /** Sends at most 128 KiB; `gone` when the connection no longer exists. */
  postToConnection(connectionId: string, data: Uint8Array): Promise<{ readonly gone: boolean }>;
  /** `null` when the connection no longer exists. */
  getConnection(connectionId: string): Promise<WebSocketConnection | null>;
  deleteConnection(connectionId: string): Promise<void>;
}

export interface WebSocketConnection {
  readonly connectedAt: Date | undefined;
  readonly lastActiveAt: Date | undefined;
  readonly sourceIp: string;
  readonly userAgent: string;
}

/** What a WebSocket event carries; `ctx.asWebSocket()`. */
export interface WebSocketContext {
  readonly connectionId: string;
  readonly routeKey: string;
  readonly eventType: string;
  readonly domainName: string;
  readonly stage: string;
  readonly apiId: string;
  /** Epoch milliseconds of the connection, 0 when unknown. */
  readonly connectedAt: number;
  /** Why the connection ended; `''` unless the event is a `$disconnect` that says so. */
  readonly disconnectReason: string;
  /** Close code of the connection (RFC 6455 section 7.4); 0 unless the event is a `$disconnect` that says so. */
  readonly disconnectStatusCode: number;
  /** URL that messages to connections are posted to; `''` when the event tells too little. */
  readonly managementEndpoint: string;
  readonly body: Uint8Array;
  /** Sends to this connection; throws `websocket.gone` (410) when it no longer exists. */
  sendMessage(data: Uint8Array | string): Promise<void>;
  sendJSONMessage(value: unknown): Promise<void>;
  client(): Promise<WebSocketClient>;
}

/** How a surface binds what only it knows to the context. */
export interface ContextTransport {
  appSync?(): AppSyncContext;
  webSocket?(): WebSocketContext;
  /** Values under the reserved `framework.` keys. */
  metadata?(key: string): unknown;
}
