import { FrameworkError, internalError } from '../errors/errors.js';
import type { ActiveSpan } from '../observability/active-span.js';
import { type BoundFields, bindLogger, type Deliveries, type DeliveryHolder } from '../observability/bound-log.js';
import type { InvocationEnd } from '../observability/ending.js';
import {
  emitMetric,
  type Logger,
  type MetricOptions,
  NO_SPAN,
  type Observability,
  type SpanAttributes,
  type SpanScope,
} from '../observability/hooks.js';
import { decodePercent, isJsonMediaType, unsupportedMediaType } from '../request/encoding.js';
import type { Form, FormLimits } from '../request/form.js';
import { invocationTraceId, otherTraceId, type SourceProvenance } from '../request/provenance.js';
import { createMap, type IncomingRequest, type Request } from '../request/request.js';
import type { DoorGuard } from '../runtime/doors.js';
import {
  type Environment,
  type FullClock,
  type IdGenerator,
  type InvocationProvenance,
  invocationProvenance,
  type LambdaContext,
  remainingMs,
  type TriggerKind,
} from '../runtime/invocation.js';
import {
  type AppSyncContext,
  type Context,
  type ContextKey,
  type ContextTransport,
  isContextKey,
  type WebSocketContext,
} from './context.js';
import type { Route } from './route.js';
import type { SecurePrincipal } from './secure-principal.js';

const NO_NAMES: readonly string[] = [];

/** Data that all invocations of one container share. */
export interface ContextRuntime {
  /** The time of the container. */
  readonly clock: FullClock;
  /** The generator for `ctx.newId` and request ids. */
  readonly ids: IdGenerator;
  /** The container's own logger; contexts bind it. */
  readonly log: Logger;
  /** The environment variables of the container. */
  readonly environment: Environment;
  /** The front doors of the container; without it, events of front doors are accepted from any invocation. */
  readonly doors?: DoorGuard | undefined;
  /** The target of `ctx.metric`; without it nothing is written. */
  readonly observability?: Observability | undefined;
  /** Stage names with which the trace of every context of this container begins. */
  readonly traceHead: readonly string[];
  /** For containers with principals: creates the deep copy that handlers receive. */
  readonly copyPrincipal?: (principal: SecurePrincipal) => SecurePrincipal;
  /**
   * Reads the body of a form. A member, so that bundles without request bodies do not contain the parser. It is `undefined`
   * if no request has a body.
   */
  readonly parseForm?: (contentType: string, body: Uint8Array, limits?: FormLimits) => Promise<Form>;
  /** Returns the tenant of an invocation; called once, at the first read. */
  readonly tenantOf: (state: ContextState) => string;
}

/**
 * The value of a JSON body that is not empty, `null` included. A WebSocket message has no headers, so it needs no media type.
 *
 * @throws FrameworkError `app.unsupported_media_type`, `app.bad_request` `invalid json`
 */
export function parseJsonBody(ctx: Pick<Context, 'asWebSocket' | 'bodyText' | 'header'>): unknown {
  const contentType = ctx.header('content-type') ?? '';
  if (!isJsonMediaType(contentType) && !ctx.asWebSocket()) throw unsupportedMediaType(contentType, 'application/json');
  try {
    return JSON.parse(ctx.bodyText());
  } catch (cause) {
    throw new FrameworkError('app.bad_request', 'invalid json', { cause });
  }
}

/** Stages that not every invocation passes, in their order, as bits of `passed`. */
export const STAGE = { cors: 1, auth: 2, handler: 4 } as const;
/** Their names in the trace, by bit. */
const OPTIONAL_STAGES: readonly string[] = ['cors', 'auth', 'handler'];

/** The state that the pipeline writes and the context shows. One for each invocation, shared by its derived contexts. */
export class ContextState implements DeliveryHolder {
  /** Data that the container's invocations share. */
  declare readonly runtime: ContextRuntime;
  /** The request. */
  declare readonly request: IncomingRequest;
  /** The detected kind; `direct` for `serve`. */
  declare readonly triggerKind: TriggerKind | 'direct';
  /** The raw event; `undefined` for `serve`. */
  declare readonly event: unknown;
  /** The Lambda context that was passed with the event. */
  declare readonly lambdaContext: LambdaContext | undefined;
  /** `''` at tier P0. */
  declare requestId: string;
  /** The identity that the auth hook returned; `''` if absent. */
  declare authIdentity: string;
  /** The principal that the gate accepted. */
  declare principal: SecurePrincipal | null;
  /** The access rule of the matched operation; `undefined` before the gate, and for a rule that needs no caller. */
  declare posture: { readonly kind: string; readonly scopes: readonly string[] } | undefined;
  /** Fields of `request.completed` for a request whose operation is not its route, such as the called tool. */
  declare recorded: object | undefined;
  /** Returns the challenge of a 403 for missing scopes; set by a resolver whose clients can request more scopes. */
  declare scopeChallenge: ((needed: readonly string[]) => string) | undefined;
  /** The matched registration; `null` before the match. */
  declare route: Route | null;
  /** Names of the path parameters, in the order of `paramValues`. */
  declare paramNames: readonly string[];
  /** Values of the path parameters, not decoded. */
  declare paramValues: readonly string[];
  /** Data of this invocation's surface. */
  declare transport: ContextTransport | undefined;
  /** True if the front door can send bytes before the handler ends. */
  declare canStream: boolean;
  /** Optional stages passed so far, as bits of {@link STAGE}. */
  declare passed: number;
  /** Number of entered middlewares; used to detect a second `next()`. */
  declare depth: number;
  /** The values of `ctx.set`; `undefined` until the first call. */
  declare bag: Map<string | ContextKey<unknown>, unknown> | undefined;
  /** Work that the answer waits for. */
  declare kept: Deliveries | undefined;
  /** The trace context of the message in a request, for a request without trace headers; `undefined` if absent. */
  declare carried: Readonly<Record<string, string>> | undefined;
  /** The span of the request; `undefined` without a tracer. */
  declare span: ActiveSpan | undefined;
  /** Lines and metric values that wait for the end of the invocation. */
  declare ending: InvocationEnd | undefined;
  declare private tenant: string | undefined;
  declare private trace: string | undefined;
  declare private controller: AbortController | undefined;
  declare private aborted: { reason: unknown } | undefined;
  declare private stopTimer: (() => void) | undefined;

