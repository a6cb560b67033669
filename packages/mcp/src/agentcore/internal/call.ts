import type { Context } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';
import { ContextRequest, checkScopes, type McpRequest } from '../../http/internal/transport.js';
import type { MethodRequest } from '../../methods/internal/method.js';
import { METHOD_TABLE } from '../../methods/internal/table.js';
import { callTool } from '../../methods/internal/tools.js';
import { nestsDeeper } from '../../protocol/internal/json-rpc.js';
import { LATEST_SESSION_VERSION } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import { toolError, toResult } from '../../run/internal/answer.js';
import type { Call } from '../../run/internal/call.js';
import { contextOf, startRun } from '../../run/internal/handler-context.js';
import { missingKinds } from '../../run/internal/record.js';
import { type FinalOutcome, HandlerRun, NO_ASKS, type RunScope } from '../../run/internal/run.js';
import { RpcError } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';

/**
 * Calls a tool for an agent, without questions to the client and without progress. Any error of the call is a result with
 * `isError`.
 *
 * @throws FrameworkError `app.forbidden` if the caller does not have a scope of the tool
 */
export async function callForAgent(
  server: ServerData,
  context: Context,
  name: string,
  args: unknown,
): Promise<JsonObject> {
  server.registry.close();
  const problem = problemOf(args, server.settings.maxBodyBytes);
  if (problem !== undefined) return toolError(problem);
  const http = new ContextRequest(context);
  try {
    const call = await resolveCall(server, http, name, args as JsonObject);
    checkScopes(http, call.target);
    const result = await toResult(call, 'session', await runCall(server, http, call), http);
    return result instanceof RpcError ? toolError(result.message) : result;
  } catch (error) {
    if (error instanceof RpcError) return toolError(error.message);
    throw error;
  }
}

/** The limits of arguments over HTTP. */
function problemOf(args: unknown, maxBytes: number): string | undefined {
  if (!isObject(args)) return '"arguments" must be an object';
  let text: string;
  try {
    text = JSON.stringify(args);
  } catch {
    return 'Nested too deeply';
  }
  if (nestsDeeper(text)) return 'Nested too deeply';
  return Buffer.byteLength(text) > maxBytes ? 'Request too large' : undefined;
}

/** @throws RpcError for an unknown tool */
async function resolveCall(server: ServerData, http: McpRequest, name: string, args: JsonObject): Promise<Call> {
  const hookContext = () => contextOf(scopeOf(server, http, undefined));
  const request: MethodRequest = {
    ...{ server, http, hookContext, session: undefined, methods: METHOD_TABLE, era: 'session' },
    ...{ id: http.requestId, params: { name, arguments: args }, accepted: { json: true, sse: false } },
  };
  const answer = await callTool.answer(request);
  if (!('call' in answer)) throw new Error('framework: mcp: a tool is not a call');
  return answer.call;
}

async function runCall(server: ServerData, http: McpRequest, call: Call): Promise<FinalOutcome> {
  const scope = scopeOf(server, http, call);
  const missing = missingKinds({}, call.target.requires);
  const run = new HandlerRun(scope);
  if (missing) run.lack(missing);
  else startRun(run, call);
  // A run without questions has only these outcomes.
  return (await run.outcome) as FinalOutcome;
}

function scopeOf(server: ServerData, http: McpRequest, call: Call | undefined): RunScope {
  return {
    ...{ http, era: 'session', protocolVersion: LATEST_SESSION_VERSION, client: undefined, clientCapabilities: {} },
    ...{ progressToken: undefined, requestId: http.requestId, meta: undefined, sessionId: undefined },
    ...{
      facts: { method: 'tools/call', ...call?.target.facts },
      asks: call?.target.asks ?? NO_ASKS,
      asking: 'no',
    },
    ...{ canClose: false, keepsEvents: false, memory: undefined, logLevel: () => undefined },
    maxKeptBytes: server.maxKeptBytes,
  };
}
