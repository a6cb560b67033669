import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanAttributes, SpanKind, SpanLink, Span as SpanOfHook, SpanOrigin } from '@sallyport/core';
import { Deliveries, type DeliveryHolder, remainingMs } from '@sallyport/core/internal';
import { type EventData, type LinkData, SPAN_KIND, type SpanData, STATUS_ERROR } from '../../encoding/traces.js';
import { VERSION } from '../../internal/version.js';
import { AttributeMap, describe, NAMES } from './attributes.js';
import type { Ending } from './deadlines.js';
import { decideIdentity, randomHex } from './identity.js';
import { beginningOf, type OnwardSpan, type RemoteSpan, readRemote, toTraceparent, toTracestate } from './remote.js';
import type { Identity, TraceSettings } from './settings.js';

const MAX_EVENTS = 32;
const MAX_LINKS = 32;
/** Milliseconds before the end of the invocation at which its root ends. */
const END_MARGIN_MS = 50;
const SCOPE = { name: '@sallyport/otel', version: VERSION };

const CURRENT: unique symbol = Symbol.for('sallyport.otel.current-span/1') as never;

let current: AsyncLocalStorage<TraceSpan> | undefined;

/** Shared by all copies of this package. */
function storage(): AsyncLocalStorage<TraceSpan> {
  if (!current) {
    const shared = globalThis as { [CURRENT]?: AsyncLocalStorage<TraceSpan> };
    shared[CURRENT] ??= new AsyncLocalStorage();
    current = shared[CURRENT];
  }
  return current;
}

/** The span in which this code runs; `undefined` outside an invocation and without a tracer. */
export function activeSpan(): TraceSpan | undefined {
  return storage().getStore();
}

/** The spans of one invocation. It ends with its root, or just before the invocation times out. */
class Trace implements Ending {
  readonly settings: TraceSettings;
  /** `Infinity` without a deadline. */
  readonly endsMs: number;
  /** Children in the order in which they started. */
  readonly children: TraceSpan[] = [];
  readonly #origin: SpanOrigin | undefined;
  readonly #finished: TraceSpan[] = [];
  readonly #wallMs = Date.now();
  readonly #startedMs = performance.now();
  #identity: Identity | undefined;
  root: TraceSpan | undefined;
  isEnded = false;

  constructor(settings: TraceSettings, origin: SpanOrigin | undefined) {
    this.settings = settings;
    this.#origin = origin;
    const leftMs = remainingMs(origin?.invocation().lambdaContext) - END_MARGIN_MS;
    this.endsMs = leftMs > 0 ? this.#startedMs + leftMs : Number.POSITIVE_INFINITY;
    settings.deadlines.add(this);
    settings.exporter?.begin?.();
  }

  get identity(): Identity {
    this.#identity ??= decideIdentity(this.#origin, this.settings);
    return this.#identity;
  }

  /** Milliseconds since 1970 on a monotonic clock. */
  now(): number {
    return this.#wallMs + Math.max(performance.now() - this.#startedMs, 0);
  }

  timeOut(): void {
    this.root?.fail('app.timeout');
  }

  ended(span: TraceSpan): void {
    this.#finished.push(span);
    if (span === this.root) this.#end();
  }

  #end(): void {
    this.isEnded = true;
    const { exporter, resource, deadlines } = this.settings;
    deadlines.remove(this);
    if (!exporter || !this.identity.isSampled) return;
    const sent = exporter.export({ resource, scope: SCOPE, spans: this.#finished.map((span) => span.toData()) });
    const { waitMs = 0 } = exporter;
    if (!sent || waitMs === 0) return;
    const holder = this.#origin?.invocation();
    if (!canWait(holder)) return;
    holder.kept ??= new Deliveries(holder);
    holder.kept.keep(sent, waitMs);
  }
}

/** The framework's own invocations hold the answer back for pending work. */
function canWait(invocation: object | undefined): invocation is DeliveryHolder {
  return invocation !== undefined && 'kept' in invocation && 'clock' in invocation;
}

type Status = SpanData['status'];
const NO_FAILURE: Status = { code: 0 };
const NO_SPANS: readonly never[] = [];

/** A span: made by the framework, by `ctx.span`, or by a traced client. */
export class TraceSpan implements SpanOfHook, OnwardSpan {
  readonly trace: Trace;
  readonly attributes = new AttributeMap();
  readonly #parent: TraceSpan | undefined;
  readonly #start: Start;
  readonly #name: string;
  readonly #startMs: number;
  readonly #sender: RemoteSpan | undefined;
  #id = '';
  #events: EventData[] | undefined;
  #status = NO_FAILURE;
  #endMs = 0;

  constructor(trace: Trace, parent: TraceSpan | undefined, start: Start) {
    this.trace = trace;
    this.#parent = parent;
    this.#start = start;
    this.#startMs = trace.now();
    const { kind, name, attributes, origin } = start;
    this.#name = describe(kind, name, attributes, origin, this.attributes);
    // The producer of a record is a link of the record; the sender of a request is decided with the trace.
    this.#sender = parent && origin && readRemote(origin);
    if (parent) trace.children.push(this);
  }

  get traceId(): string {
    return this.trace.identity.traceId;
  }

  get spanId(): string {
    this.#id ||= randomHex(8);
    return this.#id;
  }

  get isSampled(): boolean {
    return this.trace.identity.isSampled;
  }