  constructor(
    runtime: ContextRuntime,
    request: IncomingRequest,
    triggerKind: TriggerKind | 'direct',
    event: unknown,
    lambdaContext: LambdaContext | undefined,
  ) {
    this.runtime = runtime;
    this.request = request;
    this.triggerKind = triggerKind;
    this.event = event;
    this.lambdaContext = lambdaContext;
    this.requestId = '';
    this.authIdentity = '';
    this.principal = null;
    this.posture = undefined;
    this.recorded = undefined;
    this.scopeChallenge = undefined;
    this.route = null;
    this.paramNames = NO_NAMES;
    this.paramValues = NO_NAMES;
    this.transport = undefined;
    this.canStream = false;
    this.passed = 0;
    this.depth = 0;
    this.bag = undefined;
    this.tenant = undefined;
    this.trace = undefined;
    this.controller = undefined;
    this.aborted = undefined;
    this.stopTimer = undefined;
    this.kept = undefined;
    this.span = undefined;
    this.carried = undefined;
    this.ending = undefined;
  }

  /** The tenant, determined at the first read; `''` if absent. */
  get tenantId(): string {
    this.tenant ??= this.runtime.tenantOf(this);
    return this.tenant;
  }

  set tenantId(tenant: string) {
    this.tenant = tenant;
  }

  /** From the request's headers, else from the invocation; `''` when neither has a valid one. */
  get traceId(): string {
    this.trace ??= this.request.traceId || invocationTraceId(this.lambdaContext, this.runtime.environment);
    return this.trace;
  }

  /** Milliseconds left now; 0 when unknown. */
  get remainingMs(): number {
    return remainingMs(this.lambdaContext);
  }

  /** Created at first use; aborts at the deadline. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      const controller = new AbortController();
      this.controller = controller;
      if (this.aborted) controller.abort(this.aborted.reason);
      else this.watchDeadline(controller);
    }
    return this.controller.signal;
  }

  private watchDeadline(controller: AbortController): void {
    const remaining = this.remainingMs;
    if (remaining <= 0) return;
    this.stopTimer = this.runtime.clock.after(remaining, () => controller.abort(new FrameworkError('app.timeout')));
  }

  /** Aborts the invocation's signal; a signal that is read later is already aborted. */
  abort(reason: unknown): void {
    this.aborted ??= { reason };
    this.stopTimer?.();
    this.controller?.abort(reason);
  }

  /** The time of the container. */
  get clock(): FullClock {
    return this.runtime.clock;
  }

  /** Settles when pending deliveries are done, within their timeouts and the deadline; `undefined` if there are no deliveries. */
  settleDeliveries(): Promise<void> | undefined {
    const known = typeof this.lambdaContext?.getRemainingTimeInMillis === 'function';
    return this.kept?.settle(known ? this.remainingMs : undefined);
  }

  /**
   * Clears the timers of the invocation.
   *
   * @param failed true if it failed; `undefined` if the steps of its end are called later
   */
  end(failed?: boolean): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
    if (failed !== undefined) this.ending?.end(failed);
  }
}

/**
 * The same in every copy of this package: contexts of one copy are accepted by another. A name, and not a symbol, because bundlers keep a
 * class with a computed member in every bundle that has something of this file.
 */
const BRAND = 'sallyport.RequestContext';

/** The only implementation of {@link Context}. */
export class RequestContext implements Context {
  /** The state that the pipeline writes and derived contexts share. */
  declare readonly state: ContextState;
  declare private readonly ownSignal: AbortSignal | undefined;
  declare private paramMap: Record<string, string> | undefined;
  declare private boundLog: Logger | undefined;

  constructor(state: ContextState, signal?: AbortSignal) {
    this.state = state;
    this.ownSignal = signal;
    this.paramMap = undefined;
    this.boundLog = undefined;
  }

