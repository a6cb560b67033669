import type { Logger, MetricOptions } from '../observability/hooks.js';
import type { SourceProvenance } from '../request/provenance.js';
import type { Request } from '../request/request.js';
import type { MaybePromise, Response, Result } from '../response/response.js';
import type { InvocationProvenance, LambdaContext, TriggerKind } from '../runtime/invocation.js';
import type { SecurePrincipal } from './principal.js';

/** The registration that an invocation reached. */
export interface Route {
  /** What serves the registration: HTTP routes, GraphQL fields or WebSocket routes. */
  readonly surface: 'http' | 'appsync' | 'websocket';
  /** `''` on websocket. */
  readonly method: string;
  /** Canonical pattern, `Query.note`, or the route key. */
  readonly pattern: string;
}

/**
 * Everything that belongs to one request. Read-only but for the bag of `set` and `get`.
 *
 * @typeParam Names the path parameters that the route is known to have; `string` where the pattern is not known
 */
export interface Context<Names extends string = string> {
  /** The request itself: method, path, headers, query, cookies and body. */
  readonly request: Request;
  /** Percent-decoded once; a map without a prototype. */
  readonly params: Readonly<Record<Names, string>>;
  /** `null` before the match. */
  readonly route: Route | null;
  /** The detected kind; `direct` for `serve`. */
  readonly triggerKind: TriggerKind | 'direct';
  /** The raw event, `undefined` for `serve`. */
  readonly event: unknown;
  /** What Lambda passed beside the event; `undefined` for `serve` without one. */
  readonly lambdaContext: LambdaContext | undefined;
  /** What the Lambda context says of the caller: `provider`, `direct` or `agent`. Only `provider` events speak for AWS. */
  readonly invocationProvenance: InvocationProvenance;
  /** `''` at tier P0. */
  readonly requestId: string;
  /** Of the request's `traceparent` or `x-amzn-trace-id` header, else of the invocation; `''` where none is valid. */
  readonly traceId: string;
  /** The tenant that the call belongs to; `''` when nothing names one. */
  readonly tenantId: string;
  /** Who calls, as the auth hook or the gate found out; `''` for an anonymous call. */
  readonly authIdentity: string;
  /** Milliseconds left now; 0 when unknown. */
  readonly remainingMs: number;
  /** Aborts at the deadline, at a timeout, or when the client is gone and the door sees it. */
  readonly signal: AbortSignal;
  /** Whether the door sends bytes before the handler ends. */
  readonly canStream: boolean;
  /** Names of the stages passed so far; a copy. */
  readonly middlewareTrace: readonly string[];
  /**
   * The container's logger, with request id, trace, tenant and route of this invocation on every line. Bound on first use.
   *
   * @example
   * ctx.log.info('order placed', { order_id: order.id });
   */
  readonly log: Logger;
  /** Writes one value of a metric that `observability.metrics` declares; anything else is dropped, with one `warn`. */
  metric(name: string, value: number, options?: MetricOptions): void;
  /**
   * The first value of a header; `undefined` when it is missing, `''` when it is there and empty. The name in any case.
   *
   * @example
   * const language = ctx.header('Accept-Language') ?? 'en';
   */
  header(name: string): string | undefined;
  /** All values of a header, in order; the name in any case. Empty when the header is missing. */
  headerAll(name: string): readonly string[];
  /**
   * The first value of a query parameter, decoded; `undefined` when it is missing, `''` when it is there and empty. Names
   * are case-sensitive.
   *
   * @example
   * const page = Number(ctx.query('page') ?? '1');
   */
  query(name: string): string | undefined;
  /** All values of a query parameter, decoded, in order; empty when it is missing. */
  queryAll(name: string): readonly string[];
  /** The value of a cookie as it was sent, not decoded; `undefined` when it is missing. */
  cookie(name: string): string | undefined;
  /**
   * A path parameter, percent-decoded once; `''` when the route has none of that name. A malformed escape stays as it is.
   * Inside of a handler that is registered with its pattern in the source, other names do not compile.
   *
   * @example
   * app.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') }));
   */
  param(name: Names): string;
  /** A path parameter as it stands in the path, not decoded; `''` when it is missing. */
  rawParam(name: Names): string;
  /** The body as UTF-8 text; malformed sequences become U+FFFD. */
  bodyText(): string;
  /**
   * The body parsed as JSON; `null` for an empty body. Nothing is validated: `T` is a claim of the caller.
   *
   * @throws FrameworkError `app.bad_request` `invalid json` when the media type or the syntax is not JSON
   * @example
   * const { title } = ctx.bodyJson<{ title: string }>();
   */
  bodyJson<T = unknown>(): T;
  /**
   * Keeps a value for this invocation, for middleware and handlers that run later. A key of `contextKey` holds the value to its
   * type; what a text keeps comes back as `unknown`.
   *
   * @throws FrameworkError `app.bad_request` for a blank text, one that begins with `framework.`, and what is no key
   * @example
   * const currentUser = contextKey<User>('user');
   * ctx.set(currentUser, await loadUser(ctx.authIdentity));
   */
  set<T>(key: ContextKey<T>, value: NoInfer<T>): void;
  set(key: string, value: unknown): void;
  /**
   * A value that `set` kept, or one of the framework's own under `framework.`; `undefined` when there is none.
   *
   * @example
   * const user = ctx.get(currentUser); // User | undefined
   */
  get<T>(key: ContextKey<T>): T | undefined;
  get(key: string): unknown;
  /** The current time of the container's clock. */
  now(): Date;
  /** A new id of the container's generator; random UUIDs by default. */
  newId(): string;
  /**
   * The address of the client as the provider states it, and which provider; a fresh copy. Forwarding headers never
   * count.
   */
  sourceProvenance(): SourceProvenance;
  /** The client's address as the provider states it; `''` when unknown. */
  sourceIP(): string;
  /** A deep copy at each call, or `null`. */
  securePrincipal(): SecurePrincipal | null;
  /** The GraphQL part of an AppSync resolver event; `null` for any other event. */
  asAppSync(): AppSyncContext | null;
  /** The connection of a WebSocket event; `null` for any other event. */
  asWebSocket(): WebSocketContext | null;
}

