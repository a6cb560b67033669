import { guardHook, isObject } from '@sallyport/core/internal';
import { paramHeadersAgree } from '../../protocol/internal/header-values.js';
import { own } from '../../protocol/internal/json-rpc.js';
import type { JsonObject } from '../../protocol/types.js';
import type { McpAskingContext } from '../../run/context.js';
import { type Report, toolError } from '../../run/internal/call.js';
import { invalidParams, McpToolError } from '../../server/errors.js';
import type { Tool } from '../../server/internal/registry.js';
import { defineList, defineMethod, isAuthorized, type MethodPlace } from './method.js';

const hasTools = ({ core }: MethodPlace) => core.registry.tools.size > 0;

export const listTools = defineList('tools/list', 'tools', {
  isServed: hasTools,
  capability: (live) => ({ tools: live ? { listChanged: true } : {} }),
});

export const callTool = defineMethod({
  name: 'tools/call',
  eras: ['session', 'stateless'],
  isServed: hasTools,
  named: 'name',
  agrees({ core, http, params }) {
    const name = own(params, 'name');
    const tool = typeof name === 'string' ? core.registry.tools.get(name) : undefined;
    if (!tool || tool.paramHeaders.length === 0) return true;
    const args = own(params, 'arguments') ?? {};
    return isObject(args) && paramHeadersAgree(tool.paramHeaders, args, (header) => http.header(header));
  },
  calls: true,
  hooked: true,
  handle({ core, params }) {
    const name = own(params, 'name');
    const tool = typeof name === 'string' ? core.registry.tools.get(name) : undefined;
    if (!tool) throw invalidParams('Unknown tool');
    const args = own(params, 'arguments') ?? {};
    if (!isObject(args)) throw invalidParams('"arguments" must be an object');
    return {
      call: {
        target: tool,
        name: tool.name,
        args,
        invoke: (ctx) => runTool(tool, args, ctx),
        complete: (answer, report) => toToolResult(tool, answer, report),
      },
    };
  },
});

function runTool(tool: Tool, args: JsonObject, ctx: McpAskingContext): unknown {
  const checked = tool.checkInput ? tool.checkInput(args) : { value: args };
  const run = (result: Awaited<typeof checked>): unknown => {
    if ('issues' in result) return toolError(`Invalid arguments: ${result.issues.join('; ')}`);
    return tool.authorize ? runAuthorized(tool, result.value, ctx) : tool.handler(result.value, ctx);
  };
  // In a test runner's sandbox the promise of a loaded module is from another realm, so `instanceof Promise` is false.
  return 'then' in checked ? checked.then(run) : run(checked);
}

/** Runs a tool for a caller who may call it with these arguments. An error of the check counts as a rejection, and is logged. */
async function runAuthorized(tool: Tool, args: unknown, ctx: McpAskingContext): Promise<unknown> {
  if (await isAuthorized(tool, ctx, args)) return tool.handler(args, ctx);
  throw new McpToolError('You may not call this tool with these arguments.');
}

/** Converts the return value of a tool's handler to a full result, and checks its structured part. */
async function toToolResult(tool: Tool, answer: unknown, report: Report): Promise<JsonObject> {
  const result = expandAnswer(answer);
  if (!tool.checkOutput || result.isError === true) return result;
  const { structuredContent } = result;
  const checked =
    structuredContent === undefined ? { issues: ['/: required'] } : await tool.checkOutput(structuredContent);
  if (!('issues' in checked)) return result;
  guardHook(() => report.log.error('mcp.output_mismatch', { tool: tool.name, issues: checked.issues }));
  return toolError(`Tool returned an invalid result (request ${report.requestId})`);
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
