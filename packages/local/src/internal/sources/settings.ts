import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import type { Config, SourcesConfig } from '../config/config.js';

/** Which member of the configuration has the sources of a kind. */
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

interface ManifestSource {
  readonly kind?: unknown;
  readonly name?: unknown;
  readonly settings?: unknown;
  readonly expression?: unknown;
  readonly input?: unknown;
  readonly selector?: unknown;
  readonly pattern?: unknown;
}

interface ManifestFunction {
  readonly entry?: unknown;
  readonly sources?: unknown;
}

/**
 * The sources with their numbers: those of the constructs' manifest, member by member replaced by those of `sallyport.json`.
 *
 * @throws FrameworkError `local.usage` for a manifest that is not JSON
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
    // A bus has a row for each rule.
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

function manifestSources(
  config: Pick<Config, 'manifest' | 'entry' | 'folder'>,
): readonly (readonly [Member, string, Group[string]])[] {
  if (config.manifest === undefined) return [];
  const functions = listOf<ManifestFunction>((readJson(config.manifest) as { functions?: unknown } | null)?.functions);
  const entry = relative(config.folder, config.entry);
  const own = functions.find((each) => each.entry === entry) ?? (functions.length === 1 ? functions[0] : undefined);
  return listOf<ManifestSource>(own?.sources).flatMap((source) => {
    const member = MEMBERS[source.kind as keyof typeof MEMBERS];
    if (member === undefined || typeof source.name !== 'string') return [];
    return [[member, source.name, settingsOf(member, source)] as const];
  });
}

function settingsOf(member: Member, { settings, expression, input, selector, pattern }: ManifestSource): Group[string] {
  if (member === 'schedules') return { expression, ...(input !== undefined && { input }) };
  const own = (settings ?? {}) as Group[string];
  return member === 'buses' && pattern !== undefined ? { ...own, rules: [{ pattern, selector }] } : own;
}

function rulesIn(settings: Group[string] | undefined): readonly unknown[] {
  return Array.isArray(settings?.rules) ? settings.rules : [];
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new FrameworkError('local.usage', `framework: the manifest ${file} cannot be read`, { cause });
  }
}

function listOf<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as T[]).filter((each) => typeof each === 'object' && each !== null) : [];
}
