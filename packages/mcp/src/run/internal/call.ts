import { isObject, own } from '../../protocol/internal/json-rpc.js';
import { type Era, RPC } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import type { CacheHint } from '../../server/definitions.js';
import { RpcError } from '../../server/errors.js';
import type { Registered, Tool } from '../../server/internal/registered.js';
import type { Registry } from '../../server/internal/registry.js';
import type { McpContext } from '../context.js';
import { type Report, toolError, toPromptResult, toResourceResult, toToolResult } from './results.js';

/** A request that runs a handler of the user's. */
export interface Call {
  readonly target: Registered;
  /** Name, or URI. */
  readonly name: string;
  /** Arguments, for digests. */
  readonly args: unknown;
  invoke(ctx: McpContext): unknown;
  /** The full result of what the handler returned. */
  complete(answer: unknown, report: Report): JsonObject | Promise<JsonObject>;
  /** Set where results carry caching hints; `undefined` inside means the server's own. */
  readonly cache?: { readonly hint: Required<CacheHint> | undefined };
}

export const CALL_METHODS: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

/**
 * The call that a request names.
 *
 * @throws RpcError for unknown names and malformed parameters
 */
export function resolveCall(registry: Registry, era: Era, method: string, params: JsonObject): Call {
  if (method === 'tools/call') return toolCall(registry, params);
  return method === 'prompts/get' ? promptCall(registry, params) : readCall(registry, era, params);
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(RPC.invalidParams, message, data);
}

function toolCall(registry: Registry, params: JsonObject): Call {
  const name = own(params, 'name');
  const tool = typeof name === 'string' ? registry.tools.get(name) : undefined;
  if (!tool) throw invalidParams('Unknown tool');
  const args = own(params, 'arguments') ?? {};
  if (!isObject(args)) throw invalidParams('"arguments" must be an object');
  return {
    target: tool,
    name: tool.name,
    args,
    invoke: (ctx) => runTool(tool, args, ctx),
    complete: (answer, report) => toToolResult(tool, answer, report),
  };
}

function runTool(tool: Tool, args: JsonObject, ctx: McpContext): unknown {
  const checked = tool.checkInput ? tool.checkInput(args) : { value: args };
  const run = (result: Awaited<typeof checked>): unknown => {
    if ('issues' in result) return toolError(`Invalid arguments: ${result.issues.join('; ')}`);
    return tool.handler(result.value as JsonObject, ctx);
  };
  return checked instanceof Promise ? checked.then(run) : run(checked);
}

function readCall(registry: Registry, era: Era, params: JsonObject): Call {
  const uri = own(params, 'uri');
  if (typeof uri !== 'string') throw invalidParams('"uri" must be a text');
  const found = registry.findResource(uri);
  if (!found) throw unknownResource(era, uri);
  const target = 'resource' in found ? found.resource : found.template;
  return {
    target,
    name: uri,
    args: undefined,
    invoke: (ctx) => {
      return 'resource' in found ? found.resource.handler(uri, ctx) : found.template.handler(found.variables, ctx, uri);
    },
    complete: (answer) => {
      const result = toResourceResult(uri, target.mimeType, answer);
      if (!result) throw unknownResource(era, uri);
      return result;
    },
    cache: { hint: target.cache },
  };
}

export function unknownResource(era: Era, uri: string): RpcError {
  return new RpcError(era === 'session' ? RPC.resourceNotFound : RPC.invalidParams, 'Resource not found', { uri });
}

function promptCall(registry: Registry, params: JsonObject): Call {
  const name = own(params, 'name');
  const prompt = typeof name === 'string' ? registry.prompts.get(name) : undefined;
  if (!prompt) throw invalidParams('Unknown prompt');
  const args = toTexts(own(params, 'arguments') ?? {});
  if (!args) throw invalidParams('"arguments" must be an object of texts');
  for (const [argument, { required }] of prompt.args) {
    if (required && args[argument] === undefined) throw invalidParams(`Missing argument "${argument}"`);
  }
  return {
    target: prompt,
    name: prompt.name,
    args,
    invoke: (ctx) => prompt.handler(args, ctx),
    complete: toPromptResult,
  };
}

/** A map of texts without a prototype, or `undefined`. */
export function toTexts(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined;
  const texts: Record<string, string> = Object.create(null);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') return undefined;
    texts[key] = text;
  }
  return texts;
}
