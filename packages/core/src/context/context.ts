import type { Logger, MetricOptions, SpanAttributes, SpanScope } from '../observability/hooks.js';
import type { Form, FormLimits } from '../request/form.js';
import type { SourceProvenance } from '../request/provenance.js';
import type { Request } from '../request/request.js';
import type { MaybePromise, Response, Result } from '../response/response.js';
import type { InvocationProvenance, LambdaContext, TriggerKind } from '../runtime/invocation.js';
import type { Route } from './route.js';
import type { SecurePrincipal } from './secure-principal.js';

/**
 * The request of an invocation, its data and its services. Read-only except for the values of `set` and `get`.
 *
 * @typeParam Names the names of the route's path parameters; `string` if the pattern is not a literal
 */
export interface Context<Names extends string = string> {
  /** The request itself: method, path, headers, query, cookies and body. */
  readonly request: Request;
  /** The path parameters, percent-decoded once; a map without a prototype. */
  readonly params: Readonly<Record<Names, string>>;
  /** The matched registration; `null` before the match. */
  readonly route: Route | null;
  /** The detected kind of the event, for example `gateway-v2`; `direct` for `serve`. */
  readonly triggerKind: TriggerKind | 'direct';
  /** The raw event, `undefined` for `serve`. */
  readonly event: unknown;
  /** The Lambda context that was passed with the event; `undefined` if `serve` was called without a context. */
  readonly lambdaContext: LambdaContext | undefined;
  /**
   * The source of the invocation, according to the Lambda context: `provider`, `direct` or `agent`. Trust the data of AWS in
   * the event only for `provider`.
   */
  readonly invocationProvenance: InvocationProvenance;
  /** The id of the request, for logs and error responses; `''` at tier P0. */
  readonly requestId: string;
  /** The trace id, from the header `traceparent` or `x-amzn-trace-id`, else from the invocation; `''` if no source has a valid id. */
  readonly traceId: string;
  /** The tenant of the call; `''` if absent. */
  readonly tenantId: string;
  /** The caller's identity, as verified by the auth hook or the gate; `''` for an anonymous call. */
  readonly authIdentity: string;
  /** Milliseconds until the function times out; 0 when unknown. */
  readonly remainingMs: number;
  /** Aborts at the deadline, at a timeout, or when the client disconnects. Pass it to `fetch` and other slow calls. */
  readonly signal: AbortSignal;
  /** True if the response can be streamed. */
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
  /** Writes one value of a metric that `observability.metrics` declares; other metrics are dropped with one `warn`. */
  metric(name: string, value: number, options?: MetricOptions): void;
  /**
   * Runs work inside a span of the option `observability.span`, which ends when the work returns, throws or settles. Without a tracer,
   * only calls the work.
   *
   * @param name a name with few values: `price the order`
   * @param attributes of the new span; add more with `set`
   * @example
   * const total = await ctx.span('price the order', () => price(order), { 'order.lines': order.lines.length });
   */
  span<T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T;
  /**
   * The first value of a header; `undefined` when it is missing, `''` when it is empty. The name in any case.
   *
   * @example
   * const language = ctx.header('Accept-Language') ?? 'en';
   */
  header(name: string): string | undefined;
  /** All values of a header, in order; the name in any case. Empty when the header is missing. */
  headerAll(name: string): readonly string[];
  /**
   * The first value of a query parameter, decoded; `undefined` when it is missing, `''` when it is empty. Names are
   * case-sensitive.
   *
   * @example
   * const page = Number(ctx.query('page') ?? '1');
   */
  query(name: string): string | undefined;
  /** All values of a query parameter, decoded, in order; empty when it is missing. */
  queryAll(name: string): readonly string[];
  /** The value of a cookie as sent, not decoded; `undefined` when it is missing. */
  cookie(name: string): string | undefined;
  /**
   * A path parameter, percent-decoded once; `''` when the route has no parameter of this name. A malformed escape is not
   * changed. In a handler whose pattern is a literal, other names do not compile.
   *
   * @example
   * app.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') }));
   */
  param(name: Names): string;
  /** A path parameter as sent in the path, not decoded; `''` when it is missing. */
  rawParam(name: Names): string;
  /** The body as UTF-8 text; malformed sequences become U+FFFD. */
  bodyText(): string;
  /**
   * The body parsed as JSON, never `null`. `T` is only asserted, not validated. If a body is optional, read
   * `bodyText()` first, or use `bind`, whose schema may also accept `null`.
   *
   * @throws FrameworkError `app.bad_request` `request body is empty`, `request body is null`, or `invalid json` for a body that is not valid
   *   JSON; `app.unsupported_media_type` for a body whose `content-type` is not JSON
   * @example
   * const { title } = ctx.bodyJson<{ title: string }>();
   */
  bodyJson<T = unknown>(): T;
  /**
   * The body of a form, `multipart/form-data` or `application/x-www-form-urlencoded`; without fields for an empty body. It is
   * parsed again at each call. Any other site can submit a form here with the cookies of its visitor: an operation that identifies
   * its caller by a cookie must check the header `origin`.
   *
   * @param limits bounds in bytes and numbers; see the README of `@sallyport/http` for their defaults
   * @throws FrameworkError `app.unsupported_media_type` for another media type, `app.bad_request` `invalid form` for a body that does not
   *   match its media type, `app.too_large` past a limit; `app.invalid_configuration` for an unknown or wrong limit
   * @example
   * const form = await ctx.bodyForm({ maxFiles: 1, maxFileBytes: 1_000_000 });
   * const title = form.field('title') ?? 'untitled';
   * const photo = form.file('photo')?.bytes;
   */
  bodyForm(limits?: FormLimits): Promise<Form>;
  /**
   * Stores a value for this invocation, for middleware and handlers that run later. With a key of `contextKey` the value is
   * typed; with a string key `get` returns `unknown`.
   *
   * @throws FrameworkError `app.bad_request` for a blank string, a string that begins with `framework.`, and a value that
   * is not a key
   * @example
   * const currentUser = contextKey<User>('user');
   * ctx.set(currentUser, await loadUser(ctx.authIdentity));
   */
  set<T>(key: ContextKey<T>, value: NoInfer<T>): void;
  set(key: string, value: unknown): void;
  /**
   * A value that `set` stored, or a value of the framework under `framework.`; `undefined` if absent.
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
   * The address of the client as reported by the provider, and the provider; a new copy. Forwarding headers are never used.
   */
  sourceProvenance(): SourceProvenance;
  /** The client's address as reported by the provider; `''` when unknown. */
  sourceIP(): string;
  /** The verified caller with its scopes and claims, or `null` for an anonymous caller; a deep copy at each call. */
  securePrincipal(): SecurePrincipal | null;
  /** The GraphQL part of an AppSync resolver event; `null` for any other event. */
  asAppSync(): AppSyncContext | null;
  /** The connection of a WebSocket event; `null` for any other event. */
  asWebSocket(): WebSocketContext | null;
}

