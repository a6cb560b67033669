import type { ManifestSource } from '../../manifest/parse-manifest.js';
import type { Config, SourcesConfig } from '../config/config.js';
import { readManifest } from '../config/manifest.js';
import { findType, SOURCE_TYPES } from './source-types.js';

type Settings = Readonly<Record<string, unknown>>;

/**
 * The settings of the sources: those of the deployed function, overridden member by member by `sallyport.json`.
 *
 * @throws FrameworkError `local.usage` as {@link readManifest}
 */
export function readSourceSettings(
  config: Pick<Config, 'sources' | 'manifest' | 'entry' | 'folder'> & Partial<Pick<Config, 'deployed'>>,
): SourcesConfig {
  const merged: Record<string, Record<string, Settings>> = {};
  for (const { config: own } of SOURCE_TYPES) if (own) merged[own.member] = {};
  for (const source of (config.deployed?.fn ?? readManifest(config))?.sources ?? []) {
    const group = merged[findType(source.kind)?.config?.member ?? ''];
    const settings = settingsOf(source);
    if (!group || source.name === undefined || settings === undefined) continue;
    // A bus has one row per rule.
    const rules = [...rulesIn(group[source.name]), ...rulesIn(settings)];
    group[source.name] = { ...settings, ...(rules.length > 0 && { rules }) };
  }
  for (const [member, group] of Object.entries(merged)) {
    for (const [name, own] of Object.entries(config.sources[member] ?? {})) group[name] = { ...group[name], ...own };
  }
  return merged;
}

/** The settings in a row of the manifest; `undefined` for a schedule whose expression is known only at deployment. */
function settingsOf({ kind, settings, expression, input, selector, pattern }: ManifestSource): Settings | undefined {
  if (kind === 'schedule')
    return expression === undefined ? undefined : { expression, ...(input !== undefined && { input }) };
  return kind === 'event-bus' && pattern !== undefined ? { ...settings, rules: [{ pattern, selector }] } : settings;
}

function rulesIn(settings: Settings | undefined): readonly unknown[] {
  return Array.isArray(settings?.rules) ? settings.rules : [];
}
