import type { Accepted } from '../../http/internal/accept.js';
import { checkScopes, missingMeta, readProgressToken, replyWith } from '../../http/internal/answering.js';
import { ACCEPTED, type Exchange, jsonReply, type Reply } from '../../http/internal/exchange.js';
import { loadCompletion, loadRetries, loadSubscriptions } from '../../http/internal/lazy.js';
import { capabilitiesOf } from '../../methods/internal/capabilities.js';
import { LIST_METHODS, listPage } from '../../methods/internal/lists.js';
import { claimOf } from '../../protocol/internal/era.js';
import { headerEquals, paramHeadersAgree } from '../../protocol/internal/header-values.js';
import {
  errorText,
  isObject,
  own,
  type RpcNotification,
  type RpcRequest,
  resultText,
} from '../../protocol/internal/json-rpc.js';
import { isLogLevel, type LogLevel, META, RPC, STATELESS_VERSION } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation, JsonObject } from '../../protocol/types.js';
import { missingKinds } from '../../run/internal/ask.js';
import { CALL_METHODS, type Call, invalidParams, resolveCall } from '../../run/internal/call.js';
import { deliver, type Ending, plainSink } from '../../run/internal/deliver.js';
import { missingCapabilityError, toResult } from '../../run/internal/endings.js';
import { Run } from '../../run/internal/run.js';
import { freshMemory, type RunMemory } from '../../run/internal/run-memory.js';
import type { Outcome, RunScope } from '../../run/internal/run-scope.js';
import type { CacheHint } from '../../server/definitions.js';
import { RpcError } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';

/** What a request says of itself and of its sender. */
interface Envelope {
  readonly params: JsonObject;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly progressToken: string | number | undefined;
}

/** Which of the empty registries makes a method unknown. */
function isServed(core: Core, exchange: Exchange, method: string): boolean {
  const { registry, settings } = core;
  if (method === 'server/discover') return true;
  if (method === 'tools/list' || method === 'tools/call') return registry.tools.size > 0;
  if (method === 'prompts/list' || method === 'prompts/get') return registry.prompts.size > 0;
  if (method === 'completion/complete') return registry.hasCompleters;
  if (method === 'subscriptions/listen') return settings.changes && exchange.canStream;
  return ['resources/list', 'resources/templates/list', 'resources/read'].includes(method) && registry.hasResources;
}

/** Answers one message of the stateless era. */
export async function serveStateless(
  core: Core,
  exchange: Exchange,
  message: RpcRequest | RpcNotification,
  accepted: Accepted | undefined,
): Promise<Reply> {
  const id = message.kind === 'request' ? message.id : undefined;
  try {
    if (message.kind === 'notification') {
      if (claimOf(message.params) !== undefined) checkClaim(message.params, exchange);
      return ACCEPTED;
    }
    if (!accepted) return jsonReply(errorText(id, RPC.invalidRequest, 'Not acceptable'), 406);
    return await climb(core, exchange, message, accepted);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return jsonReply(errorText(id, error.code, error.message, error.data), error.status);
  }
}

/** The ladder: the first failing rung answers. */
async function climb(core: Core, exchange: Exchange, message: RpcRequest, accepted: Accepted): Promise<Reply> {
  const { method } = message;
  const params = message.params ?? {};
  checkClaim(params, exchange);
  if (!isOnce(exchange.header('mcp-protocol-version'), STATELESS_VERSION)) throw mismatch('MCP-Protocol-Version');
  if (!isOnce(exchange.header('mcp-method'), method)) throw mismatch('Mcp-Method');
  if (!isServed(core, exchange, method)) throw new RpcError(RPC.methodNotFound, 'Method not found', undefined, 404);
  checkName(exchange, method, params);
  const envelope = readEnvelope(params);
  if (!CALL_METHODS.has(method)) return dispatch(core, exchange, message, envelope, accepted);
  checkParamHeaders(core, exchange, method, params);
  const call = resolveCall(core.registry, 'stateless', method, params);
  const missing = missingKinds(envelope.capabilities, call.target.requires);
  if (missing) throw missingCapabilityError(missing);
  checkScopes(exchange, call.target.scopes);
  return runCall(core, exchange, message, envelope, call, accepted);
}

