import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Watcher } from '../build/watch.js';
import type { Config } from './config.js';

/** Calls back when the contents of a file with settings change: `sallyport.json`, variables, manifest, GraphQL schema. */
export function watchSettings(config: Config, onChange: (file: string) => void): () => void {
  const { folder, envFile, manifest, template, schema } = config;
  const named = [envFile ?? join(folder, '.env.local'), manifest, template, schema].filter(
    (file) => file !== undefined,
  );
  const files = [join(folder, 'sallyport.json'), ...named];
  const seen = new Map(files.map((file) => [file, contentDigest(file)]));
  const watcher = new Watcher(() => {
    for (const [file, before] of seen) {
      const now = contentDigest(file);
      if (now === before) continue;
      seen.set(file, now);
      onChange(relative(folder, file));
    }
  });
  watcher.files(files);
  return () => watcher.close();
}

/** Of the contents; `''` for a file that does not exist. */
function contentDigest(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return '';
  }
}
