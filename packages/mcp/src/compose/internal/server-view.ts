import type { Context, Handler } from '@sallyport/core';
import { internalError, Lru, lazily } from '@sallyport/core/internal';
import { createOriginCheck } from '../../http/internal/origin.js';
import { Registry } from '../../server/internal/registry.js';
import type { ServerData } from '../../server/internal/server-data.js';
import { isToolSelection, selectsTool, type ToolSelection, tagsOf } from '../tool-selection.js';

const loadEngine = lazily(() => import('../../http/internal/engine.js'));

/** Selections with a registry in memory. */
const MAX_VIEWS = 100;

/**
 * A handler of a server that has only the selected tools in each request; the other tools do not exist in it. Prompts and resources are not
 * affected. `select` returns `undefined` for all tools.
 */
export function selectingHandler(
  server: ServerData,
  select: (ctx: Context) => ToolSelection | undefined | Promise<ToolSelection | undefined>,
): Handler {
  const isAllowed = createOriginCheck(server.settings.allowedOrigins);
  const views = new Lru<ServerData>(MAX_VIEWS);
  return async (ctx) => {
    const selection = await select(ctx);
    server.registry.close();
    const { answer } = await loadEngine();
    return answer({ server: selection === undefined ? server : viewOf(server, selection, views), isAllowed }, ctx);
  };
}

function viewOf(server: ServerData, selection: unknown, views: Lru<ServerData>): ServerData {
  if (!isToolSelection(selection))
    throw internalError('"tools" must return a list of tool names and tags, or undefined');
  const key = JSON.stringify(selection);
  const known = views.get(key);
  if (known) return known;
  const registry = new Registry();
  const { tools, prompts, resources, templates } = server.registry;
  for (const tool of tools.values()) if (selectsTool(selection, tool.name, tagsOf(tool))) registry.addTool(tool);
  for (const prompt of prompts.values()) registry.addPrompt(prompt);
  for (const resource of resources.values()) registry.addResource(resource);
  for (const template of templates.values()) registry.addTemplate(template);
  registry.close();
  const view = { ...server, registry };
  views.set(key, view);
  return view;
}
