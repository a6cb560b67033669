import { createMcpServer, type McpServer, McpToolError } from '@sallyport/mcp';
import * as z from 'zod';

const RECIPES = new Map([
  ['bread', 'flour, water, salt, yeast'],
  ['pancakes', 'flour, milk, eggs'],
]);

/** What assistants find: one tool and one resource. Both protocol eras are served, and nothing is kept between calls. */
export function createToolServer(): McpServer {
  // A stream of changes ends before the function does, which has 15 seconds.
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
      // The only error whose text the assistant gets to read.
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
