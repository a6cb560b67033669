import { isObject, lazily } from '@sallyport/core/internal';
import {
  ACCEPTED,
  type Accepted,
  type ContextRequest,
  checkScopes,
  jsonReply,
  type McpRequest,
  type Reply,
  replyWith,
} from '../../http/internal/transport.js';
import { capabilitiesOf, findMethod, type MethodRequest, type MethodTable } from '../../methods/internal/method.js';
import {
  errorText,
  INTERNAL_ERROR,
  own,
  parseMessage,
  type RpcMessage,
  type RpcRequest,
  resultText,
} from '../../protocol/internal/json-rpc.js';
import { isSessionVersion, LATEST_SESSION_VERSION, RPC } from '../../protocol/internal/protocol.js';
import { cancelledEnding, deliver, PLAIN_FRAMES, toEnding, toResult } from '../../run/internal/answer.js';
import type { Call, Sink } from '../../run/internal/call.js';
import { contextOf, startRun } from '../../run/internal/handler-context.js';
import { missingKinds } from '../../run/internal/record.js';
import { HandlerRun, type Outcome } from '../../run/internal/run.js';
import { RpcError } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import {
  canResume,
  requestedVersion,
  resolveSession,
  type SessionPlace,
  type SessionRequest,
  scopeOf,
  sessionError,
} from './request.js';
import { createSession } from './session.js';

const MAX_BATCH = 20;
const BATCH_VERSION = '2025-03-26';
const JSON_ONLY: Accepted = { json: true, sse: false };

/** Code for sessions with a store only: pausing, resuming, cancelling, listening. */
const loadDurable = lazily(() => import('./durable.js'));

/** GET and DELETE of a session: the rest of a stream or a listener, and the end of the session. */
export async function serveStream(server: ServerData, methods: MethodTable, http: ContextRequest): Promise<Reply> {
  const { serveDelete, serveGet } = await loadDurable();
  return http.method === 'GET' ? serveGet(server, methods, http) : serveDelete(server, http);
}

/** Answers one message of the session era. */
export async function serveSession(
  server: ServerData,
  methods: MethodTable,
  http: McpRequest,
  message: RpcMessage,
  accepted: Accepted | undefined,
): Promise<Reply> {
  const id = message.kind === 'request' || message.kind === 'invalid' ? (message.id ?? null) : null;
  if (message.kind === 'invalid') return sessionError(400, RPC.invalidRequest, 'Invalid Request', id);
  if (message.kind === 'request') {
    if (!accepted) return sessionError(406, RPC.invalidRequest, 'Not acceptable', id);
    if (message.method === 'initialize') return initialize(server, methods, http, message, accepted);
  }
  const resolved = await resolveSession(server, http, id);
  if ('status' in resolved) return resolved;
  const place: SessionPlace = { server, methods, http, session: resolved.session, aids: loadDurable };
  if (message.kind === 'request') return serveRequest(place, message, accepted ?? JSON_ONLY);
  return takeNotice(place, message);
}

async function initialize(
  server: ServerData,
  methods: MethodTable,
  http: McpRequest,
  { id, params = {} }: RpcRequest,
  accepted: Accepted,
): Promise<Reply> {
  const offered = own(params, 'protocolVersion');
  const wrong = ['capabilities', 'clientInfo'].some(
    (key) => own(params, key) !== undefined && !isObject(own(params, key)),
  );
  if (typeof offered !== 'string' || wrong) return jsonReply(errorText(id, RPC.invalidParams, 'Malformed initialize'));
  const protocolVersion = isSessionVersion(offered) ? offered : LATEST_SESSION_VERSION;
  const { info, instructions } = server.settings;
  const capabilities = capabilitiesOf(methods, 'session', { server, http, session: undefined });
  const result = JSON.stringify({ protocolVersion, capabilities, serverInfo: info, instructions });
  const session = await createSession(server, http, protocolVersion, params);
  const reply = replyWith(resultText(id, result), accepted);
  return session === undefined ? reply : { ...reply, headers: { ...reply.headers, 'mcp-session-id': session } };
}

/** Handles notifications and answers. All work ends before the reply, because no code runs after it. */
async function takeNotice(place: SessionPlace, message: RpcMessage): Promise<Reply> {
  const { server, http, session } = place;
  if (session.partition === undefined) return ACCEPTED;
  if (message.kind === 'response') {
    const taken = await (await loadDurable()).takeAnswer(place, message);
    return taken === 'taken' ? ACCEPTED : sessionError(413, RPC.invalidRequest, 'Too large to keep: answer');
  }
  if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return ACCEPTED;
  const id = own(message.params ?? {}, 'requestId');
  if (typeof id === 'string' || Number.isInteger(id)) {
    await (await loadDurable()).cancelRequest(server, session, id as string | number, http);
  }
  return ACCEPTED;
}

