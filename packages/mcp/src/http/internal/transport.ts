import {
  type Clock,
  type Context,
  FrameworkError,
  type FullClock,
  type Logger,
  type SecurePrincipal,
} from '@sallyport/core';
import {
  base64Size,
  type ContextState,
  callerKey,
  isObject,
  LAMBDA_MAX_TIMEOUT_MS,
  sha256Url,
  stateOf,
} from '@sallyport/core/internal';
import { errorText, own } from '../../protocol/internal/json-rpc.js';
import { META, RPC } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import { RpcError } from '../../server/errors.js';

/** One HTTP request of any front door, for the engine. */
export interface McpRequest {
  /** Values of a header; the name in lower case. */
  header(name: string): readonly string[];
  readonly principal: SecurePrincipal | null;
  readonly tenantId: string;
  /** Aborts at the deadline, or when the door reports that the client has disconnected. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds; the end of the longest possible invocation if the door reports no deadline. */
  readonly deadline: number;
  /** True if bytes are sent before the answer is complete. */
  readonly canStream: boolean;
  readonly requestId: string;
  readonly clock: FullClock;
  readonly log: Logger;
  /** The value of `ctx.http` for handlers. */
  readonly context: Context;
}

export function nowMs(clock: Clock): number {
  return clock.now().getTime();
}

/** Reads a context of the pipeline as the engine's request, without copying. Fields have no initialisers, which would be one more call. */
export class ContextRequest implements McpRequest {
  declare readonly context: Context;
  declare readonly method: string;
  declare readonly canStream: boolean;
  declare readonly clock: FullClock;
  declare readonly deadline: number;
  declare private readonly state: ContextState;
  declare private caller: SecurePrincipal | null | undefined;
  declare private id: string | undefined;

  constructor(context: Context, other: Partial<Pick<McpRequest, 'clock' | 'canStream'>> = {}) {
    const state = stateOf(context);
    this.context = context;
    this.state = state;
    this.method = state.request.method;
    this.canStream = other.canStream ?? state.canStream;
    this.clock = other.clock ?? state.runtime.clock;
    const { remainingMs } = state;
    this.deadline = nowMs(this.clock) + (remainingMs > 0 ? remainingMs : LAMBDA_MAX_TIMEOUT_MS);
  }

  header(name: string): readonly string[] {
    return this.state.request.headerValues(name);
  }

  /** The body as UTF-8 text; `undefined` if it is larger than `most` bytes, and then it is not decoded. */
  readBody(most: number): string | undefined {
    const { rawBody, isBase64 } = this.state.request.source;
    const bytes = isBase64 && typeof rawBody === 'string' ? base64Size(rawBody) : Buffer.byteLength(rawBody, 'utf8');
    return bytes > most ? undefined : this.state.request.text;
  }

  get principal(): SecurePrincipal | null {
    if (this.caller === undefined) this.caller = this.context.securePrincipal();
    return this.caller;
  }

  get tenantId(): string {
    return this.context.tenantId;
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  get requestId(): string {
    this.id ??= this.context.requestId || this.context.newId();
    return this.id;
  }

  get log(): Logger {
    return this.context.log;
  }
}

/**
 * The caller as one string, together with the endpoint if a server has several: its path parameters. Data bound to it is found only for
 * the same caller at the same endpoint, because a token is valid for one endpoint.
 */
export function principalHash({
  principal,
  tenantId,
  context,
}: Pick<McpRequest, 'principal' | 'tenantId' | 'context'>): string {
  const caller = callerKey({ principal, authIdentity: '', tenantId });
  const params = Object.entries(context.params);
  return sha256Url(params.length === 0 ? caller : JSON.stringify([caller, params]));
}

/** The engine's answer. A body that is not a string is a stream: the caller must read it to its end, or call its `return`. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array>;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

export function jsonReply(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body };
}

/** The answer to notifications and responses. */
export const ACCEPTED: Reply = { status: 202, headers: {}, body: '' };

/** The formats that a client accepts. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
  /** Both, but the client prefers the event stream: by its quality value, or because it is first. */
  readonly ratherSse?: boolean;
}

const BOTH: Accepted = { json: true, sse: true };
/** The value that the official clients send. */
const USUAL = 'application/json, text/event-stream';

interface Weight {
  readonly quality: number;
  readonly place: number;
}

const ABSENT: Weight = { quality: 0, place: Number.POSITIVE_INFINITY };

/**
 * Reads `accept` leniently: no header, wildcards and one type alone are accepted. `undefined` means 406 (RFC 9110 section
 * 12.5.1).
 */
