import type { Accepted } from '../../http/internal/accept.js';
import { checkScopes, replyWith } from '../../http/internal/answering.js';
import { ACCEPTED, type Exchange, jsonReply, nowMs, type Reply } from '../../http/internal/exchange.js';
import { loadCompletion, loadDurable, loadSessions } from '../../http/internal/lazy.js';
import { capabilitiesOf } from '../../methods/internal/capabilities.js';
import { LIST_METHODS, listPage } from '../../methods/internal/lists.js';
import {
  errorText,
  isObject,
  own,
  parseMessage,
  type RpcMessage,
  type RpcRequest,
  resultText,
} from '../../protocol/internal/json-rpc.js';
import {
  ASSUMED_VERSION,
  isLogLevel,
  isSessionVersion,
  LATEST_SESSION_VERSION,
  RPC,
  type SessionVersion,
} from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import { CALL_METHODS, type Call, invalidParams, resolveCall, unknownResource } from '../../run/internal/call.js';
import { Run } from '../../run/internal/run.js';
import { freshMemory } from '../../run/internal/run-memory.js';
import { RpcError } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';
import { runSessionCall, type SessionRequest, scopeOf } from './session-call.js';
import { NO_SESSION, type Session } from './session-shape.js';

const MAX_BATCH = 20;
const BATCH_VERSION = '2025-03-26';

/** An error answer of this era, with its HTTP status. */
export function sessionError(status: number, code: number, message: string, id: string | number | null = null): Reply {
  return jsonReply(errorText(id, code, message), status);
}

/**
 * The session of a request, or the answer that says what is wrong with its headers. What was negotiated stands for the
 * session's life; the version header of a request must be one that we know.
 */
export async function resolveSession(
  core: Core,
  exchange: Exchange,
  id: string | number | null,
): Promise<{ readonly session: Session; readonly sessionId: string } | Reply> {
  const version = requestedVersion(exchange);
  if (version === 'unknown') return sessionError(400, RPC.invalidRequest, 'Unsupported MCP-Protocol-Version', id);
  if (core.settings.sessions === 'none') {
    return { session: { ...NO_SESSION, version: version ?? ASSUMED_VERSION }, sessionId: '' };
  }
  const ids = exchange.header('mcp-session-id');
  const sessionId = ids.length === 1 ? (ids[0] ?? '').trim() : '';
  if (sessionId === '') return sessionError(400, RPC.invalidRequest, 'Mcp-Session-Id is required', id);
  const session = await (await loadSessions()).findSession(core, exchange, sessionId);
  if (!session) return sessionError(404, RPC.sessionNotFound, 'Session not found', id);
  return { session, sessionId };
}

function requestedVersion(exchange: Exchange): SessionVersion | 'unknown' | undefined {
  const values = exchange.header('mcp-protocol-version');
  if (values.length === 0) return undefined;
  const version = (values[0] ?? '').trim();
  return values.length === 1 && isSessionVersion(version) ? version : 'unknown';
}

/** Answers one message of the session era. */
export async function serveSession(
  core: Core,
  exchange: Exchange,
  message: RpcMessage,
  accepted: Accepted | undefined,
): Promise<Reply> {
  const id = message.kind === 'request' || message.kind === 'invalid' ? (message.id ?? null) : null;
  if (message.kind === 'invalid') return sessionError(400, RPC.invalidRequest, 'Invalid Request', id);
  if (message.kind === 'request') {
    if (!accepted) return sessionError(406, RPC.invalidRequest, 'Not acceptable', id);
    if (message.method === 'initialize') return initialize(core, exchange, message, accepted);
  }
  const resolved = await resolveSession(core, exchange, id);
  if ('status' in resolved) return resolved;
  if (message.kind === 'request') return serveRequest(core, exchange, resolved.session, message, accepted ?? JSON_ONLY);
  await takeNotice(core, exchange, resolved.session, message);
  return ACCEPTED;
}

const JSON_ONLY: Accepted = { json: true, sse: false };

async function initialize(
  core: Core,
  exchange: Exchange,
  { id, params = {} }: RpcRequest,
  accepted: Accepted,
): Promise<Reply> {
  const offered = own(params, 'protocolVersion');
  const wrong = ['capabilities', 'clientInfo'].some(
    (key) => own(params, key) !== undefined && !isObject(own(params, key)),
  );
  if (typeof offered !== 'string' || wrong) return jsonReply(errorText(id, RPC.invalidParams, 'Malformed initialize'));
  const protocolVersion = isSessionVersion(offered) ? offered : LATEST_SESSION_VERSION;
  const { info, instructions } = core.settings;
  const capabilities = capabilitiesOf(core, 'session', exchange.canStream);
  const result = JSON.stringify({ protocolVersion, capabilities, serverInfo: info, instructions });
  const session =
    core.settings.sessions === 'none'
      ? undefined
      : await (await loadSessions()).createSession(core, exchange, protocolVersion, params);
  const reply = replyWith(resultText(id, result), accepted);
  return session === undefined ? reply : { ...reply, headers: { ...reply.headers, 'mcp-session-id': session } };
}

