import type { JsonSchema, ServiceContract } from './contract.js';

/** The MCP servers of a contract by path, with their lists as the server returns them: `tools/list`, `prompts/list`, `resources/list`. */
export function toMcp({ mcp }: ServiceContract): JsonSchema {
  const plain = (items: readonly JsonSchema[]) => items.map(({ scopes: _, ...item }) => item);
  return Object.fromEntries(
    Object.entries(mcp).map(([path, { info, tools, prompts, resources, templates }]) => [
      path,
      {
        serverInfo: info,
        tools: plain(tools),
        prompts: plain(prompts),
        resources: plain(resources),
        resourceTemplates: plain(templates),
      },
    ]),
  );
}
