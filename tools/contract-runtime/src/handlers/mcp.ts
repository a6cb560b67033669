import type { JsonObject, Named } from '@sallyport/contract';
import { McpToolError, type PromptHandler, type ResourceHandler, type ToolHandler } from '@sallyport/mcp';
import { failAs } from '../failure.js';
import { Unsupported } from '../unsupported.js';
import type { World } from '../world.js';
import { readNamed } from './named.js';

type Tool = ToolHandler<Record<string, unknown>, undefined, 'elicitation'>;

const WANTED = { type: 'object' as const, properties: { name: { type: 'string' } }, required: ['name'] };

const TOOLS: Readonly<Record<string, (parameters: JsonObject) => Tool>> = {
  tool_echo: () => (args) => ({ structured: args }),
  tool_fail: (parameters) => () => {
    if (parameters.kind === 'shown') throw new McpToolError(String(parameters.message));
    return failAs(parameters);
  },
  tool_steps:
    ({ steps }) =>
    (_args, ctx) => {
      for (let step = 1; step <= Number(steps); step += 1) ctx.progress(step, Number(steps), `step ${step}`);
      return 'done';
    },
  tool_ask:
    ({ keys = ['who'] }) =>
    async (_args, ctx) => {
      const names: string[] = [];
      for (const key of keys as readonly string[]) {
        const { action, content } = await ctx.elicit({ message: 'Who?', requestedSchema: WANTED }, key);
        if (action !== 'accept') return 'nobody';
        names.push(String(content?.name));
      }
      return `Hello, ${names.join(' and ')}!`;
    },
};

const PROMPTS: Readonly<Record<string, () => PromptHandler>> = {
  prompt_greet:
    () =>
    ({ name }) =>
      `Hello, ${name}!`,
};

const RESOURCES: Readonly<Record<string, (parameters: JsonObject) => ResourceHandler>> = {
  resource_text:
    ({ text }) =>
    () =>
      String(text),
};

/** The tool that a fixture names; `calls` records that it ran. */
export function toolHandler(named: Named, { calls }: World): Tool {
  const run = make(TOOLS, named);
  return (args, ctx) => {
    calls.push({ tool: readNamed(named)?.use ?? '' });
    return run(args, ctx);
  };
}

export function promptHandler(named: Named): PromptHandler {
  return make(PROMPTS, named);
}

export function resourceHandler(named: Named): ResourceHandler {
  return make(RESOURCES, named);
}

function make<T>(kinds: Readonly<Record<string, (parameters: JsonObject) => T>>, named: Named): T {
  const read = readNamed(named);
  const found = read && kinds[read.use];
  if (!found) throw new Unsupported(`no MCP handler ${read?.use ?? 'of null'} here`);
  return found(read.parameters);
}

export const MCP_HANDLER_NAMES = [TOOLS, PROMPTS, RESOURCES].flatMap((kinds) => Object.keys(kinds));
