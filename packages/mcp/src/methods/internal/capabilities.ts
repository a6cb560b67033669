import type { Era } from '../../protocol/internal/protocol.js';
import type { JsonObject } from '../../protocol/types.js';
import type { Core } from '../../server/internal/core.js';

/** What the server declares: it depends on the era, and on whether this door can carry changes. */
export function capabilitiesOf({ registry, settings }: Core, era: Era, canStream: boolean): JsonObject {
  const live = settings.changes && canStream && (era === 'stateless' || settings.sessions !== 'none');
  const listed: JsonObject = live ? { listChanged: true } : {};
  const capabilities: JsonObject = {};
  if (registry.tools.size > 0) capabilities.tools = listed;
  if (registry.prompts.size > 0) capabilities.prompts = listed;
  if (registry.hasResources) capabilities.resources = live ? { subscribe: true, ...listed } : {};
  if (settings.logging) capabilities.logging = {};
  if (registry.hasCompleters) capabilities.completions = {};
  if (era === 'stateless' && settings.extensions) capabilities.extensions = settings.extensions;
  return capabilities;
}
