import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanAttributes, SpanKind, SpanLink, Span as SpanOfHook, SpanOrigin } from '@sallyport/core';
import { Deliveries, type DeliveryHolder, remainingMs } from '@sallyport/core/internal';
import { type EventData, type LinkData, SPAN_KIND, type SpanData, STATUS_ERROR } from '../../encoding/traces.js';
import { VERSION } from '../../internal/version.js';
import { AttributeMap, describe } from './attributes.js';
import { decideIdentity, randomHex } from './identity.js';
import { beginningOf, type OnwardSpan, type RemoteSpan, readRemote } from './remote.js';
import type { Identity, TraceSettings } from './settings.js';

const MAX_EVENTS = 32;
const MAX_LINKS = 32;
/** Milliseconds before the end of the invocation at which its root ends. */
const END_MARGIN_MS = 50;
const SCOPE = { name: '@sallyport/otel', version: VERSION };

const CURRENT: unique symbol = Symbol.for('sallyport.otel.current-span/1') as never;

/** Shared by all copies of this package. */
function storage(): AsyncLocalStorage<TraceSpan> {
  const shared = globalThis as { [CURRENT]?: AsyncLocalStorage<TraceSpan> };
  shared[CURRENT] ??= new AsyncLocalStorage();
  return shared[CURRENT];
}

/** The span in which this code runs; `undefined` outside an invocation and without a tracer. */
export function activeSpan(): TraceSpan | undefined {
  return storage().getStore();
}

/** The spans of one invocation. It ends with its root, or just before the invocation times out. */
class Trace {
  readonly settings: TraceSettings;
  readonly #origin: SpanOrigin | undefined;
  readonly #finished: SpanData[] = [];
  readonly #open = new Set<TraceSpan>();
  readonly #wallMs = Date.now();
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #identity: Identity | undefined;
  root: TraceSpan | undefined;
  isEnded = false;

  constructor(settings: TraceSettings, origin: SpanOrigin | undefined) {
    this.settings = settings;
    this.#origin = origin;
    const left = remainingMs(origin?.invocation().lambdaContext) - END_MARGIN_MS;
    if (left > 0) this.#timer = setTimeout(() => this.root?.fail('app.timeout'), Math.min(left, 2 ** 31 - 1)).unref();
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

  opened(span: TraceSpan): void {
    this.#open.add(span);
  }

  ended(span: TraceSpan, data: SpanData): void {
    this.#open.delete(span);
    this.#finished.push(data);
    if (span === this.root) this.#end();
  }

  /** A child that is still running when its root ends failed: its work did not complete within the invocation. */
  endChildren(): void {
    for (const span of [...this.#open].reverse()) if (span !== this.root) span.fail('app.timeout');
  }

  #end(): void {
    this.isEnded = true;
    clearTimeout(this.#timer);
    const { exporter, resource } = this.settings;
    if (!exporter || !this.identity.isSampled) return;
    const sent = exporter.export({ resource, scope: SCOPE, spans: this.#finished });
    const { waitMs = 0 } = exporter;
    const holder = this.#origin?.invocation();
    if (!sent || waitMs === 0 || !canWait(holder)) return;
    holder.kept ??= new Deliveries(holder);
    holder.kept.keep(sent, waitMs);
  }
}

/** The framework's own invocations hold the answer back for pending work. */
function canWait(invocation: object | undefined): invocation is DeliveryHolder {
  return invocation !== undefined && 'kept' in invocation && 'clock' in invocation;
}

/** A span: made by the framework, by `ctx.span`, or by a traced client. */
export class TraceSpan implements SpanOfHook, OnwardSpan {
  readonly trace: Trace;
  readonly spanId = randomHex(8);
  readonly attributes = new AttributeMap();
  readonly #parent: TraceSpan | undefined;
  readonly #name: string;
  readonly #kind: number;
  readonly #startMs: number;
  readonly #sender: RemoteSpan | undefined;
  readonly #links: readonly SpanLink[];
  readonly #events: EventData[] = [];
  #status: { readonly code: number; readonly message?: string } = { code: 0 };
  #isEnded = false;

  constructor(trace: Trace, parent: TraceSpan | undefined, start: Start) {
    this.trace = trace;
    this.#parent = parent;
    this.#startMs = trace.now();
    const { kind, name, attributes, origin, links = [] } = start;
    this.#kind = start.spanKind ?? kindOf(kind, attributes);
    this.#name = describe(kind, name, attributes, origin, this.attributes);
    this.#links = links;
    // The producer of a record is a link of the record; the sender of a request is decided with the trace.
    this.#sender = parent && origin && readRemote(origin);
    trace.opened(this);
  }

  get traceId(): string {
    return this.trace.identity.traceId;
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

  set(attributes: SpanAttributes): void {
    if (!this.#isEnded) this.attributes.add(attributes);
  }

  addEvent(name: string, attributes: SpanAttributes): void {
    if (this.#events.length < MAX_EVENTS) this.#events.push({ timeUnixNano: this.trace.now(), name, attributes });
  }

  /** Accepts the error of the framework, whose text never comes from an exception. */
  error(error: unknown): void {
    const { code } = (error ?? {}) as { readonly code?: unknown };
    this.#failed(typeof code === 'string' ? code : 'app.internal');
  }

  #failed(code: string): void {
    this.attributes.add({ 'error.type': code });
    this.#status = { code: STATUS_ERROR, message: code };
  }

  /** Ends the span as failed. */
  fail(code: string): void {
    if (this.#isEnded) return;
    this.#failed(code);
    this.end();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { trace } = this;
    if (trace.isEnded) {
      trace.settings.countLate();
      return;
    }
    if (!this.#parent) trace.endChildren();
    trace.ended(this, this.#toData());
  }

  run<T>(run: () => T): T {
    return storage().run(this, run);
  }

  /** Starts a child. */
  child(start: Start): TraceSpan {
    return new TraceSpan(this.trace, this, start);
  }

  #toData(): SpanData {
    const { identity } = this.trace;
    const { parent, traceId } = identity;
    const linked = this.#parent ? this.#sender : identity.linked;
    const links = [...(linked ? [linked] : []), ...this.#links];
    const flags = Number(identity.isSampled) | 0x100;
    return {
      traceId,
      spanId: this.spanId,
      traceState: identity.state || undefined,
      parentSpanId: this.#parent?.spanId ?? parent?.spanId,
      name: this.#name,
      kind: this.#kind,
      startTimeUnixNano: this.#startMs,
      endTimeUnixNano: this.trace.now(),
      attributes: this.attributes.values,
      droppedAttributesCount: this.attributes.dropped,
      events: this.#events,
      droppedEventsCount: 0,
      links: links.slice(0, MAX_LINKS).flatMap(toLink),
      droppedLinksCount: Math.max(links.length - MAX_LINKS, 0),
      status: this.#status,
      flags: !this.#parent && parent ? flags | 0x200 : flags,
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

function kindOf(kind: SpanKind, attributes: SpanAttributes): number {
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
  const trace = new Trace(settings, start.origin);
  const root = new TraceSpan(trace, undefined, start);
  trace.root = root;
  if (start.origin) root.attributes.add(settings.attributesOf(start.origin));
  const initMs = settings.takeInit();
  const { awsRequestId, invokedFunctionArn } = start.origin?.invocation().lambdaContext ?? {};
  root.attributes.add({
    'faas.coldstart': initMs !== undefined,
    'sallyport.invocation.id': awsRequestId,
    'cloud.resource_id': invokedFunctionArn,
  });
  if (initMs !== undefined) root.addEvent('init', { 'sallyport.init.duration_ms': initMs });
  return root;
}
