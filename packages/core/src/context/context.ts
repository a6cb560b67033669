import { FrameworkError, internalError } from '../errors/errors.js';
import { type BoundFields, bindLogger } from '../observability/bound-log.js';
import { emitMetric, type Logger, type MetricOptions } from '../observability/hooks.js';
import { isJsonMediaType } from '../request/encoding.js';
import { createMap } from '../request/maps.js';
import { decodePercent } from '../request/percent.js';
import type { SourceProvenance } from '../request/provenance.js';
import type { Request } from '../request/request.js';
import type { MaybePromise, Response, Result } from '../response/response.js';
import { type InvocationProvenance, invocationProvenance } from '../runtime/invocation.js';
import type { LambdaContext, TriggerKind } from '../runtime/surface.js';
import { type ContextState, OPTIONAL_STAGES } from './context-state.js';
import type { SecurePrincipal } from './principal.js';
import type { AppSyncContext, WebSocketContext } from './transport.js';

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

const NO_NAMES: readonly string[] = [];

/** The one implementation of {@link Context}. */
export class RequestContext implements Context {
  readonly state: ContextState;
  readonly #signal: AbortSignal | undefined;
  #params: Record<string, string> | undefined;
  #log: Logger | undefined;

  constructor(state: ContextState, signal?: AbortSignal) {
    this.state = state;
    this.#signal = signal;
  }

  /** The state of a context that this class made itself; `undefined` for anything else, a copy or a wrapper too. */
  static stateOf(value: unknown): ContextState | undefined {
    return typeof value === 'object' && value !== null && #params in value ? value.state : undefined;
  }

  get request(): Request {
    return this.state.request;
  }

  get params(): Readonly<Record<string, string>> {
    if (this.#params === undefined) {
      this.#params = createMap<string>();
      for (const name of this.state.paramNames) this.#params[name] = this.param(name);
    }
    return this.#params;
  }

  get route(): Route | null {
    return this.state.route;
  }

  get triggerKind(): TriggerKind | 'direct' {
    return this.state.triggerKind;
  }

  get event(): unknown {
    return this.state.event;
  }

  get lambdaContext(): LambdaContext | undefined {
    return this.state.lambdaContext;
  }

  get invocationProvenance(): InvocationProvenance {
    return invocationProvenance(this.state.lambdaContext);
  }

  get requestId(): string {
    return this.state.requestId;
  }

  get traceId(): string {
    return this.state.request.traceId;
  }

  get tenantId(): string {
    return this.state.tenantId;
  }

  get authIdentity(): string {
    return this.state.authIdentity;
  }

  get remainingMs(): number {
    return this.state.remainingMs;
  }

  get signal(): AbortSignal {
    return this.#signal ?? this.state.signal;
  }

  get canStream(): boolean {
    return this.state.canStream;
  }

  get middlewareTrace(): readonly string[] {
    const { runtime, passed } = this.state;
    return [...runtime.traceHead, ...OPTIONAL_STAGES.filter((_, index) => (passed & (1 << index)) !== 0)];
  }

  get log(): Logger {
    const { state } = this;
    this.#log ??= bindLogger(state.runtime.log, boundFields(state), () => state.deliveries);
    return this.#log;
  }

  metric(name: string, value: number, options?: MetricOptions): void {
    const { observability } = this.state.runtime;
    if (observability) emitMetric(observability, name, value, options, this.state);
  }

  header(name: string): string {
    return this.headerAll(name)[0] ?? '';
  }

  headerAll(name: string): readonly string[] {
    return this.state.request.headerValues(name.toLowerCase());
  }

  query(name: string): string {
    return this.queryAll(name)[0] ?? '';
  }

  queryAll(name: string): readonly string[] {
    return this.state.request.query[name] ?? NO_NAMES;
  }

  cookie(name: string): string {
    return this.state.request.cookies[name] ?? '';
  }

  param(name: string): string {
    return decodePercent(this.rawParam(name));
  }

  rawParam(name: string): string {
    return this.state.paramValues[this.state.paramNames.indexOf(name)] ?? '';
  }

  bodyText(): string {
    return this.state.request.text;
  }

  bodyJson<T = unknown>(): T {
    const text = this.state.request.text;
    if (text === '') return null as T;
    if (!isJsonMediaType(this.header('content-type'))) throw new FrameworkError('app.bad_request', 'invalid json');
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new FrameworkError('app.bad_request', 'invalid json', { cause });
    }
  }

  set(key: string, value: unknown): void {
    if (typeof key !== 'string' || key.trim() === '') {
      throw new FrameworkError('app.bad_request', 'context key is empty');
    }
    if (key.startsWith(RESERVED_PREFIX)) {
      throw new FrameworkError('app.bad_request', 'context key is reserved', { details: { key } });
    }
    const { state } = this;
    state.bag ??= new Map();
    state.bag.set(key, value);
  }

  get(key: string): unknown {
    if (key.startsWith(RESERVED_PREFIX)) return this.state.transport?.metadata?.(key);
    return this.state.bag?.get(key);
  }

  now(): Date {
    return this.state.runtime.clock.now();
  }

  newId(): string {
    return this.state.runtime.ids.newId();
  }

  sourceProvenance(): SourceProvenance {
    return this.state.request.sourceProvenance;
  }

  sourceIP(): string {
    return this.state.request.sourceProvenance.sourceIP;
  }

  securePrincipal(): SecurePrincipal | null {
    const { principal, runtime } = this.state;
    return principal === null ? null : (runtime.copyPrincipal?.(principal) ?? null);
  }

  asAppSync(): AppSyncContext | null {
    return this.state.transport?.appSync?.() ?? null;
  }

  asWebSocket(): WebSocketContext | null {
    return this.state.transport?.webSocket?.() ?? null;
  }
}

/** Keys under this prefix are a wire contract between runtimes; only the framework writes them. */
export const RESERVED_PREFIX = 'framework.';

/** A context of the same invocation with another signal: it shares principal, bag, transport and ids. */
export function deriveContext(ctx: Context, { signal }: { readonly signal: AbortSignal }): Context {
  return new RequestContext(stateOf(ctx), signal);
}

/**
 * The state behind a context.
 *
 * @throws FrameworkError `app.internal` for an object that the framework did not make
 */
export function stateOf(ctx: Context): ContextState {
  const state = RequestContext.stateOf(ctx);
  if (state === undefined) {
    throw internalError(
      'a context that this copy of @sallyport/core did not make; hand on the ctx that you were given, and install one version of core',
    );
  }
  return state;
}

/** The fields that every line of an invocation carries; read at each line, for tenant and route become known late. */
function boundFields(state: ContextState): BoundFields {
  return {
    get request_id() {
      return state.requestId;
    },
    get trace_id() {
      return state.request.traceId;
    },
    get tenant_id() {
      return state.tenantId;
    },
    trigger: state.triggerKind,
    get route() {
      return state.route?.pattern ?? '';
    },
    function_name: state.lambdaContext?.functionName ?? '',
    function_version: state.lambdaContext?.functionVersion ?? '',
  };
}
