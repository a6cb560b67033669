import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import { type ManifestFunction, parseManifest } from '../../manifest/parse-manifest.js';
import type { Config } from './config.js';

/**
 * The deployed function in the constructs' manifest; `undefined` without a manifest, or if no function has this entry.
 *
 * @throws FrameworkError `local.usage` for an unreadable manifest, and the errors of {@link parseManifest}
 */
export function readManifest({
  manifest,
  folder,
  entry,
}: Pick<Config, 'manifest' | 'entry' | 'folder'>): ManifestFunction | undefined {
  return manifest === undefined ? undefined : parseManifest(readText(manifest), relative(folder, entry));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new FrameworkError('local.usage', `framework: the manifest ${file} cannot be read`, { cause });
  }
}
