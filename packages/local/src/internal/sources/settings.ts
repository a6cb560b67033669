import type { ManifestSource } from '../../manifest/parse-manifest.js';
import type { Config, SourcesConfig } from '../config/config.js';
import { readManifest } from '../config/manifest.js';

/** The member of the configuration for each kind of source. */
const MEMBERS = {
  queue: 'queues',
  stream: 'streams',
  'table-stream': 'tableStreams',
  topic: 'topics',
  'event-bus': 'buses',
  schedule: 'schedules',
} as const;

type Member = (typeof MEMBERS)[keyof typeof MEMBERS];
type Group = Record<string, Readonly<Record<string, unknown>>>;

/**
 * The settings of the sources: the constructs' manifest, overridden member by member by `sallyport.json`.
 *
 * @throws FrameworkError `local.usage` as {@link readManifest}
 */
export function readSourceSettings(config: Pick<Config, 'sources' | 'manifest' | 'entry' | 'folder'>): SourcesConfig {
  const merged: Record<Member, Group> = {
    queues: {},
    streams: {},
    tableStreams: {},
    topics: {},
    buses: {},
    schedules: {},
  };
  for (const [member, name, settings] of manifestSources(config)) {
    // A bus has one row per rule.
    const rules = [...rulesIn(merged[member][name]), ...rulesIn(settings)];
    merged[member][name] = { ...settings, ...(rules.length > 0 && { rules }) };
  }
  for (const member of Object.values(MEMBERS)) {
    for (const [name, own] of Object.entries(config.sources[member])) {
      merged[member][name] = { ...merged[member][name], ...own };
    }
  }
  return merged as unknown as SourcesConfig;
}

type NamedSettings = readonly [member: Member, name: string, settings: Group[string]];

function manifestSources(config: Pick<Config, 'manifest' | 'entry' | 'folder'>): readonly NamedSettings[] {
  return (readManifest(config)?.sources ?? []).flatMap((source): readonly NamedSettings[] => {
    const { kind, name } = source;
    if (name === undefined || !Object.hasOwn(MEMBERS, kind)) return [];
    const member = MEMBERS[kind as keyof typeof MEMBERS];
    const settings = settingsOf(member, source);
    return settings === undefined ? [] : [[member, name, settings]];
  });
}

/** `undefined` for a schedule whose expression is known only at deployment. */
function settingsOf(member: Member, source: ManifestSource): Group[string] | undefined {
  const { settings, expression, input, selector, pattern } = source;
  if (member === 'schedules') {
    return expression === undefined ? undefined : { expression, ...(input !== undefined && { input }) };
  }
  return member === 'buses' && pattern !== undefined ? { ...settings, rules: [{ pattern, selector }] } : settings;
}

function rulesIn(settings: Group[string] | undefined): readonly unknown[] {
  return Array.isArray(settings?.rules) ? settings.rules : [];
}