/** Notifications and answers: what they cause is done before the reply, since nothing runs after it. */
async function takeNotice(core: Core, exchange: Exchange, session: Session, message: RpcMessage): Promise<void> {
  if (session.partition === undefined) return;
  if (message.kind === 'response') return (await loadDurable()).takeAnswer(core, exchange, session, message);
  if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return;
  const id = own(message.params ?? {}, 'requestId');
  if (typeof id === 'string' || Number.isInteger(id)) {
    await (await loadDurable()).cancelRequest(core, session, id as string | number, () => nowMs(exchange.clock));
  }
}

async function serveRequest(
  core: Core,
  exchange: Exchange,
  session: Session,
  request: RpcRequest,
  accepted: Accepted,
): Promise<Reply> {
  const origin: SessionRequest = { core, exchange, session, protocolVersion: session.version, request, accepted };
  try {
    return await dispatch(origin);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return jsonReply(errorText(request.id, error.code, error.message, error.data));
  }
}

async function dispatch(origin: SessionRequest): Promise<Reply> {
  const { core, exchange, session, request, accepted } = origin;
  const { method, id, params = {} } = request;
  const { registry, settings } = core;
  if (!isServed(core, session, method)) throw new RpcError(RPC.methodNotFound, 'Method not found');
  if (CALL_METHODS.has(method)) {
    const call = resolveCall(registry, 'session', method, params);
    checkScopes(exchange, call.target.scopes);
    return runSessionCall(origin, call);
  }
  const list = LIST_METHODS.get(method);
  if (list) {
    const context = () => new Run(scopeOf(origin, undefined, freshMemory()));
    return replyWith(resultText(id, `{${await listPage(core, list, params, context)}}`), accepted);
  }
  if (method === 'completion/complete') return runSessionCall(origin, await completionCall(origin, params));
  if (method === 'logging/setLevel') {
    const level = own(params, 'level');
    if (!isLogLevel(level)) throw invalidParams('Unknown log level');
    if (session.partition !== undefined) await (await loadSessions()).setLevel(core, session, level);
  } else if (method !== 'ping') {
    const uri = own(params, 'uri');
    if (typeof uri !== 'string') throw invalidParams('"uri" must be a text');
    const found = registry.findResource(uri);
    if (!found) throw unknownResource('session', uri);
    const { subscribe, unsubscribe } = await loadDurable();
    if (method === 'resources/unsubscribe') await unsubscribe(core, session, uri);
    else await subscribe(core, session, uri, nowMs(exchange.clock) + settings.sessionTtlMs);
  }
  return replyWith(resultText(id, '{}'), accepted);
}

function isServed({ registry, settings }: Core, session: Session, method: string): boolean {
  switch (method) {
    case 'ping':
      return true;
    case 'tools/list':
    case 'tools/call':
      return registry.tools.size > 0;
    case 'prompts/list':
    case 'prompts/get':
      return registry.prompts.size > 0;
    case 'resources/list':
    case 'resources/templates/list':
    case 'resources/read':
      return registry.hasResources;
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return registry.hasResources && settings.changes && session.partition !== undefined;
    case 'logging/setLevel':
      return settings.logging;
    case 'completion/complete':
      return registry.hasCompleters;
    default:
      return false;
  }
}

async function completionCall({ core, exchange }: SessionRequest, params: JsonObject): Promise<Call> {
  const { resolveCompletion } = await loadCompletion();
  const { target, invoke } = resolveCompletion(core.registry, 'session', params);
  checkScopes(exchange, target.scopes);
  return { target, name: target.name, args: undefined, invoke, complete: (answer) => answer as JsonObject };
}

/** Answers a batch, which only revision 2025-03-26 has: in order, without events and without questions. */
export async function serveBatch(
  core: Core,
  exchange: Exchange,
  items: readonly unknown[],
  accepted: Accepted | undefined,
): Promise<Reply> {
  const messages = items.map(parseMessage);
  const tooMany = messages.length === 0 || messages.length > MAX_BATCH;
  const initializes = messages.some((message) => message.kind === 'request' && message.method === 'initialize');
  if (tooMany || initializes) return sessionError(400, RPC.invalidRequest, 'Invalid batch');
  const resolved = await resolveSession(core, exchange, null);
  if ('status' in resolved) return resolved;
  const { session } = resolved;
  if ((requestedVersion(exchange) ?? session.version) !== BATCH_VERSION)
    return sessionError(400, RPC.invalidRequest, 'Batches are not supported');
  const answered = messages.some((message) => message.kind === 'request' || message.kind === 'invalid');
  if (answered && !accepted) return sessionError(406, RPC.invalidRequest, 'Not acceptable');
  for (const message of messages) checkBatchScopes(core, exchange, message);
  const texts: string[] = [];
  for (const message of messages) {
    if (message.kind === 'invalid') texts.push(errorText(message.id ?? null, RPC.invalidRequest, 'Invalid Request'));
    else if (message.kind !== 'request') await takeNotice(core, exchange, session, message);
    else texts.push((await serveRequest(core, exchange, session, message, JSON_ONLY)).body as string);
  }
  return texts.length === 0 ? ACCEPTED : replyWith(`[${texts.join(',')}]`, accepted ?? JSON_ONLY);
}

/** One forbidden call forbids the batch, before any of it runs. */
function checkBatchScopes({ registry }: Core, exchange: Exchange, message: RpcMessage): void {
  if (message.kind !== 'request' || !CALL_METHODS.has(message.method)) return;
  try {
    checkScopes(exchange, resolveCall(registry, 'session', message.method, message.params ?? {}).target.scopes);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}
