import { isObject } from '@sallyport/core/internal';
import {
  ACCEPTED,
  type Accepted,
  checkScopes,
  claimOf,
  decodeHeaderValue,
  type McpRequest,
  missingMeta,
  type Reply,
  readProgressToken,
  replyWith,
} from '../../http/internal/transport.js';
import { findMethod, type MethodRequest, type MethodTable } from '../../methods/internal/method.js';
import { paramHeadersAgree } from '../../methods/internal/tools.js';
import { errorText, own, type RpcNotification, type RpcRequest, resultText } from '../../protocol/internal/json-rpc.js';
import { isLogLevel, META, RPC, STATELESS_VERSION, TASKS } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation, JsonObject, LogLevel } from '../../protocol/types.js';
import {
  cancelledEnding,
  deliver,
  missingCapabilityError,
  PLAIN_FRAMES,
  toEnding,
  toResult,
} from '../../run/internal/answer.js';
import type { Call, Sink } from '../../run/internal/call.js';
import { contextOf, startRun } from '../../run/internal/handler-context.js';
import { missingKinds, type RunMemory } from '../../run/internal/record.js';
import { HandlerRun, NO_ASKS, type Paused, type RunScope } from '../../run/internal/run.js';
import type { CacheHint } from '../../server/definitions.js';
import { invalidParams, RpcError } from '../../server/errors.js';
import type { Tool } from '../../server/internal/registry.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { toTheEnd, withLastingStore } from '../../store/internal/lasting.js';
import { createTask, type NewTask, takesTasks } from '../../tasks/internal/task.js';
import { readRetry, sealState } from './request-state.js';

/** The metadata of a request and its sender. */
interface Envelope {
  readonly params: JsonObject;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly progressToken: string | number | undefined;
}

/** One request of this era, with the parts of the server. */
interface StatelessRequest {
  readonly server: ServerData;
  readonly http: McpRequest;
  readonly message: RpcRequest;
  readonly envelope: Envelope;
  readonly accepted: Accepted;
}

/** @throws RpcError for a claim that the headers contradict */
export function acceptNotification({ params }: RpcNotification, http: McpRequest): Reply {
  if (claimOf(params) !== undefined) checkClaim(params, http);
  return ACCEPTED;
}

/**
 * Answers one request of the stateless era. Runs the checks in a fixed order; the first failed check determines the answer.
 *
 * @throws RpcError if a check fails
 */
export async function serveStateless(
  server: ServerData,
  methods: MethodTable,
  http: McpRequest,
  message: RpcRequest,
  accepted: Accepted | undefined,
): Promise<Reply> {
  if (!accepted) throw new RpcError(RPC.invalidRequest, 'Not acceptable', undefined, 406);
  const params = message.params ?? {};
  checkClaim(params, http);
  if (!isOnce(http.header('mcp-protocol-version'), STATELESS_VERSION)) throw mismatch('MCP-Protocol-Version');
  if (!isOnce(http.header('mcp-method'), message.method)) throw mismatch('Mcp-Method');
  const place = { server, http, session: undefined };
  const method = findMethod(methods, 'stateless', message.method, place);
  if (!method) throw new RpcError(RPC.methodNotFound, 'Method not found', undefined, 404);
  if (method.named !== undefined) {
    const name = own(params, method.named);
    const [value, ...more] = http.header('mcp-name');
    const sent = value === undefined ? undefined : decodeHeaderValue(value);
    const agrees = typeof name === 'string' ? sent === name : value === undefined;
    if (!agrees || more.length > 0) throw mismatch('Mcp-Name');
  }
  const envelope = readEnvelope(params);
  const request: StatelessRequest = { server, http, message, envelope, accepted };
  const asked: MethodRequest = {
    server,
    http,
    session: undefined,
    methods,
    era: 'stateless',
    id: message.id,
    params,
    accepted,
    hookContext() {
      return contextOf(scopeOf(request));
    },
  };
  const answer = await method.answer(asked);
  if ('reply' in answer) return answer.reply;
  if ('result' in answer) {
    const { members, cache } = answer.result;
    const text = `{${members === '' ? '' : `${members},`}${stampText(server, cache)}}`;
    return replyWith(resultText(message.id, text), accepted);
  }
  const { target, args } = answer.call;
  const { paramHeaders = [] } = target as Partial<Tool>;
  if (paramHeaders.length > 0 && !paramHeadersAgree(paramHeaders, args, http)) throw mismatch('Mcp-Param');
  const missing = target.requires.length > 0 && missingKinds(envelope.capabilities, target.requires);
  if (missing) throw missingCapabilityError(missing);
  checkScopes(http, target);
  return runCall(request, answer.call);
}

/** The message and its headers must claim this revision. */
function checkClaim(params: JsonObject | undefined, http: McpRequest): void {
  const meta = own(params ?? {}, '_meta');
  const claim = claimOf(params);
  const capabilities = isObject(meta) ? own(meta, META.clientCapabilities) : undefined;
  if (typeof claim !== 'string' || !isObject(capabilities)) throw missingMeta(params);
  const headers = http.header('mcp-protocol-version');
  if (headers.length > 0 && !isOnce(headers, claim)) throw mismatch('MCP-Protocol-Version');
  if (claim === STATELESS_VERSION) return;
  const data = { supported: [STATELESS_VERSION], requested: claim };
  throw new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', data, 400);
}

function mismatch(header: string): RpcError {
  return new RpcError(RPC.headerMismatch, `Header mismatch: ${header}`, undefined, 400);
}

/** Exactly one value. White space around it is ignored; case is significant. */
function isOnce(values: readonly string[], text: string): boolean {
  return values.length === 1 && values[0]?.trim() === text;
}

