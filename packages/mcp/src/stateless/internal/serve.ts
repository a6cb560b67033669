import { isObject, logFailure } from '@sallyport/core/internal';
import {
  ACCEPTED,
  type Accepted,
  checkScopes,
  jsonReply,
  type McpRequest,
  missingMeta,
  type Reply,
  readProgressToken,
  replyWith,
} from '../../http/internal/exchange.js';
import { type DefinedMethod, findMethod, type MethodRequest, type MethodTable } from '../../methods/internal/method.js';
import { headerEquals } from '../../protocol/internal/header-values.js';
import { errorText, own, type RpcNotification, type RpcRequest, resultText } from '../../protocol/internal/json-rpc.js';
import { claimOf, isLogLevel, META, RPC, STATELESS_VERSION, TASKS } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation, JsonObject, LogLevel } from '../../protocol/types.js';
import { missingKinds } from '../../run/internal/ask.js';
import { type Call, type Ending, missingCapabilityError, toResult } from '../../run/internal/call.js';
import { deliver, plainSink } from '../../run/internal/deliver.js';
import { contextOf, startRun } from '../../run/internal/handler-context.js';
import { freshMemory, type RunMemory } from '../../run/internal/record.js';
import { NO_ASKS, type Outcome, type Run, type RunScope } from '../../run/internal/run.js';
import type { CacheHint } from '../../server/definitions.js';
import { invalidParams, RpcError } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';
import type { Registered, Tool } from '../../server/internal/registry.js';
import { lastingCore, toTheEnd } from '../../store/internal/lasting.js';
import { keptBytes } from '../../store/internal/row-text.js';
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
  readonly core: Core;
  readonly http: McpRequest;
  readonly message: RpcRequest;
  readonly envelope: Envelope;
  readonly accepted: Accepted;
}

/** Answers one message of the stateless era. */
export async function serveStateless(
  core: Core,
  methods: MethodTable,
  http: McpRequest,
  message: RpcRequest | RpcNotification,
  accepted: Accepted | undefined,
): Promise<Reply> {
  const id = message.kind === 'request' ? message.id : undefined;
  try {
    if (message.kind === 'notification') {
      if (claimOf(message.params) !== undefined) checkClaim(message.params, http);
      return ACCEPTED;
    }
    if (!accepted) return jsonReply(errorText(id, RPC.invalidRequest, 'Not acceptable'), 406);
    return await serveRequest(core, methods, http, message, accepted);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return jsonReply(errorText(id, error.code, error.message, error.data), error.status);
  }
}

/** Runs the checks in a fixed order. The first failed check determines the answer. */
async function serveRequest(
  core: Core,
  methods: MethodTable,
  http: McpRequest,
  message: RpcRequest,
  accepted: Accepted,
): Promise<Reply> {
  const params = message.params ?? {};
  checkClaim(params, http);
  if (!isOnce(http.header('mcp-protocol-version'), STATELESS_VERSION)) throw mismatch('MCP-Protocol-Version');
  if (!isOnce(http.header('mcp-method'), message.method)) throw mismatch('Mcp-Method');
  const place = { core, http, session: undefined };
  const method = findMethod(methods, 'stateless', message.method, place);
  if (!method) throw new RpcError(RPC.methodNotFound, 'Method not found', undefined, 404);
  checkName(http, method, params);
  const envelope = readEnvelope(params);
  const request: StatelessRequest = { core, http, message, envelope, accepted };
  const hookContext = () => contextOf(scopeOf(request, freshMemory()));
  const asked: MethodRequest = {
    core,
    http,
    session: undefined,
    methods,
    era: 'stateless',
    id: message.id,
    params,
    accepted,
    hookContext,
  };
  if (method.agrees?.(asked) === false) throw mismatch('Mcp-Param');
  const answer = await method.answer(asked);
  if ('reply' in answer) return answer.reply;
  if ('result' in answer) {
    const { members, cache } = answer.result;
    const text = `{${members === '' ? '' : `${members},`}${stampText(core, cache)}}`;
    return replyWith(resultText(message.id, text), accepted);
  }
  const { target } = answer.call;
  const missing = missingKinds(envelope.capabilities, target.requires);
  if (missing) throw missingCapabilityError(missing);
  checkScopes(http, target);
  return runCall(request, answer.call);
}

