import { fromJson } from '@sallyport/core/internal';
import { defineOptions, invalidOption } from '@sallyport/core/options';
import { invalidRegistration } from '../server/errors.js';
import type { Registered } from '../server/internal/registry.js';
import type { ServerData } from '../server/internal/server-data.js';
import type { McpServer } from '../server/server.js';
import { serverDataIn } from './internal/data.js';
import { assertPrefix, prefixed } from './internal/prefix.js';
import { selectsTool, TOOL_SELECTION, type ToolSelection, tagsOf } from './tool-selection.js';

/** Options of {@link mountServer}; an unknown key is rejected. */
export interface MountServerOptions {
  /** The tools that are mounted, by their names in the other server. Default: all. */
  readonly tools?: ToolSelection;
}

/** Validators and defaults for {@link MountServerOptions}. */
export const MOUNT_SERVER_OPTIONS = /* @__PURE__ */ defineOptions<MountServerOptions>()({ tools: TOOL_SELECTION });

/**
 * Adds the tools, prompts, resources and templates of another server of this process to a server. Names of tools and prompts get a prefix:
 * `notes_add`. URIs are not changed. Handlers, schemas, scopes and checks of the other server are kept; sessions, hooks and limits are defined
 * by the server. From then on, nothing can be registered on the other server.
 *
 * @param prefix letters, digits, `.`, `_` and `-`; `''` for no prefix
 * @throws FrameworkError `mcp.invalid_registration` for a name or URI that exists already, and for a tool that needs an option that the server
 *   does not have; `app.invalid_configuration` for an invalid option, and for another server with `onCall` or `listFilter`, which would not
 *   run; `mcp.closed` after the first request
 *
 * @example
 * mountServer(server, 'notes', notesServer, { tools: ['add', 'search_*'] });
 */
export function mountServer(
  server: McpServer,
  prefix: string,
  other: McpServer,
  options: MountServerOptions = {},
): void {
  const data = serverDataIn(server);
  const source = serverDataIn(other, 'other');
  const { tools } = MOUNT_SERVER_OPTIONS.parse(options);
  assertPrefix(prefix);
  if (data === source) throw invalidOption('other', 'another server');
  const { onCall, listFilter } = source.settings;
  if (onCall.length > 0 || listFilter) {
    throw invalidOption(
      'other',
      'a server without "onCall" and "listFilter": pass them to the server that clients use',
    );
  }
  const { registry } = source;
  const selected = [...registry.tools.values()].filter(
    (tool) => tools === undefined || selectsTool(tools, tool.name, tagsOf(tool)),
  );
  if (tools !== undefined && selected.length === 0) {
    throw invalidOption('tools', 'a selection of at least one tool of the other server');
  }
  const add = [
    ...selected.map((tool) => adder(data, 'tools', renamed(tool, prefix), (item) => data.registry.addTool(item))),
    ...[...registry.prompts.values()].map((prompt) =>
      adder(data, 'prompts', renamed(prompt, prefix), (item) => data.registry.addPrompt(item)),
    ),
    ...[...registry.resources.values()].map((item) =>
      adder(data, 'resources', item, (added) => data.registry.addResource(added)),
    ),
    ...[...registry.templates.values()].map((item) =>
      adder(data, 'templates', item, (added) => data.registry.addTemplate(added)),
    ),
  ];
  registry.close();
  for (const run of add) run();
}

/** Checks one registration, and returns the function that adds it: after an error, nothing was added. */
function adder<T extends Registered>(
  { settings, registry }: ServerData,
  map: 'tools' | 'prompts' | 'resources' | 'templates',
  item: T,
  add: (item: T) => void,
): () => void {
  const what = `${item.kind} "${item.name}"`;
  if (registry[map].has(item.name)) throw invalidRegistration(`${what} is registered twice; mount with another prefix`);
  if (item.task && settings.tasks === undefined) throw invalidRegistration(`${what} needs the option "tasks"`);
  if (item.asks.size > 0 && settings.secret === undefined)
    throw invalidRegistration(`${what} needs the option "secret"`);
  return () => add(item);
}

/** A registration with its prefix, in lists and in records. */
function renamed<T extends Registered>(item: T, prefix: string): T {
  const name = prefixed(prefix, item.name);
  const listed = JSON.stringify({ ...(fromJson(item.listed) as object), name });
  return { ...item, name, listed, facts: { ...item.facts, target: name } };
}
