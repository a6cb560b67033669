import { createMcpServer, type McpServer, McpToolError } from '@sallyport/mcp';
import * as z from 'zod';

const RECIPES = new Map([
  ['bread', 'flour, water, salt, yeast'],
  ['pancakes', 'flour, milk, eggs'],
]);

/** The MCP server for assistants: one tool and one resource. It serves both protocol eras and keeps no state between calls. */
export function createToolServer(): McpServer {
  // A stream of changes must end before the function's timeout of 15 seconds.
  const server = createMcpServer({ name: '__APP_NAME__', version: '1.0.0', listenMs: 10_000 });
  server.tool(
    'find_recipe',
    {
      description: 'What is needed for a dish.',
      input: z.object({ dish: z.string().max(100) }),
      annotations: { readOnlyHint: true },
      scopes: ['recipes:read'],
    },
    ({ dish }) => {
      const needed = RECIPES.get(dish);
      // The only error whose message the assistant can read.
      if (needed === undefined) throw new McpToolError(`There is no recipe for it. There are: ${names()}.`);
      return { structured: { dish, needed } };
    },
  );
  const index = { name: 'index', description: 'All dishes.', mimeType: 'text/plain', scopes: ['recipes:read'] };
  server.resource('recipes://index', index, names);
  return server;
}

function names(): string {
  return [...RECIPES.keys()].join(', ');
}