export function parseAccept(values: readonly string[]): Accepted | undefined {
  const text = values.join(',');
  if (text === USUAL || text.trim() === '') return BOTH;
  let json = ABSENT;
  let sse = ABSENT;
  for (const [place, part] of text.toLowerCase().split(',').entries()) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = { quality: qualityOf(parameters), place: type.includes('*') ? ABSENT.place : place };
    if (takes(type, 'application', 'json') && weight.quality > json.quality) json = weight;
    if (takes(type, 'text', 'event-stream') && weight.quality > sse.quality) sse = weight;
  }
  if (json.quality === 0 && sse.quality === 0) return undefined;
  const ratherSse = sse.quality > json.quality || (sse.quality === json.quality && sse.place < json.place);
  return { json: json.quality > 0, sse: sse.quality > 0, ratherSse };
}

function takes(range: string, type: string, subtype: string): boolean {
  return range === `${type}/${subtype}` || range === `${type}/*` || range === '*/*';
}

function qualityOf(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}

const ENCODED = /^=\?base64\?(.*)\?=$/s;

/** Decodes a header value: literal, or `=?base64?…?=` in exact case; `undefined` for bad base64 or UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = ENCODED.exec(value.trim())?.[1];
  if (encoded === undefined) return value.trim();
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Headers of an event stream. There is no `connection`, because HTTP/2 front doors reject it. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** A JSON-RPC message as an event. JSON text contains no line break. */
export function messageFrame(json: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${json}\n\n` : `event: message\nid: ${id}\ndata: ${json}\n\n`;
}

/** An event without data. Its id is the point from which a client can resume. */
export function primingFrame(id: string, retryMs?: number): string {
  return retryMs === undefined ? `id: ${id}\ndata: \n\n` : `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

/** A frame with the milliseconds until the client reconnects. */
export function retryFrame(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}

export const COMMENT_FRAME = ':\n\n';

/** 405, with the allowed methods. */
export function notAllowed(allow: string): Reply {
  return jsonReply(errorText(null, RPC.invalidRequest, 'Method not allowed'), 405, { allow });
}

/** The scopes that a registration requires. */
export interface Guarded {
  /** Scopes that the caller needs, all of them. */
  readonly scopes: readonly string[];
  /** Scopes of which the caller needs at least one; empty if not restricted. */
  readonly anyScope: readonly string[];
}

/** True if the caller has the scopes for a call. */
export function holdsScopes({ principal }: McpRequest, { scopes, anyScope }: Guarded): boolean {
  const held = principal?.scopes ?? [];
  const has = (scope: string) => held.includes(scope);
  return scopes.every(has) && (anyScope.length === 0 || anyScope.some(has));
}

/** @throws FrameworkError `app.forbidden`: 403 in the framework's format */
export function checkScopes(http: McpRequest, target: Guarded): void {
  const { scopes, anyScope } = target;
  if (scopes.length + anyScope.length === 0 || holdsScopes(http, target)) return;
  const challenge = stateOf(http.context).scopeChallenge?.([...scopes, ...anyScope.slice(0, 1)]);
  const headers = challenge === undefined ? undefined : { 'www-authenticate': challenge, 'cache-control': 'no-store' };
  throw new FrameworkError('app.forbidden', undefined, { headers });
}

/** A finished message as JSON, or as the only event of a stream for a client that accepts only streams or prefers them. */
export function replyWith(json: string, accepted: Accepted): Reply {
  if (accepted.json && !accepted.ratherSse) return jsonReply(json);
  return { status: 200, headers: SSE_HEADERS, body: messageFrame(json) };
}

/** The revision in the metadata of a message, of any type; `undefined` if absent. */
export function claimOf(params: JsonObject | undefined): unknown {
  const meta = params === undefined ? undefined : own(params, '_meta');
  return isObject(meta) ? own(meta, META.protocolVersion) : undefined;
}

/** The token with which a client requests progress. */
export function readProgressToken(meta: unknown): string | number | undefined {
  const token = isObject(meta) ? own(meta, 'progressToken') : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** The error for missing members of `_meta`; names them. */
export function missingMeta(params: JsonObject | undefined): RpcError {
  const meta = own(params ?? {}, '_meta');
  const missing = [META.protocolVersion, META.clientCapabilities].filter(
    (key) => !isObject(meta) || own(meta, key) === undefined,
  );
  const data = missing.length > 0 ? { missing } : undefined;
  return new RpcError(RPC.invalidParams, 'Missing or malformed request metadata', data, 400);
}