/**
 * Serves a route: receives the context and returns the answer, or a promise of it.
 *
 * @typeParam Names the path parameters that the handler may read; `string` for any
 */
export type Handler<Names extends string = string> = (ctx: Context<Names>) => Result;
/** Runs the rest of the chain: further middleware and the handler. It may be called once. */
export type Next = (ctx: Context) => Promise<Response>;
/** Wraps handlers: it can return an answer, or call `next(ctx)` and change the response that it returns. */
export type Middleware = (ctx: Context, next: Next) => Result;
/** Returns the identity of the caller of an `authRequired` route of the open container; a blank identity is answered with 401. */
export type AuthHook = (ctx: Context) => MaybePromise<string>;
/** Answers instead of the route when `code` is not blank. */
export type PolicyHook = (ctx: Context) => MaybePromise<PolicyDecision | null | undefined>;

/** The decision of a policy hook to reject a request. */
export interface PolicyDecision {
  /** The error code of the answer, for example `app.forbidden`; with a blank code the request continues. */
  readonly code: string;
  /** The message of the answer; default: the code's own message. */
  readonly message?: string;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** The GraphQL data of a resolver event, in addition to its synthesized request; `ctx.asAppSync()`. */
export interface AppSyncContext {
  /** The field that is resolved: `note`. */
  readonly fieldName: string;
  /** The type that has the field: `Query`, `Mutation`, or a type of the schema. */
  readonly parentTypeName: string;
  /** The arguments of the field. */
  readonly arguments: Record<string, unknown>;
  /** The caller as reported by AppSync; its form depends on the API's authorization mode. */
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

/** A client of the gateway's connection management API, as created by `@sallyport/http/websocket`. */
export interface WebSocketClient {
  /** Sends at most 128 KiB; `gone` when the connection no longer exists. */
  postToConnection(connectionId: string, data: Uint8Array, options?: CallScope): Promise<{ readonly gone: boolean }>;
  /** `null` when the connection no longer exists. */
  getConnection(connectionId: string, options?: CallScope): Promise<WebSocketConnection | null>;
  /** Closes a connection; does nothing when it no longer exists. */
  deleteConnection(connectionId: string, options?: CallScope): Promise<void>;
}

/** The signal of a call, which also has a time limit. A context is accepted. */
export interface CallScope {
  /** Ends the call: it rejects with the signal's reason. A write in progress may still be applied. */
  readonly signal?: AbortSignal | undefined;
}

/** Information of API Gateway about a connection. */
export interface WebSocketConnection {
  /** The time when the connection was opened; `undefined` when unknown. */
  readonly connectedAt: Date | undefined;
  /** The time when the connection was last used; `undefined` when unknown. */
  readonly lastActiveAt: Date | undefined;
  /** The client's address; `''` when unknown. */
  readonly sourceIp: string;
  /** The client's user agent; `''` when unknown. */
  readonly userAgent: string;
}

/** The data of a WebSocket event; `ctx.asWebSocket()`. */
export interface WebSocketContext {
  /** The id of the connection, for messages to it later. */
  readonly connectionId: string;
  /** `$connect`, `$disconnect`, `$default` or a custom route key. */
  readonly routeKey: string;
  /** `CONNECT`, `MESSAGE` or `DISCONNECT`. */
  readonly eventType: string;
  /** The domain of the API. */
  readonly domainName: string;
  /** The stage of the API. */
  readonly stage: string;
  /** The id of the API. */
  readonly apiId: string;
  /** The time when the connection was opened, in epoch milliseconds; 0 if unknown. */
  readonly connectedAt: number;
  /** The reason why the connection was closed; `''` unless the event is a `$disconnect` with a reason. */
  readonly disconnectReason: string;
  /** Close code of the connection (RFC 6455 section 7.4); 0 unless the event is a `$disconnect` with a code. */
  readonly disconnectStatusCode: number;
  /** URL for messages to connections; `''` when the event does not have enough data. */
  readonly managementEndpoint: string;
  /** The message's bytes, decoded; empty if the event has no message. */
  readonly body: Uint8Array;
  /** Sends to this connection; throws `websocket.gone` (410) when it no longer exists. */
  sendMessage(data: Uint8Array | string): Promise<void>;
  /** Sends a value as JSON text to this connection; throws like `sendMessage`. */
  sendJSONMessage(value: unknown): Promise<void>;
  /** The client for messages to any connection of this API; created at the first call. */
  client(): Promise<WebSocketClient>;
}

/** Adds data of one surface to the context. */
export interface ContextTransport {
  /** The result of `ctx.asAppSync()`. */
  appSync?(): AppSyncContext;
  /** The result of `ctx.asWebSocket()`. */
  webSocket?(): WebSocketContext;
  /** Values under the reserved `framework.` keys. */
  metadata?(key: string): unknown;
}

/** The same in every copy of this package. */
const BRAND: unique symbol = Symbol.for('sallyport.core.context-key/1') as never;

/** A key for `ctx.set` and `ctx.get` with the type of its value. */
export interface ContextKey<T> {
  /** Shown in a debugger; two keys with the same name are different keys. */
  readonly name: string;
  /** Exists only in the type. The key is a string, because a `unique symbol` would differ between copies of this package. */
  readonly '~sallyport.value/1'?: (value: T) => T;
}

/**
 * Creates a key for values that middlewares pass to handlers. Create it once, next to the middleware that sets it, and
 * import it where it is read.
 *
 * @param name a name for debuggers; need not be unique
 * @example
 * export const currentUser = contextKey<User>('user');
 * // in a middleware: ctx.set(currentUser, await users.load(ctx.authIdentity));
 * // in a handler: ctx.get(currentUser)?.email
 */
export function contextKey<T>(name: string): ContextKey<T> {
  return Object.freeze({ name, [BRAND]: true });
}

/** True if a value was created by `contextKey`, of this copy of the package or another. */
export function isContextKey(value: unknown): value is ContextKey<unknown> {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: true })[BRAND] === true;
}