function readEnvelope(params: JsonObject): Envelope {
  const meta = params._meta as JsonObject;
  const logLevel = own(meta, META.logLevel);
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw invalidParams('Unknown log level');
  const client = own(meta, META.clientInfo);
  return {
    params,
    capabilities: meta[META.clientCapabilities] as ClientCapabilities,
    client: isObject(client) && typeof client.name === 'string' ? (client as unknown as Implementation) : undefined,
    logLevel,
    progressToken: readProgressToken(meta),
  };
}

/** Members of every complete result of this era, including its caching hint. */
function stampText({ settings }: ServerData, hint: Required<CacheHint> | undefined): string {
  const meta = JSON.stringify({ [META.serverInfo]: settings.info });
  const caching = hint ? `"ttlMs":${hint.ttlMs},"cacheScope":"${hint.scope}",` : '';
  return `"resultType":"complete",${caching}"_meta":${meta}`;
}

function stamp(server: ServerData, result: JsonObject, resultType: string): JsonObject {
  const meta = isObject(result._meta) ? result._meta : {};
  return { ...result, resultType, _meta: { ...meta, [META.serverInfo]: server.settings.info } };
}

function scopeOf({ server, http, message, envelope }: StatelessRequest, call?: Call, memory?: RunMemory): RunScope {
  const { client, capabilities, logLevel, progressToken } = envelope;
  return {
    http,
    era: 'stateless',
    protocolVersion: STATELESS_VERSION,
    client,
    progressToken,
    memory,
    clientCapabilities: capabilities,
    requestId: message.id,
    meta: envelope.params._meta,
    sessionId: undefined,
    logLevel() {
      return server.settings.logging ? logLevel : undefined;
    },
    facts: { method: message.method, ...call?.target.facts },
    maxKeptBytes: server.maxKeptBytes,
    asks: call?.target.asks ?? NO_ASKS,
    asking: 'pause',
    canClose: call?.target.task?.at === 'closeStream' && takesTasks(capabilities),
    keepsEvents: false,
  };
}

/** True if the arguments are valid; the answer to invalid arguments is immediate. */
async function takesArguments({ target, args }: Call): Promise<boolean> {
  const checked = await (target as Partial<Tool>).checkInput?.(args);
  return checked === undefined || 'value' in checked;
}

function newTask({ http, message: { id }, envelope }: StatelessRequest, memory: RunMemory | undefined): NewTask {
  const { params, client, capabilities } = envelope;
  return { http, request: { id, params }, client, capabilities, memory };
}

/** Runs a handler, or runs it again with the answers of the request. */
async function runCall(request: StatelessRequest, call: Call): Promise<Reply> {
  const { server, http, message, envelope, accepted } = request;
  const { method, id } = message;
  const isRetry =
    own(envelope.params, 'inputResponses') !== undefined || own(envelope.params, 'requestState') !== undefined;
  const memory = isRetry ? await readRetry(server, http, method, call, envelope.params) : undefined;
  const { task } = call.target;
  const isTask = task !== undefined && takesTasks(envelope.capabilities);
  if (task?.required && !isTask) throw missingCapabilityError({ extensions: { [TASKS]: {} } });
  if (isTask && task.at === 'start' && (await takesArguments(call))) {
    const created = await createTask(server, newTask(request, memory));
    return replyWith(
      created instanceof RpcError
        ? errorText(id, created.code, created.message, created.data)
        : resultText(id, JSON.stringify(stamp(server, created, 'task'))),
      accepted,
    );
  }
  const run = startRun(new HandlerRun(scopeOf(request, call, memory)), call);
  const sink: Sink = {
    ...PLAIN_FRAMES,
    async end(outcome) {
      if (outcome.kind === 'cancelled') return cancelledEnding(id, accepted);
      if (outcome.kind === 'paused') return toEnding(id, await toPausedResult(request, call, outcome));
      const result = await toResult(call, 'stateless', outcome, http);
      if (result instanceof RpcError) return toEnding(id, result);
      const stamped = stamp(server, result, 'complete');
      if (!call.cache) return toEnding(id, stamped);
      const { ttlMs, scope } = isRetry ? NOT_CACHED : (call.cache.hint ?? server.settings.cache);
      return toEnding(id, { ...stamped, ttlMs, cacheScope: scope });
    },
  };
  return deliver({ http, accepted, run, sink });
}

const NOT_CACHED: Required<CacheHint> = { ttlMs: 0, scope: 'private' };

/** The result of a paused call: the questions with the encrypted state, or the task that continues it. */
async function toPausedResult(request: StatelessRequest, call: Call, paused: Paused): Promise<JsonObject | RpcError> {
  const { server, http, message } = request;
  if (paused.on === 'closed') {
    const created = await createTask(
      withLastingStore(server, http.clock, toTheEnd(http)),
      newTask(request, paused.memory),
    );
    return created instanceof RpcError ? created : stamp(server, created, 'task');
  }
  const requestState = await sealState(server, http, message.method, call, paused);
  if (requestState instanceof RpcError) return requestState;
  const inputRequests = Object.fromEntries(paused.questions.map(({ key, request: asked }) => [key, asked]));
  return stamp(server, { inputRequests, requestState }, 'input_required');
}

// Only this era has tasks. Their code is loaded with it.
export { whileClientWaits, withLastingStore } from '../../store/internal/lasting.js';
export { changeTask } from '../../tasks/internal/rows.js';
export { detailOf, findTask, isOver, notifyOfTask, startAnswered, takesTasks } from '../../tasks/internal/task.js';