/** The message and its headers must claim this revision. */
function checkClaim(params: JsonObject | undefined, http: McpRequest): void {
  const claim = claimOf(params);
  const meta = own(params ?? {}, '_meta');
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

function checkName(http: McpRequest, { named }: DefinedMethod, params: JsonObject): void {
  if (named === undefined) return;
  const name = own(params, named);
  const values = http.header('mcp-name');
  const agrees = typeof name === 'string' ? headerEquals(values, name) : values.length === 0;
  if (!agrees) throw mismatch('Mcp-Name');
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
function stampText({ settings }: Core, hint: Required<CacheHint> | undefined): string {
  const meta = JSON.stringify({ [META.serverInfo]: settings.info });
  const caching = hint ? `"ttlMs":${hint.ttlMs},"cacheScope":"${hint.scope}",` : '';
  return `"resultType":"complete",${caching}"_meta":${meta}`;
}

function stamp(core: Core, result: JsonObject, resultType: string): JsonObject {
  const meta = isObject(result._meta) ? result._meta : {};
  return { ...result, resultType, _meta: { ...meta, [META.serverInfo]: core.settings.info } };
}

function scopeOf({ core, http, message, envelope }: StatelessRequest, memory: RunMemory, call?: Call): RunScope {
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
    logLevel: () => (core.settings.logging ? logLevel : undefined),
    target: call?.target.name ?? message.method,
    maxKeptBytes: keptBytes(core.settings.spill),
    asks: call?.target.asks ?? NO_ASKS,
    asking: 'pause',
    canClose: taskOf(call, capabilities)?.at === 'closeStream',
    keepsEvents: false,
  };
}

/** The rules for a task, if the client supports tasks. */
function taskOf(call: Call | undefined, capabilities: ClientCapabilities): Tool['task'] {
  return takesTasks(capabilities) ? (call?.target as Partial<Tool> | undefined)?.task : undefined;
}

/** True if the arguments are valid; the answer to invalid arguments is immediate. */
async function takesArguments({ target, args }: Call): Promise<boolean> {
  const checked = await (target as Partial<Tool>).checkInput?.(args);
  return checked === undefined || 'value' in checked;
}

function newTask({ http, message: { id }, envelope }: StatelessRequest, memory: RunMemory): NewTask {
  const { params, client, capabilities } = envelope;
  return { http, request: { id, params }, client, capabilities, memory };
}

/** Runs a handler, or runs it again with the answers of the request. */
async function runCall(request: StatelessRequest, call: Call): Promise<Reply> {
  const { core, http, message, envelope, accepted } = request;
  const { method, id } = message;
  const isRetry =
    own(envelope.params, 'inputResponses') !== undefined || own(envelope.params, 'requestState') !== undefined;
  const memory = isRetry ? await readRetry(core, http, method, call, envelope.params) : freshMemory();
  const { task } = call.target as Registered & Partial<Tool>;
  if (task?.required && !takesTasks(envelope.capabilities))
    throw missingCapabilityError({ extensions: { [TASKS]: {} } });
  if (taskOf(call, envelope.capabilities)?.at === 'start' && (await takesArguments(call))) {
    const created = await createTask(core, newTask(request, memory));
    return replyWith(
      created instanceof RpcError
        ? errorText(id, created.code, created.message)
        : resultText(id, JSON.stringify(stamp(core, created, 'task'))),
      accepted,
    );
  }
  const run = startRun(scopeOf(request, memory, call), (ctx) => call.invoke(ctx));
  const end = async (outcome: Outcome): Promise<Ending> => {
    const result = await finish(request, call, run, outcome, isRetry);
    if (result === undefined) {
      const cancelled = errorText(id, RPC.internalError, 'Cancelled');
      return { messages: accepted.sse ? [] : [cancelled], status: 200, form: 'any' };
    }
    if (!(result instanceof RpcError))
      return { messages: [resultText(id, JSON.stringify(result))], status: 200, form: 'any' };
    return { messages: [errorText(id, result.code, result.message, result.data)], status: result.status, form: 'json' };
  };
  return deliver({ http, accepted, run, sink: plainSink(end) });
}

/** The result or the error; nothing for a cancelled call. */
async function finish(
  request: StatelessRequest,
  call: Call,
  run: Run,
  outcome: Outcome,
  isRetry: boolean,
): Promise<JsonObject | RpcError | undefined> {
  const { core, http, message } = request;
  if (outcome.kind === 'cancelled') return undefined;
  if (outcome.kind === 'closed') {
    const created = await createTask(
      lastingCore(core, http.clock, toTheEnd(http)),
      newTask(request, run.remember(outcome)),
    );
    return created instanceof RpcError ? created : stamp(core, created, 'task');
  }
  if (outcome.kind === 'questions') {
    const inputRequests = Object.fromEntries(outcome.questions.map(({ key, request }) => [key, request]));
    const memory = run.remember(outcome);
    const { questions, returned } = outcome;
    try {
      const requestState = await sealState(
        lastingCore(core, http.clock, toTheEnd(http)),
        http,
        message.method,
        call,
        memory,
        questions,
        returned,
      );
      return stamp(core, { inputRequests, requestState }, 'input_required');
    } catch (error) {
      if (error instanceof RpcError) return error;
      logFailure(() => http.log, 'mcp.state_not_kept', error, { target: call.name });
      return new RpcError(RPC.internalError, 'The store failed', { code: 'mcp.store' }, 503);
    }
  }
  const result = await toResult(call, 'stateless', outcome, http);
  if (result instanceof RpcError) return result;
  const stamped = stamp(core, result, 'complete');
  if (!call.cache) return stamped;
  const { ttlMs, scope } = isRetry ? { ttlMs: 0, scope: 'private' } : (call.cache.hint ?? core.settings.cache);
  return { ...stamped, ttlMs, cacheScope: scope };
}

// Only this era has tasks. Their code is loaded with it.
export { lastingCore, whileClientWaits } from '../../store/internal/lasting.js';
export { changeTask } from '../../tasks/internal/rows.js';
export { detailOf, findTask, isOver, notifyOfTask, startAnswered, takesTasks } from '../../tasks/internal/task.js';