  /** The trace in which the request or the message began, if it differs. */
  get remoteTraceId(): string {
    const own = beginningOf(this.#sender);
    if (own !== '' && own !== this.traceId) return own;
    return this.#parent ? this.#parent.remoteTraceId : this.trace.identity.remoteTraceId;
  }

  get traceparent(): string {
    return toTraceparent(this);
  }

  get tracestate(): string {
    return toTracestate(this.trace.identity.state, this.remoteTraceId);
  }

  set(attributes: SpanAttributes): void {
    if (this.#endMs === 0) this.attributes.add(attributes, this.#start.kind === 'framework.span' ? undefined : NAMES);
  }

  addEvent(name: string, attributes: SpanAttributes): void {
    this.#events ??= [];
    if (this.#events.length < MAX_EVENTS) this.#events.push({ timeUnixNano: this.trace.now(), name, attributes });
  }

  /** Accepts the error of the framework, whose text never comes from an exception. */
  error(error: unknown): void {
    const { code } = (error ?? {}) as { readonly code?: unknown };
    this.#failed(typeof code === 'string' ? code : 'app.internal');
  }

  #failed(code: string): void {
    this.attributes.put('error.type', code);
    this.#status = { code: STATUS_ERROR, message: code };
  }

  /** Ends the span as failed. */
  fail(code: string): void {
    if (this.#endMs > 0) return;
    this.#failed(code);
    this.end();
  }

  end(): void {
    if (this.#endMs > 0) return;
    const { trace } = this;
    if (trace.isEnded) {
      this.#endMs = 1;
      trace.settings.countLate();
      return;
    }
    // A child that is still running when its root ends failed: its work did not complete within the invocation.
    if (!this.#parent) for (const child of trace.children.toReversed()) child.fail('app.timeout');
    this.#endMs = trace.now();
    trace.ended(this);
  }

  run<T>(run: () => T): T {
    return storage().run(this, run);
  }

  /** Starts a child. */
  child(start: Start): TraceSpan {
    return new TraceSpan(this.trace, this, start);
  }

  toData(): SpanData {
    const { identity } = this.trace;
    const { traceId } = identity;
    const [parent, linked] = this.#parent ? [undefined, this.#sender] : [identity.parent, identity.linked];
    const { links: given = NO_SPANS } = this.#start;
    const sender = (identity.parent ?? identity.linked)?.spanId;
    // A message that names the sender of its request has no second link to it.
    const others = given.length === 0 ? given : given.filter(({ spanId }) => spanId !== sender);
    const links = linked ? [linked, ...others] : others;
    const flags = identity.isSampled ? 0x101 : 0x100;
    return {
      traceId,
      spanId: this.spanId,
      traceState: identity.state || undefined,
      parentSpanId: (this.#parent ?? parent)?.spanId,
      name: this.#name,
      kind: kindOf(this.#start),
      startTimeUnixNano: this.#startMs,
      endTimeUnixNano: this.#endMs,
      attributes: this.attributes.values,
      droppedAttributesCount: this.attributes.dropped,
      events: this.#events ?? NO_SPANS,
      droppedEventsCount: 0,
      links: links.length === 0 ? NO_SPANS : links.slice(0, MAX_LINKS).flatMap(toLink),
      droppedLinksCount: Math.max(links.length - MAX_LINKS, 0),
      status: this.#status,
      flags: parent ? flags | 0x200 : flags,
    };
  }
}

/** Kind, name and attributes of a new span. */
export interface Start {
  readonly kind: SpanKind;
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly links?: readonly SpanLink[] | undefined;
  readonly origin?: SpanOrigin | undefined;
  /** A value of `SPAN_KIND`; default by kind and attributes. */
  readonly spanKind?: number;
}

function kindOf({ kind, spanKind, attributes }: Start): number {
  if (spanKind !== undefined) return spanKind;
  if (kind === 'framework.event') return SPAN_KIND.consumer;
  if (kind === 'framework.request' || attributes['mcp.method.name'] !== undefined) return SPAN_KIND.server;
  return SPAN_KIND.internal;
}

/** A link needs a span; the header of X-Ray can name the trace alone. */
function toLink(link: SpanLink | RemoteSpan): LinkData[] {
  const { traceId, spanId } = link;
  const traceState = 'state' in link ? link.state : link.traceState;
  const sampled = 'sampled' in link && link.sampled ? 1 : 0;
  return spanId ? [{ traceId, spanId, traceState: traceState || undefined, flags: 0x300 | sampled }] : [];
}

/** Starts the trace of an invocation with its root. */
export function startTrace(settings: TraceSettings, start: Start): TraceSpan {
  const { origin } = start;
  const trace = new Trace(settings, origin);
  const root = new TraceSpan(trace, undefined, start);
  trace.root = root;
  const { attributes } = root;
  if (origin && settings.attributesOf) attributes.add(settings.attributesOf(origin));
  const initMs = settings.takeInit();
  const { awsRequestId, invokedFunctionArn } = origin?.invocation().lambdaContext ?? {};
  attributes.put('faas.coldstart', initMs !== undefined);
  attributes.put('sallyport.invocation.id', awsRequestId);
  attributes.put('cloud.resource_id', invokedFunctionArn);
  if (initMs !== undefined) root.addEvent('init', { 'sallyport.init.duration_ms': initMs });
  return root;
}