/**
 * Serves a route: gets the context and gives the answer, or a promise of it.
 *
 * @typeParam Names the path parameters that the handler may read; `string` for any
 */
export type Handler<Names extends string = string> = (ctx: Context<Names>) => Result;
/** Runs the rest of the chain: further middleware and the handler. It may be called once. */
export type Next = (ctx: Context) => Promise<Response>;
/** Wraps handlers: may answer itself, or call `next(ctx)` and change what comes back. */
export type Middleware = (ctx: Context, next: Next) => Result;
/** Names the caller of an `authRequired` route of the open container; blank is 401. */
export type AuthHook = (ctx: Context) => MaybePromise<string>;
/** Answers instead of the route when `code` is not blank. */
export type PolicyHook = (ctx: Context) => MaybePromise<PolicyDecision | null | undefined>;

/** The refusal of a policy hook. */
export interface PolicyDecision {
  /** The error code of the answer, `app.forbidden` say; a blank code lets the request pass. */
  readonly code: string;
  /** The message of the answer; default: the code's own message. */
  readonly message?: string;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** What a GraphQL resolver event carries beside its synthesized request; `ctx.asAppSync()`. */
export interface AppSyncContext {
  /** The field that is resolved: `note`. */
  readonly fieldName: string;
  /** The type that has the field: `Query`, `Mutation`, or a type of the schema. */
  readonly parentTypeName: string;
  /** The arguments of the field. */
  readonly arguments: Record<string, unknown>;
  /** Who calls, as AppSync states it; its form depends on the API's authorization mode. */
  readonly identity: unknown;
  /** The parent's resolved value; empty for a root field. */
  readonly source: Record<string, unknown>;
  /** The variables of the GraphQL request. */
  readonly variables: Record<string, unknown>;
  /** The result of the previous function of a pipeline resolver. */
  readonly prev: unknown;
  /** Values that the functions of a pipeline resolver share. */
  readonly stash: Record<string, unknown>;
  /** The headers of the GraphQL request. */
  readonly requestHeaders: Record<string, unknown>;
  /** The selected fields as paths, `author/name`. */
  readonly selectionSetList: readonly string[];
  /** The selection set as GraphQL text. */
  readonly selectionSetGraphQL: string;
  /** The event as AppSync sent it. */
  readonly rawEvent: unknown;
}

/** A client of the gateway's connection management API, as `@sallyport/http/websocket` makes one. */
export interface WebSocketClient {
  /** Sends at most 128 KiB; `gone` when the connection no longer exists. */
  postToConnection(connectionId: string, data: Uint8Array): Promise<{ readonly gone: boolean }>;
  /** `null` when the connection no longer exists. */
  getConnection(connectionId: string): Promise<WebSocketConnection | null>;
  /** Closes a connection; does nothing when it no longer exists. */
  deleteConnection(connectionId: string): Promise<void>;
}

/** What the gateway knows of a connection. */
export interface WebSocketConnection {
  /** When the connection was opened; `undefined` when unknown. */
  readonly connectedAt: Date | undefined;
  /** When the connection was last used; `undefined` when unknown. */
  readonly lastActiveAt: Date | undefined;
  /** The client's address; `''` when unknown. */
  readonly sourceIp: string;
  /** The client's user agent; `''` when unknown. */
  readonly userAgent: string;
}

/** What a WebSocket event carries; `ctx.asWebSocket()`. */
export interface WebSocketContext {
  /** The id of the connection, for messages to it later. */
  readonly connectionId: string;
  /** `$connect`, `$disconnect`, `$default` or a key of the API's own. */
  readonly routeKey: string;
  /** `CONNECT`, `MESSAGE` or `DISCONNECT`. */
  readonly eventType: string;
  /** The domain of the API. */
  readonly domainName: string;
  /** The stage of the API. */
  readonly stage: string;
  /** The id of the API. */
  readonly apiId: string;
  /** Epoch milliseconds of the connection, 0 when unknown. */
  readonly connectedAt: number;
  /** Why the connection ended; `''` unless the event is a `$disconnect` that says so. */
  readonly disconnectReason: string;
  /** Close code of the connection (RFC 6455 section 7.4); 0 unless the event is a `$disconnect` that says so. */
  readonly disconnectStatusCode: number;
  /** URL that messages to connections are posted to; `''` when the event tells too little. */
  readonly managementEndpoint: string;
  /** The message's bytes, decoded; empty when the event has none. */
  readonly body: Uint8Array;
  /** Sends to this connection; throws `websocket.gone` (410) when it no longer exists. */
  sendMessage(data: Uint8Array | string): Promise<void>;
  /** Sends a value as JSON text to this connection; throws like `sendMessage`. */
  sendJSONMessage(value: unknown): Promise<void>;
  /** The client for messages to any connection of this API; made on the first call. */
  client(): Promise<WebSocketClient>;
}

/** How a surface binds what only it knows to the context. */
export interface ContextTransport {
  /** What `ctx.asAppSync()` gives. */
  appSync?(): AppSyncContext;
  /** What `ctx.asWebSocket()` gives. */
  webSocket?(): WebSocketContext;
  /** Values under the reserved `framework.` keys. */
  metadata?(key: string): unknown;
}

declare const VALUE: unique symbol;
/** Known to every copy of this package. */
const BRAND: unique symbol = Symbol.for('sallyport.ContextKey') as never;

/** A key of `ctx.set` and `ctx.get` that knows the type of its value. */
export interface ContextKey<T> {
  /** For people who read it in a debugger; two keys of one name are two keys. */
  readonly name: string;
  /** In the type only. */
  readonly [VALUE]?: (value: T) => T;
}

/**
 * A key for values that middlewares hand to handlers. Made once, beside the middleware that sets it, and imported where it is read.
 *
 * @param name says what is kept, for debuggers; other keys may have the same
 * @example
 * export const currentUser = contextKey<User>('user');
 * // in a middleware: ctx.set(currentUser, await users.load(ctx.authIdentity));
 * // in a handler: ctx.get(currentUser)?.email
 */
export function contextKey<T>(name: string): ContextKey<T> {
  return Object.freeze({ name, [BRAND]: true });
}

/** Whether a value was made by `contextKey`, of this copy of the package or another. */
export function isContextKey(value: unknown): value is ContextKey<unknown> {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: true })[BRAND] === true;
}
