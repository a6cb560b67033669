import { FrameworkError, internalError } from '../errors/errors.js';
import { bindLogger } from '../observability/bound-log.js';
import {
  emitMetric,
  type Logger,
  type MetricOptions,
  NO_SPAN,
  type SpanAttributes,
  type SpanScope,
} from '../observability/hooks.js';
import { decodePercent, unsupportedMediaType } from '../request/encoding.js';
import type { Form, FormLimits } from '../request/form.js';
import type { SourceProvenance } from '../request/provenance.js';
import { createMap, type Request } from '../request/request.js';
import {
  type InvocationProvenance,
  invocationProvenance,
  type LambdaContext,
  type TriggerKind,
} from '../runtime/invocation.js';
import { type AppSyncContext, type Context, type ContextKey, isContextKey, type WebSocketContext } from './context.js';
import type { ContextState } from './context-state.js';
import { boundFields } from './internal/bound-fields.js';
import { parseJsonBody } from './json-body.js';
import type { Route } from './route.js';
import type { SecurePrincipal } from './secure-principal.js';

const NO_NAMES: readonly string[] = [];

/** The names of `STAGE` in the trace, by bit. */
const OPTIONAL_STAGES: readonly string[] = ['cors', 'auth', 'handler'];

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
