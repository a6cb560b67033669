import { fromJson, guardHook, isObject } from '@sallyport/core/internal';
import { decodeHeaderValue, type McpRequest } from '../../http/internal/transport.js';
import { nestsDeeper, own } from '../../protocol/internal/json-rpc.js';
import type { JsonObject } from '../../protocol/types.js';
import { toolError } from '../../run/internal/answer.js';
import type { Call } from '../../run/internal/call.js';
import { invalidParams, McpToolError } from '../../server/errors.js';
import type { ParamHeader, Tool, ValueCheck } from '../../server/internal/registry.js';
import { defineList } from './lists.js';
import { defineMethod, isAuthorized, type MethodPlace } from './method.js';

const hasTools = ({ server }: MethodPlace) => server.registry.tools.size > 0;

export const listTools = defineList('tools/list', 'tools', {
  isServed: hasTools,
  capability: (notifies) => ({ tools: notifies ? { listChanged: true } : {} }),
});

export const callTool = defineMethod({
  name: 'tools/call',
  eras: ['session', 'stateless'],
  isServed: hasTools,
  named: 'name',
  findsCall: true,
  hooked: true,
  handle({ server, params }) {
    const name = own(params, 'name');
    const tool = typeof name === 'string' ? server.registry.tools.get(name) : undefined;
    if (!tool) throw invalidParams('Unknown tool');
    const args = own(params, 'arguments') ?? {};
    return { call: isObject(args) ? callOf(tool, args) : callOfOther(tool, args) };
  },
});

/** The call for arguments that are not an object. Models send objects as JSON text; for any other value the model gets an error. */
function callOfOther(tool: Tool, args: unknown): Call {
  const parsed = typeof args === 'string' && !nestsDeeper(args) ? fromJson(args) : undefined;
  if (isObject(parsed)) return callOf(tool, parsed);
  const failed = toolError('Invalid arguments: /: type object');
  return { ...callOf(tool, {}), invoke: () => failed, complete: () => failed };
}

/** The call of a tool: checks its arguments, runs its handler, and converts the return value to a full result. */
function callOf(tool: Tool, args: JsonObject): Call {
  return {
    method: 'tools/call',
    target: tool,
    name: tool.name,
    args,
    async invoke(ctx) {
      // Without a check, or with a check that is ready, the handler begins in this turn of the event loop.
      let checked = tool.checkInput?.(args);
      if (checked && 'then' in checked) checked = await checked;
      if (checked && 'issues' in checked) return toolError(`Invalid arguments: ${checked.issues.join('; ')}`);
      const value = checked ? checked.value : args;
      // An error of the check counts as a rejection, and is logged.
      if (tool.authorize && !(await isAuthorized(tool, ctx, value))) {
        throw new McpToolError('You may not call this tool with these arguments.');
      }
      return tool.handler(value, ctx);
    },
    complete: tool.checkOutput ? checkedAnswer(tool, tool.checkOutput) : expandAnswer,
  };
}

/** Converts an answer, and checks its structured part. */
function checkedAnswer(tool: Tool, check: ValueCheck): Call['complete'] {
  return async (answer, report) => {
    const result = expandAnswer(answer);
    if (result.isError === true) return result;
    const { structuredContent } = result;
    const checked = structuredContent === undefined ? { issues: ['/: required'] } : await check(structuredContent);
    if (!('issues' in checked)) return result;
    guardHook(() =>
      report.log.error('mcp.output_mismatch', { method: 'tools/call', ...tool.facts, issues: checked.issues }),
    );
    return toolError(`Tool returned an invalid result (request ${report.requestId})`);
  };
}

function expandAnswer(answer: unknown): JsonObject {
  if (typeof answer === 'string') return { content: [{ type: 'text', text: answer }] };
  if (isObject(answer)) {
    const { structured } = answer;
    if (isObject(structured))
      return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured };
    if (Array.isArray(answer.content)) return answer;
    if (isObject(answer.structuredContent)) {
      return { ...answer, content: [{ type: 'text', text: JSON.stringify(answer.structuredContent) }] };
    }
  }
  throw new TypeError('framework: mcp: a tool must return text, { structured } or a full result');
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * True if the `Mcp-Param-…` headers of the stateless era match the arguments. A value without its header, a header without its value, and
 * different values do not match.
 */
export function paramHeadersAgree(headers: readonly ParamHeader[], args: unknown, http: McpRequest): boolean {
  return headers.every(({ header, path }) => agrees(valueAt(args, path), http.header(header)));
}

function agrees(value: unknown, values: readonly string[]): boolean {
  if (value === undefined || value === null) return values.length === 0;
  if (values.length !== 1) return false;
  const text = decodeHeaderValue(values[0] ?? '');
  if (typeof value === 'number') return text !== undefined && NUMBER.test(text) && Number(text) === value;
  return typeof value === 'string' || typeof value === 'boolean' ? text === String(value) : false;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