/** Converts a request of a session for the methods. */
function toMethodRequest(origin: SessionRequest): MethodRequest {
  const { server, methods, http, session, request, accepted } = origin;
  const hookContext = () => contextOf(scopeOf(origin));
  return {
    server,
    methods,
    http,
    session,
    accepted,
    hookContext,
    era: 'session',
    id: request.id,
    params: request.params ?? {},
  };
}

async function serveRequest(place: SessionPlace, request: RpcRequest, accepted: Accepted): Promise<Reply> {
  const origin: SessionRequest = { ...place, protocolVersion: place.session.version, request, accepted };
  try {
    const method = findMethod(place.methods, 'session', request.method, place);
    if (!method) throw new RpcError(RPC.methodNotFound, 'Method not found');
    const answer = await method.answer(toMethodRequest(origin));
    if ('reply' in answer) return answer.reply;
    if ('result' in answer) return replyWith(resultText(request.id, `{${answer.result.members}}`), accepted);
    checkScopes(place.http, answer.call.target);
    return await runCall(origin, answer.call);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return jsonReply(errorText(request.id, error.code, error.message, error.data));
  }
}

/** Runs a handler, and answers with its output. */
async function runCall(origin: SessionRequest, call: Call): Promise<Reply> {
  const { http, session, accepted } = origin;
  const required = missingKinds(session.capabilities, call.target.requires);
  const run = new HandlerRun(scopeOf(origin, call));
  // The stream must exist before the handler runs, because it sends the questions of the handler.
  const sink: Sink = canResume(origin)
    ? (await loadDurable()).newCallStream(origin, call, run)
    : { ...PLAIN_FRAMES, end: (outcome) => endPlainly(origin, call, outcome) };
  if (required) run.lack(required);
  else startRun(run, call);
  return deliver({ http, accepted, run, sink });
}

async function endPlainly({ accepted, request: { id }, http }: SessionRequest, call: Call, outcome: Outcome) {
  if (outcome.kind === 'cancelled') return cancelledEnding(id, accepted);
  // A client that cannot resume has no way to answer the questions that a handler returns.
  if (outcome.kind === 'paused') return toEnding(id, new RpcError(RPC.internalError, INTERNAL_ERROR));
  return toEnding(id, await toResult(call, 'session', outcome, http));
}

/** Answers a batch, which only revision 2025-03-26 supports. Its requests run in order, without events and questions. */
export async function serveBatch(
  server: ServerData,
  methods: MethodTable,
  http: McpRequest,
  items: readonly unknown[],
  accepted: Accepted | undefined,
): Promise<Reply> {
  const messages = items.map(parseMessage);
  const tooMany = messages.length === 0 || messages.length > MAX_BATCH;
  const initializes = messages.some((message) => message.kind === 'request' && message.method === 'initialize');
  if (tooMany || initializes) return sessionError(400, RPC.invalidRequest, 'Invalid batch');
  const resolved = await resolveSession(server, http, null);
  if ('status' in resolved) return resolved;
  const { session } = resolved;
  if ((requestedVersion(http) ?? session.version) !== BATCH_VERSION)
    return sessionError(400, RPC.invalidRequest, 'Batches are not supported');
  const answered = messages.some((message) => message.kind === 'request' || message.kind === 'invalid');
  if (answered && !accepted) return sessionError(406, RPC.invalidRequest, 'Not acceptable');
  const place: SessionPlace = { server, methods, http, session, aids: loadDurable };
  for (const message of messages) if (message.kind === 'request') await checkBatchScopes(place, message);
  const texts: string[] = [];
  for (const message of messages) {
    if (message.kind === 'invalid') texts.push(errorText(message.id ?? null, RPC.invalidRequest, 'Invalid Request'));
    else if (message.kind !== 'request') await takeNotice(place, message);
    else texts.push((await serveRequest(place, message, JSON_ONLY)).body as string);
  }
  return texts.length === 0 ? ACCEPTED : replyWith(`[${texts.join(',')}]`, accepted ?? JSON_ONLY);
}

/** One forbidden call rejects the whole batch, before any of its calls runs. */
async function checkBatchScopes(place: SessionPlace, request: RpcRequest): Promise<void> {
  const method = findMethod(place.methods, 'session', request.method, place);
  if (!method?.findsCall) return;
  const { version: protocolVersion } = place.session;
  try {
    const answer = await method.answer(toMethodRequest({ ...place, protocolVersion, request, accepted: JSON_ONLY }));
    if ('call' in answer) checkScopes(place.http, answer.call.target);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}
