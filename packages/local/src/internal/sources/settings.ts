import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import { parseManifest } from '../../manifest/parse-manifest.js';
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

/**
 * The sources with their numbers: those of the constructs' manifest, member by member replaced by those of `sallyport.json`.
 *
 * @throws FrameworkError `local.usage` for a manifest that cannot be read, and as {@link parseManifest}
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
  for (const [member, name, settings] of manifestSources(config)) merged[member][name] = settings;
  for (const member of Object.values(MEMBERS)) {
    for (const [name, own] of Object.entries(config.sources[member])) {
      merged[member][name] = { ...merged[member][name], ...own };
    }
  }
  return merged as unknown as SourcesConfig;
}

function manifestSources({
  manifest,
  folder,
  entry,
}: Pick<Config, 'manifest' | 'entry' | 'folder'>): readonly (readonly [Member, string, Group[string]])[] {
  if (manifest === undefined) return [];
  const own = parseManifest(readText(manifest), relative(folder, entry));
  return own.flatMap((source): readonly (readonly [Member, string, Group[string]])[] => {
    const { kind, name, settings, expression, input } = source;
    if (!Object.hasOwn(MEMBERS, kind)) return [];
    const member = MEMBERS[kind as keyof typeof MEMBERS];
    if (member !== 'schedules') return [[member, name, settings]];
    return expression === undefined ? [] : [[member, name, { expression, ...(input !== undefined && { input }) }]];
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new FrameworkError('local.usage', `framework: the manifest ${file} cannot be read`, { cause });
  }
}
