import type { Context } from '@sallyport/core';
import { fromJson, isObject, lazily, OutgoingResponse } from '@sallyport/core/internal';
import type { MethodTable } from '../../methods/internal/method.js';
import { METHOD_TABLE } from '../../methods/internal/table.js';
import { errorText, nestsDeeper, own, parseMessage, type RpcMessage } from '../../protocol/internal/json-rpc.js';
import { RPC, STATELESS_VERSION } from '../../protocol/internal/protocol.js';
import type { Era } from '../../protocol/types.js';
import { RpcError } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { limitedServer } from '../../store/internal/limited.js';
import type { OriginCheck } from './origin.js';
import { ContextRequest, claimOf, jsonReply, missingMeta, notAllowed, parseAccept, type Reply } from './transport.js';

/** The code of an era is loaded with its first request, because most functions serve only one era. */
const PARTS = {
  session: lazily(() => import('../../session/internal/serve.js')),
  stateless: lazily(() => import('../../stateless/internal/serve.js')),
};

/** The parts of a server for its engine. */
export interface Engine {
  readonly server: ServerData;
  readonly isAllowed: OriginCheck;
  /** Default: all methods of `methods/internal/table.ts`. */
  readonly methods?: MethodTable;
}

/** Answers a request from the framework's pipeline. */
export async function answer(engine: Engine, ctx: Context): Promise<OutgoingResponse> {
  const { status, headers, body } = await serveRequest(engine, new ContextRequest(ctx));
  const lists: Record<string, string[]> = Object.create(null);
  for (const name of Object.keys(headers)) lists[name] = [headers[name] ?? ''];
  const isText = typeof body === 'string';
  const response = new OutgoingResponse(status, lists, isText ? body : '');
  if (!isText) response.bodyStream = body;
  return response;
}

/** Answers one HTTP request. Throws only errors that the container answers in its format: a missing scope, a failed store. */
async function serveRequest(engine: Engine, http: ContextRequest): Promise<Reply> {
  const { isAllowed, methods = METHOD_TABLE } = engine;
  const server = limitedServer(engine.server, http);
  const { method } = http;
  if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') return notAllowed('POST, GET, DELETE');
  const origins = http.header('origin');
  if (origins.length > 0 && !isAllowed(origins, http.header('host')))
    return refuse(http, 403, RPC.invalidRequest, 'Origin not allowed');
  if (method === 'POST') return servePost(server, methods, http);
  if (hasStatelessHeader(http) || server.settings.sessions === 'none') return notAllowed('POST');
  const { serveStream } = await PARTS.session();
  return serveStream(server, methods, http);
}

async function servePost(server: ServerData, methods: MethodTable, http: ContextRequest): Promise<Reply> {
  const types = http.header('content-type');
  const [type = ''] = (types[0] ?? '').split(';');
  if (types.length !== 1 || type.trim().toLowerCase() !== 'application/json')
    return refuse(http, 415, RPC.invalidRequest, 'Content-Type must be application/json');
  const text = http.readBody(server.settings.maxBodyBytes);
  if (text === undefined) return refuse(http, 413, RPC.invalidRequest, 'Request too large');
  const value = fromJson(text);
  if (value === undefined) return refuse(http, 400, RPC.parseError, 'Parse error');
  if (nestsDeeper(text)) return refuse(http, 400, RPC.invalidRequest, 'Nested too deeply');
  const accepted = parseAccept(http.header('accept'));
  if (Array.isArray(value)) {
    if (hasStatelessHeader(http) || value.some(hasClaim))
      return refuse(http, 400, RPC.invalidRequest, 'Batches are not supported');
    return (await PARTS.session()).serveBatch(server, methods, http, value, accepted);
  }
  const message = parseMessage(value);
  const era = decideEra(message, http);
  if (era === 'session') {
    return (await PARTS.session()).serveSession(server, methods, http, message, accepted);
  }
  if (era !== 'stateless' || message.kind === 'response' || message.kind === 'invalid')
    return refuseMessage(message, era);
  const { acceptNotification, serveStateless } = await PARTS.stateless();
  try {
    if (message.kind === 'notification') return acceptNotification(message, http);
    return await serveStateless(server, methods, http, message, accepted);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const id = message.kind === 'request' ? message.id : undefined;
    return jsonReply(errorText(id, error.code, error.message, error.data), error.status);
  }
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
function refuse(http: ContextRequest, status: number, code: number, message: string): Reply {
  const id = hasStatelessHeader(http) ? undefined : null;
  return jsonReply(errorText(id, code, message), status);
}

/** `invalid` is 400 -32600, `missing` 400 -32602, `mismatch` 400 -32020. */
type EraDecision = Era | 'invalid' | 'missing' | 'mismatch';

/** True if the version header alone names the stateless revision. */
function hasStatelessHeader(http: ContextRequest): boolean {
  return http.header('mcp-protocol-version').some((value) => value.trim() === STATELESS_VERSION);
}

/** The era of one message. The body determines it; only without a claim in the body, the header does. */
function decideEra(message: RpcMessage, http: ContextRequest): EraDecision {
  const hasParams = message.kind === 'request' || message.kind === 'notification';
  if (hasParams && claimOf(message.params) !== undefined) return 'stateless';
  if (!hasStatelessHeader(http)) return 'session';
  switch (message.kind) {
    case 'invalid':
    case 'notification':
      return 'stateless';
    case 'response':
      return 'invalid';
    case 'request':
      return message.method === 'initialize' ? 'mismatch' : 'missing';
  }
}

function hasClaim(item: unknown): boolean {
  const params = isObject(item) ? own(item, 'params') : undefined;
  return isObject(params) && claimOf(params) !== undefined;
}
