import { fromJson, isObject, membersOf } from '@sallyport/core/internal';
import { kind, type OptionKind } from '@sallyport/core/options';
import type { Registered } from '../server/internal/registry.js';

/**
 * Names of tools, names that end with `*` for all names that begin so, and tags. The tags of a tool are the list `_meta.tags` of its
 * definition.
 */
export type ToolSelection = readonly (string | { readonly tag: string })[];

/** True if a value is a selection of tools. */
export function isToolSelection(value: unknown): value is ToolSelection {
  const isEntry = (entry: unknown) =>
    typeof entry === 'string' || (isObject(entry) && typeof entry.tag === 'string' && Object.keys(entry).length === 1);
  return Array.isArray(value) && value.every(isEntry);
}

/** Validates a selection of tools. */
export const TOOL_SELECTION: OptionKind<ToolSelection> = /* @__PURE__ */ kind<ToolSelection>(
  'a list of tool names ("notes_*" for all that begin so) and tags ({ tag })',
  isToolSelection,
);

/** True if a selection contains a tool. */
export function selectsTool(selection: ToolSelection, name: string, tags: unknown): boolean {
  return selection.some((entry) => {
    if (typeof entry !== 'string') return Array.isArray(tags) && tags.includes(entry.tag);
    return entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry;
  });
}

/** The tags of a registered tool. */
export function tagsOf({ listed }: Pick<Registered, 'listed'>): unknown {
  return membersOf(membersOf(fromJson(listed))._meta).tags;
}
