import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type ManifestFunction, parseManifest } from '../../manifest/parse-manifest.js';
import { usageError } from '../errors.js';
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
  if (manifest === undefined) return undefined;
  return parseManifest(readText(manifest, relative(folder, manifest)), relative(folder, entry));
}

function readText(path: string, file: string): string {
  if (!existsSync(path)) throw usageError(`the manifest ${file} does not exist: run cdk synth, or pass another path`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(`the manifest ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}
