import type { Context, MultiMap, SourceProvenance } from '@sallyport/core';
import {
  ContextState,
  createMap,
  IncomingRequest,
  RequestContext,
  type RequestSource,
  stateOf,
} from '@sallyport/core/internal';
import type { Registration } from '@sallyport/http/internal';
import type { JsonObject } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type { CompiledRoute, Place } from './route-schema.js';
import type { SelectedRoute } from './selection.js';

/** The parts of a request to a route. */
export interface RouteRequest {
  /** Values of the path parameters, percent-encoded, in the order of the pattern. */
  readonly values: readonly string[];
  readonly query: MultiMap;
  /** The body as JSON text; `''` for none. */
  readonly body: string;
}

/** The arguments of a tool as a request, or the arguments that cannot be sent: `/id: type string`. */
export function toRequest(
  { places, isOpen, needsBody, registration }: CompiledRoute,
  args: JsonObject,
): RouteRequest | { readonly issues: readonly string[] } {
  const issues: string[] = [];
  const path: Record<string, string> = createMap();
  const query: MultiMap = createMap();
  let body: Record<string, unknown> | undefined = needsBody ? createMap() : undefined;
  for (const name of Object.keys(args)) {
    const value = args[name];
    const place: Place | undefined = places.get(name) ?? (isOpen ? 'body' : undefined);
    if (place === 'body') {
      body ??= createMap();
      body[name] = value;
    } else if (place === undefined) issues.push(`/${name}: unknown`);
    else if (value === null || value === undefined) continue;
    else if (place === 'query') {
      const texts = (Array.isArray(value) ? value : [value]).map(textOf);
      if (texts.includes(undefined)) issues.push(`/${name}: type string, number, boolean or a list of them`);
      else query[name] = texts as string[];
    } else {
      const text = textOf(value);
      if (text === undefined) issues.push(`/${name}: type string or number`);
      else path[name] = text;
    }
  }
  const values = registration.paramNames.map((name) => {
    const text = path[name];
    if (text === undefined) issues.push(`/${name}: required`);
    const isRest = registration.route.pattern.endsWith(`{${name}+}`);
    const segments = isRest ? (text ?? '').split('/') : [text ?? ''];
    if (text !== undefined && segments.some(isUnsendable)) issues.push(`/${name}: not a segment of a path`);
    return segments.map(encode).join('/');
  });
  if (issues.length > 0) return { issues };
  return { values, query, body: body === undefined ? '' : JSON.stringify(body) };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Segments that a URL cannot have, or that clients and gateways resolve before they send it (RFC 3986 section 5.2.4). */
function isUnsendable(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}

const PLAIN = /^[\w.~-]*$/;

function encode(segment: string): string {
  return PLAIN.test(segment) ? segment : encodeURIComponent(segment.toWellFormed());
}

/** The path of a request: the pattern with its values. */
function pathOf({ route }: Registration, values: readonly string[]): string {
  if (values.length === 0) return route.pattern;
  let index = 0;
  return route.pattern.replace(/\{[^/]+\}/g, () => values[index++] ?? '');
}

/** The URIs of files: the path and the query of their routes. */
export const FILE_PREFIX = 'route://';

/** The URI of a file that a route returns. */
export function fileUri(registration: Registration, { values, query }: RouteRequest): string {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, all]) => all.map((one): [string, string] => [name, one])),
  );
  const text = search.toString();
  return `${FILE_PREFIX}${pathOf(registration, values)}${text === '' ? '' : `?${text}`}`;
}

/** Headers that describe the MCP request and not the call: its content, and what its client accepts. */
const OWN = /^(?:mcp-|content-|if-|accept$|accept-encoding$|range$|transfer-encoding$|last-event-id$)/;
const NONE: readonly string[] = [];

/** Headers of the call itself. */
type OwnHeaders = Readonly<Record<string, readonly string[]>>;
const NOTHING: OwnHeaders = {};
const JSON_BODY: OwnHeaders = { 'content-type': ['application/json'] };

/** The request of a route inside an MCP request: its headers without those about the MCP message, and a body of JSON. */
class RouteSource implements RequestSource {
  readonly rawBody: string;
  readonly isBase64 = false;
  readonly #outer: IncomingRequest;
  readonly #query: MultiMap;
  #own: OwnHeaders;

  constructor(outer: IncomingRequest, { query, body }: RouteRequest, idempotencyKey: string | undefined) {
    this.#outer = outer;
    this.#query = query;
    this.rawBody = body;
    this.#own = body === '' ? NOTHING : JSON_BODY;
    if (idempotencyKey !== undefined) this.#own = { ...this.#own, 'idempotency-key': [idempotencyKey] };
  }

  headers(): MultiMap {
    const map: MultiMap = createMap();
    for (const [name, values] of Object.entries(this.#outer.headers)) if (!OWN.test(name)) map[name] = values;
    for (const [name, values] of Object.entries(this.#own)) map[name] = [...values];
    return map;
  }

  header(name: string): readonly string[] {
    if (Object.hasOwn(this.#own, name)) return this.#own[name] ?? NONE;
    return OWN.test(name) ? NONE : this.#outer.headerValues(name);
  }

  query(): MultiMap {
    return this.#query;
  }

  cookieValues(): readonly string[] {
    return this.#outer.headerValues('cookie');
  }

  provenance(): SourceProvenance {
    return this.#outer.sourceProvenance;
  }
}

/** The context of a route. Its signal is the signal of the call, which is created when it is read. */
class RouteContext extends RequestContext {
  readonly #call: Pick<McpContext, 'signal'>;

  constructor(state: ContextState, call: Pick<McpContext, 'signal'>) {
    super(state);
    this.#call = call;
  }

  override get signal(): AbortSignal {
    return this.#call.signal;
  }
}

/**
 * The context of a route inside an MCP request: the same invocation, request id, trace and caller. The gate has accepted this caller for the
 * MCP route; the resolver is not called again, because the token was issued for the MCP endpoint.
 */
export function openRoute(
  { record, registration }: SelectedRoute,
  request: RouteRequest,
  call: Pick<McpContext, 'http' | 'signal'>,
  idempotencyKey: string | undefined,
): { readonly state: ContextState; readonly context: Context } {
  const outer = stateOf(call.http);
  const path = pathOf(registration, request.values);
  const source = new RouteSource(outer.request, request, idempotencyKey);
  const incoming = new IncomingRequest(registration.route.method, path, path, source);
  const state = new ContextState(outer.runtime, incoming, outer.triggerKind, outer.event, outer.lambdaContext);
  state.requestId = outer.requestId;
  state.route = registration.route;
  state.paramNames = registration.paramNames;
  state.paramValues = request.values;
  state.canStream = true;
  state.passed = outer.passed;
  if (record.posture !== 'public') {
    state.principal = outer.principal;
    state.authIdentity = outer.authIdentity;
    state.tenantId = outer.tenantId;
    state.posture = registration.posture as NonNullable<ContextState['posture']>;
  }
  return { state, context: new RouteContext(state, call) };
}
