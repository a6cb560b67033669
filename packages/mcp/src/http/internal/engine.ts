import type { Context, SecurePrincipal } from '@sallyport/core';
import {
  base64Size,
  fromJson,
  LAMBDA_MAX_TIMEOUT_MS,
  lazily,
  OutgoingResponse,
  stateOf,
} from '@sallyport/core/internal';
import type { MethodTable } from '../../methods/internal/method.js';
import { METHOD_TABLE } from '../../methods/internal/table.js';
import { errorText, nestsDeeper, parseMessage, type RpcMessage } from '../../protocol/internal/json-rpc.js';
import { decideEra, hasStatelessHeader, isStatelessBatch, RPC } from '../../protocol/internal/protocol.js';
import type { Core } from '../../server/internal/core.js';
import { jsonReply, type McpRequest, missingMeta, notAllowed, parseAccept, type Reply } from './exchange.js';
import type { OriginCheck } from './origin.js';

/** The code of an era is loaded with its first request, because most functions serve only one era. */
const PARTS = {
  session: lazily(() => import('../../session/internal/serve.js')),
  stateless: lazily(() => import('../../stateless/internal/serve.js')),
};

/** The parts of a server for its engine. */
export interface Engine {
  readonly core: Core;
  readonly isAllowed: OriginCheck;
  /** Default: all methods of `methods/internal/table.ts`. */
  readonly methods?: MethodTable;
}

/** Answers a request from the framework's pipeline. */
export async function answer(engine: Engine, ctx: Context): Promise<OutgoingResponse> {
  return toResponse(await serveRequest(engine, new ContextRequest(ctx)));
}

function toResponse({ status, headers, body }: Reply): OutgoingResponse {
  const lists: Record<string, string[]> = Object.create(null);
  for (const name of Object.keys(headers)) lists[name] = [headers[name] ?? ''];
  const isText = typeof body === 'string';
  const response = new OutgoingResponse(status, lists, isText ? body : '');
  if (!isText) response.bodyStream = body;
  return response;
}

/** Reads a context of the pipeline as the engine's request, without copying. */
export class ContextRequest implements McpRequest {
  readonly context: Context;
  readonly method: string;
  readonly deadline: number;
  #principal: SecurePrincipal | null | undefined;
  #requestId: string | undefined;

  constructor(context: Context) {
    this.context = context;
    this.method = context.request.method;
    const { remainingMs } = context;
    this.deadline = context.now().getTime() + (remainingMs > 0 ? remainingMs : LAMBDA_MAX_TIMEOUT_MS);
  }

  header(name: string): readonly string[] {
    return this.context.headerAll(name);
  }

  get bodyBytes(): number {
    const { rawBody, isBase64 } = stateOf(this.context).request.source;
    if (typeof rawBody !== 'string') return rawBody.length;
    return isBase64 ? Math.max(base64Size(rawBody), 0) : Buffer.byteLength(rawBody, 'utf8');
  }

  bodyText(): string {
    return this.context.bodyText();
  }

  get principal(): SecurePrincipal | null {
    if (this.#principal === undefined) this.#principal = this.context.securePrincipal();
    return this.#principal;
  }

  get tenantId(): string {
    return this.context.tenantId;
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  get canStream(): boolean {
    return this.context.canStream;
  }

  get requestId(): string {
    this.#requestId ??= this.context.requestId || this.context.newId();
    return this.#requestId;
  }

  get clock() {
    return stateOf(this.context).runtime.clock;
  }

  get log() {
    return this.context.log;
  }
}

const MAX_JSON_DEPTH = 64;

/** Answers one HTTP request. Throws only errors that the container answers in its format: a missing scope, a failed store. */
async function serveRequest(engine: Engine, http: McpRequest): Promise<Reply> {
  const { core, isAllowed, methods = METHOD_TABLE } = engine;
  core.registry.close();
  const { method } = http;
  if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') return notAllowed('POST, GET, DELETE');
  if (!isAllowed(http.header('origin'), http.header('host')))
    return refuse(http, 403, RPC.invalidRequest, 'Origin not allowed');
  if (method === 'POST') return servePost(core, methods, http);
  const statelessHeader = hasStatelessHeader(http.header('mcp-protocol-version'));
  if (statelessHeader || core.settings.sessions === 'none') return notAllowed('POST');
  const { serveStream } = await PARTS.session();
  return serveStream(core, methods, http);
}

async function servePost(core: Core, methods: MethodTable, http: McpRequest): Promise<Reply> {
  if (!isJson(http.header('content-type')))
    return refuse(http, 415, RPC.invalidRequest, 'Content-Type must be application/json');
  if (http.bodyBytes > core.settings.maxBodyBytes) return refuse(http, 413, RPC.invalidRequest, 'Request too large');
  const text = http.bodyText();
  const value = fromJson(text);
  if (value === undefined) return refuse(http, 400, RPC.parseError, 'Parse error');
  if (nestsDeeper(text, MAX_JSON_DEPTH)) return refuse(http, 400, RPC.invalidRequest, 'Nested too deeply');
  const accepted = parseAccept(http.header('accept'));
  const statelessHeader = hasStatelessHeader(http.header('mcp-protocol-version'));
  if (Array.isArray(value)) {
    if (isStatelessBatch(value, statelessHeader))
      return refuse(http, 400, RPC.invalidRequest, 'Batches are not supported');
    return (await PARTS.session()).serveBatch(core, methods, http, value, accepted);
  }
  const message = parseMessage(value);
  const era = decideEra(message, statelessHeader);
  if (era === 'session') {
    return (await PARTS.session()).serveSession(core, methods, http, message, accepted);
  }
  if (era === 'stateless' && (message.kind === 'request' || message.kind === 'notification')) {
    return (await PARTS.stateless()).serveStateless(core, methods, http, message, accepted);
  }
  return refuseMessage(message, era);
}

function refuseMessage(message: RpcMessage, why: string): Reply {
  const id = message.kind === 'request' || message.kind === 'invalid' ? message.id : undefined;
  if (why === 'missing' && message.kind === 'request') {
    const { code, message: text, data } = missingMeta(message.params);
    return jsonReply(errorText(id, code, text, data), 400);
  }
  if (why === 'mismatch')
    return jsonReply(errorText(id, RPC.headerMismatch, 'Header mismatch: MCP-Protocol-Version'), 400);
  return jsonReply(errorText(id, RPC.invalidRequest, 'Invalid Request'), 400);
}

/** An error before the message could be read. The id is unknown: `null` in the session era, absent in the stateless era. */
function refuse(http: McpRequest, status: number, code: number, message: string): Reply {
  const id = hasStatelessHeader(http.header('mcp-protocol-version')) ? undefined : null;
  return jsonReply(errorText(id, code, message), status);
}

function isJson(values: readonly string[]): boolean {
  const [type = ''] = (values[0] ?? '').split(';');
  return values.length === 1 && type.trim().toLowerCase() === 'application/json';
}