/** Rungs 1 to 3. */
function checkClaim(params: JsonObject | undefined, exchange: Exchange): void {
  const claim = claimOf(params);
  const meta = own(params ?? {}, '_meta');
  const capabilities = isObject(meta) ? own(meta, META.clientCapabilities) : undefined;
  if (typeof claim !== 'string' || !isObject(capabilities)) throw missingMeta(params);
  const headers = exchange.header('mcp-protocol-version');
  if (headers.length > 0 && !isOnce(headers, claim)) throw mismatch('MCP-Protocol-Version');
  if (claim === STATELESS_VERSION) return;
  const data = { supported: [STATELESS_VERSION], requested: claim };
  throw new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', data, 400);
}

function mismatch(header: string): RpcError {
  return new RpcError(RPC.headerMismatch, `Header mismatch: ${header}`, undefined, 400);
}

/** Exactly one value; spaces around it do not count, case does. */
function isOnce(values: readonly string[], text: string): boolean {
  return values.length === 1 && values[0]?.trim() === text;
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

function checkName(exchange: Exchange, method: string, params: JsonObject): void {
  const member = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined;
  if (member === undefined) return;
  const name = own(params, member);
  const values = exchange.header('mcp-name');
  const agrees = typeof name === 'string' ? headerEquals(values, name) : values.length === 0;
  if (!agrees) throw mismatch('Mcp-Name');
}

function checkParamHeaders(core: Core, exchange: Exchange, method: string, params: JsonObject): void {
  const name = method === 'tools/call' ? own(params, 'name') : undefined;
  const tool = typeof name === 'string' ? core.registry.tools.get(name) : undefined;
  if (!tool || tool.paramHeaders.length === 0) return;
  const args = own(params, 'arguments') ?? {};
  const agree = isObject(args) && paramHeadersAgree(tool.paramHeaders, args, (header) => exchange.header(header));
  if (!agree) throw mismatch('Mcp-Param');
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

/** Methods that run no tool, resource or prompt. */
async function dispatch(
  core: Core,
  exchange: Exchange,
  message: RpcRequest,
  envelope: Envelope,
  accepted: Accepted,
): Promise<Reply> {
  const { method, id } = message;
  const { params } = envelope;
  const list = LIST_METHODS.get(method);
  if (list) {
    const scope = () => new Run(scopeOf(core, exchange, envelope, freshMemory()));
    const members = await listPage(core, list, params, scope);
    const hint = core.settings.listFilter ? { ...core.settings.cache, scope: 'private' as const } : core.settings.cache;
    return answerText(id, `{${members},${stampText(core, hint)}}`, accepted);
  }
  if (method === 'server/discover') return answerText(id, discoverText(core, exchange), accepted);
  if (method === 'subscriptions/listen') {
    return (await loadSubscriptions()).serveSubscriptions(core, exchange, message, accepted);
  }
  const { resolveCompletion } = await loadCompletion();
  const completion = resolveCompletion(core.registry, 'stateless', params);
  checkScopes(exchange, completion.target.scopes);
  const call: Call = {
    ...{ target: completion.target, name: completion.target.name, args: undefined },
    invoke: (ctx) => completion.invoke(ctx),
    complete: (answer) => answer as JsonObject,
  };
  return runCall(core, exchange, message, envelope, call, accepted);
}

function answerText(id: string | number, result: string, accepted: Accepted): Reply {
  return replyWith(resultText(id, result), accepted);
}

function discoverText(core: Core, exchange: Exchange): string {
  const { settings } = core;
  const members = JSON.stringify({
    supportedVersions: [STATELESS_VERSION],
    capabilities: capabilitiesOf(core, 'stateless', exchange.canStream),
    instructions: settings.instructions,
  });
  return `${members.slice(0, -1)},${stampText(core, settings.cache)}}`;
}

/** Members that every complete result of this era has; with a hint, the caching ones too. */
function stampText({ settings }: Core, { ttlMs, scope }: Required<CacheHint>): string {
  const meta = JSON.stringify({ [META.serverInfo]: settings.info });
  return `"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"${scope}","_meta":${meta}`;
}

function stamp(core: Core, result: JsonObject, resultType: string): JsonObject {
  const meta = isObject(result._meta) ? result._meta : {};
  return { ...result, resultType, _meta: { ...meta, [META.serverInfo]: core.settings.info } };
}

function scopeOf(core: Core, exchange: Exchange, envelope: Envelope, memory: RunMemory, call?: Call): RunScope {
  const { client, capabilities, logLevel, progressToken } = envelope;
  return {
    ...{ exchange, era: 'stateless', protocolVersion: STATELESS_VERSION, client, progressToken, memory },
    clientCapabilities: capabilities,
    logLevel: () => (core.settings.logging ? logLevel : undefined),
    asks: call?.target.asks ?? new Set(),
    asking: 'park',
    canClose: false,
  };
}

async function runCall(
  core: Core,
  exchange: Exchange,
  message: RpcRequest,
  envelope: Envelope,
  call: Call,
  accepted: Accepted,
): Promise<Reply> {
  const { method, id } = message;
  const isRetry =
    own(envelope.params, 'inputResponses') !== undefined || own(envelope.params, 'requestState') !== undefined;
  const memory = isRetry
    ? await (await loadRetries()).readRetry(core, exchange, method, call, envelope.params)
    : freshMemory();
  const run = new Run(scopeOf(core, exchange, envelope, memory, call)).start((ctx) => call.invoke(ctx));
  const end = async (outcome: Outcome): Promise<Ending> => {
    const result = await finish(core, exchange, method, call, run, outcome, isRetry);
    if (result === undefined) {
      const cancelled = errorText(id, RPC.internalError, 'Cancelled');
      return { messages: accepted.sse ? [] : [cancelled], status: 200, form: 'any' };
    }
    if (!(result instanceof RpcError))
      return { messages: [resultText(id, JSON.stringify(result))], status: 200, form: 'any' };
    return { messages: [errorText(id, result.code, result.message, result.data)], status: result.status, form: 'json' };
  };
  return deliver({ core, exchange, accepted, run, sink: plainSink(end) });
}

/** The result, the error, or nothing for a call that was cancelled. */
async function finish(
  core: Core,
  exchange: Exchange,
  method: string,
  call: Call,
  run: Run,
  outcome: Outcome,
  isRetry: boolean,
): Promise<JsonObject | RpcError | undefined> {
  if (outcome.kind === 'cancelled' || outcome.kind === 'closed') return undefined;
  if (outcome.kind === 'questions') {
    const inputRequests = Object.fromEntries(outcome.questions.map(({ key, request }) => [key, request]));
    const returned = outcome.returned ? outcome.questions : [];
    const { sealState } = await loadRetries();
    const requestState = await sealState(core, exchange, method, call, run.remember(outcome), returned);
    return stamp(core, { inputRequests, ...(requestState === undefined ? {} : { requestState }) }, 'input_required');
  }
  const result = await toResult(call, 'stateless', outcome, exchange);
  if (result instanceof RpcError) return result;
  const stamped = stamp(core, result, 'complete');
  if (!call.cache) return stamped;
  const { ttlMs, scope } = isRetry ? { ttlMs: 0, scope: 'private' } : (call.cache.hint ?? core.settings.cache);
  return { ...stamped, ttlMs, cacheScope: scope };
}