  /** Defined on the prototype, so that a copy by spread does not have it. */
  get 'sallyport.RequestContext'(): true {
    return true;
  }

  get request(): Request {
    return this.state.request;
  }

  get params(): Readonly<Record<string, string>> {
    if (this.paramMap === undefined) {
      this.paramMap = createMap<string>();
      for (const name of this.state.paramNames) this.paramMap[name] = this.param(name);
    }
    return this.paramMap;
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
    return this.state.traceId;
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
    return this.ownSignal ?? this.state.signal;
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
    this.boundLog ??= bindLogger(state.runtime.log, boundFields(state), () => state);
    return this.boundLog;
  }

  metric(name: string, value: number, options?: MetricOptions): void {
    const { observability } = this.state.runtime;
    if (observability) emitMetric(observability, { name, value, options }, this.state);
  }

  span<T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T {
    const { span } = this.state;
    return span ? span.within(name, run, attributes) : run(NO_SPAN);
  }

  header(name: string): string | undefined {
    return this.headerAll(name)[0];
  }

  headerAll(name: string): readonly string[] {
    return this.state.request.headerValues(name.toLowerCase());
  }

  query(name: string): string | undefined {
    return this.queryAll(name)[0];
  }

  queryAll(name: string): readonly string[] {
    return this.state.request.query[name] ?? NO_NAMES;
  }

  cookie(name: string): string | undefined {
    return this.state.request.cookies[name];
  }

  param(name: string): string {
    const { paramValues, paramNames } = this.state;
    const raw = paramValues[paramNames.indexOf(name)] ?? '';
    return raw.includes('%') ? decodePercent(raw) : raw;
  }

  rawParam(name: string): string {
    return this.state.paramValues[this.state.paramNames.indexOf(name)] ?? '';
  }

  bodyText(): string {
    return this.state.request.text;
  }

  bodyJson<T = unknown>(): T {
    if (this.bodyText() === '') throw new FrameworkError('app.bad_request', 'request body is empty');
    const value = parseJsonBody(this);
    if (value === null) throw new FrameworkError('app.bad_request', 'request body is null');
    return value as T;
  }

  async bodyForm(limits?: FormLimits): Promise<Form> {
    const { request, runtime } = this.state;
    const contentType = this.header('content-type') ?? '';
    if (!runtime.parseForm)
      throw unsupportedMediaType(contentType, 'that of a form, which these invocations do not have');
    return runtime.parseForm(contentType, request.body, limits);
  }

  set(key: string | ContextKey<unknown>, value: unknown): void {
    if (typeof key === 'string' ? key.trim() === '' : !isContextKey(key)) {
      throw new FrameworkError('app.bad_request', 'context key is empty');
    }
    if (typeof key === 'string' && key.startsWith(RESERVED_PREFIX)) {
      throw new FrameworkError('app.bad_request', 'context key is reserved', { details: { key } });
    }
    const { state } = this;
    state.bag ??= new Map();
    state.bag.set(key, value);
  }

  get<T>(key: ContextKey<T>): T | undefined;
  get(key: string): unknown;
  get(key: string | ContextKey<unknown>): unknown {
    if (typeof key === 'string' && key.startsWith(RESERVED_PREFIX)) return this.state.transport?.metadata?.(key);
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

  /** The form of a context in `JSON.stringify` and in logs: it excludes the event, the headers and the environment. */
  toJSON(): object {
    const { requestId, traceId, triggerKind, route } = this.state;
    return { requestId, traceId, triggerKind, route };
  }

  asAppSync(): AppSyncContext | null {
    return this.state.transport?.appSync?.() ?? null;
  }

  asWebSocket(): WebSocketContext | null {
    return this.state.transport?.webSocket?.() ?? null;
  }
}

/** Keys with this prefix are part of the contract between runtimes; only the framework writes them. */
export const RESERVED_PREFIX = 'framework.';

/** A context of the same invocation with another signal: it shares principal, stored values, transport and ids. */
export function deriveContext(ctx: Context, { signal }: { readonly signal: AbortSignal }): Context {
  return new RequestContext(stateOf(ctx), signal);
}

/**
 * The state of a context, including a context of another copy of this package.
 *
 * @throws FrameworkError `app.internal` for an object that is not a context: a copy by spread, an object that inherits from one
 */
export function stateOf(ctx: Context): ContextState {
  const own = ctx as Partial<RequestContext> | null | undefined;
  if (typeof own === 'object' && own?.[BRAND] === true && Object.hasOwn(own, 'state') && own.state) return own.state;
  throw internalError(
    'a middleware or helper got a value that is not a context of the framework; pass on the ctx that you received, not a copy of it',
  );
}

/** The fields of every line of an invocation; read for each line, because tenant and route become known late. */
function boundFields(state: ContextState): BoundFields {
  return {
    get request_id() {
      return state.requestId;
    },
    get trace_id() {
      return state.span?.id('traceId') || state.traceId;
    },
    get remote_trace_id() {
      return state.span?.id('remoteTraceId') ?? '';
    },
    get xray_trace_id() {
      return otherTraceId(this.trace_id, state.lambdaContext, state.runtime.environment);
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
