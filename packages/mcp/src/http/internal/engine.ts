import { decideEra, hasStatelessHeader, isStatelessBatch } from '../../protocol/internal/era.js';
import { errorText, nestsDeeper, parseMessage, type RpcMessage } from '../../protocol/internal/json-rpc.js';
import { RPC } from '../../protocol/internal/protocol.js';
import type { Core } from '../../server/internal/core.js';
import { parseAccept } from './accept.js';
import { missingMeta } from './answering.js';
import { type Exchange, jsonReply, type Reply } from './exchange.js';
import { loadSessionEra, loadSessionStream, loadStatelessEra } from './lazy.js';
import { notAllowed } from './not-allowed.js';
import type { OriginCheck } from './origin.js';

const MAX_JSON_DEPTH = 64;

/** Answers one HTTP request. Throws only what the container answers in its own shape: a missing scope, a failed store. */
export async function serveExchange(core: Core, exchange: Exchange, isAllowed: OriginCheck): Promise<Reply> {
  core.registry.close();
  const { method } = exchange;
  if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') return notAllowed('POST, GET, DELETE');
  if (!isAllowed(exchange.header('origin'), exchange.header('host')))
    return refuse(exchange, 403, RPC.invalidRequest, 'Origin not allowed');
  if (method === 'POST') return servePost(core, exchange);
  const statelessHeader = hasStatelessHeader(exchange.header('mcp-protocol-version'));
  if (statelessHeader || core.settings.sessions === 'none') return notAllowed('POST');
  const { serveDelete, serveGet } = await loadSessionStream();
  return method === 'GET' ? serveGet(core, exchange) : serveDelete(core, exchange);
}

async function servePost(core: Core, exchange: Exchange): Promise<Reply> {
  if (!isJson(exchange.header('content-type')))
    return refuse(exchange, 415, RPC.invalidRequest, 'Content-Type must be application/json');
  if (exchange.bodyBytes > core.settings.maxBodyBytes)
    return refuse(exchange, 413, RPC.invalidRequest, 'Request too large');
  const text = exchange.bodyText();
  const body = parseJson(text);
  if (!body) return refuse(exchange, 400, RPC.parseError, 'Parse error');
  if (nestsDeeper(text, MAX_JSON_DEPTH)) return refuse(exchange, 400, RPC.invalidRequest, 'Nested too deeply');
  const accepted = parseAccept(exchange.header('accept'));
  const { value } = body;
  const statelessHeader = hasStatelessHeader(exchange.header('mcp-protocol-version'));
  if (Array.isArray(value)) {
    if (isStatelessBatch(value, statelessHeader))
      return refuse(exchange, 400, RPC.invalidRequest, 'Batches are not supported');
    return (await loadSessionEra()).serveBatch(core, exchange, value, accepted);
  }
  const message = parseMessage(value);
  const era = decideEra(message, statelessHeader);
  if (era === 'session') {
    return (await loadSessionEra()).serveSession(core, exchange, message, accepted);
  }
  if (era === 'stateless' && (message.kind === 'request' || message.kind === 'notification')) {
    return (await loadStatelessEra()).serveStateless(core, exchange, message, accepted);
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

/** An error before the message, and its id, could be read: `null` in the session era, none in the other. */
function refuse(exchange: Exchange, status: number, code: number, message: string): Reply {
  const id = hasStatelessHeader(exchange.header('mcp-protocol-version')) ? undefined : null;
  return jsonReply(errorText(id, code, message), status);
}

function isJson(values: readonly string[]): boolean {
  const [type = ''] = (values[0] ?? '').split(';');
  return values.length === 1 && type.trim().toLowerCase() === 'application/json';
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
