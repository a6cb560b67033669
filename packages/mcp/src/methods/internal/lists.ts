import { own } from '../../protocol/internal/json-rpc.js';
import type { JsonObject } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import { invalidParams } from '../../run/internal/call.js';
import type { Core } from '../../server/internal/core.js';
import type { Registered } from '../../server/internal/registered.js';
import { type ListName, toPages } from '../../server/internal/registry.js';
import { macText } from '../../store/internal/crypto.js';

export const LIST_METHODS: ReadonlyMap<string, ListName> = new Map([
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
]);

/**
 * The members of a page of a list, as JSON text without braces.
 *
 * @throws RpcError for a cursor that is not one of this list as it is now
 */
export async function listPage(
  core: Core,
  name: ListName,
  params: JsonObject | undefined,
  context: () => McpContext,
): Promise<string> {
  const { registry, settings } = core;
  const pages = registry.pages(name, settings.pageSize);
  const cursor = params === undefined ? undefined : own(params, 'cursor');
  const index = cursor === undefined ? 0 : await parseCursor(core, name, cursor);
  const items = settings.listFilter ? await filteredPage(core, name, index, context()) : pages[index];
  if (items === undefined) throw invalidParams('Invalid cursor');
  const next =
    index + 1 < pages.length ? `,"nextCursor":${JSON.stringify(await makeCursor(core, name, index + 1))}` : '';
  return `"${name}":${items}${next}`;
}

/** The page's entries that this caller may see. Pages keep their places, so that cursors mean the same to everyone. */
async function filteredPage(core: Core, name: ListName, index: number, ctx: McpContext): Promise<string> {
  const { registry, settings } = core;
  const start = index * settings.pageSize;
  const kept: Registered[] = [];
  for (const item of registry.list(name).slice(start, start + settings.pageSize)) {
    const { kind, name: itemName, scopes } = item;
    if (await settings.listFilter?.(ctx, { kind, name: itemName, scopes })) kept.push(item);
  }
  return toPages(kept, settings.pageSize)[0] ?? '[]';
}

async function makeCursor(core: Core, name: ListName, index: number): Promise<string> {
  return `${index}.${await cursorMac(core, name, index)}`;
}

async function parseCursor(core: Core, name: ListName, cursor: unknown): Promise<number> {
  const match = typeof cursor === 'string' ? /^([1-9]\d{0,8})\.[\w-]{16}$/.exec(cursor) : null;
  const index = Number(match?.[1]);
  if (!match || cursor !== (await makeCursor(core, name, index))) throw invalidParams('Invalid cursor');
  return index;
}

/** Bound to the registry, so that a cursor of an older deployment is refused instead of skipping entries. */
async function cursorMac({ registry, sealer, settings }: Core, name: ListName, index: number): Promise<string> {
  const text = `${name}|${index}|${settings.pageSize}|${registry.digest}`;
  return settings.secret === undefined ? macText(registry.digest, text) : sealer.mac('cursor', text);
}
