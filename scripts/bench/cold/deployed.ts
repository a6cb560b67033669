import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleFunction } from '@sallyport/bundle';
import { type Bundle, EXTERNAL, HERE, OUT } from '../bundle.js';
import type { Place } from './in-turn.js';

type Sizes = Pick<Bundle, 'file' | 'bytes' | 'gzipBytes'>;

/** One of our applications as `bundleFunction` deploys it: one CommonJS file. */
export function bundleDeployed(source: string, { version }: Place): Sizes {
  const target = targetOf(version);
  const outdir = folderOf(source, `${target}-deployed`);
  const { file, format } = bundleFunction({ ...optionsOf(source), target, outdir });
  if (format !== 'cjs') throw new Error(`${source} is not a CommonJS bundle`);
  return { file, ...sizeOf([file]) };
}

/**
 * The same application with a start cache for each memory size. Its size includes the code and one cache.
 *
 * @param event for the maker of the cache if the handler is not of a container; for a container it makes its own events
 */
export function bundleCached(
  source: string,
  { node, version }: Place,
  memory: readonly number[],
  event: object | undefined,
): Sizes {
  const target = targetOf(version);
  const outdir = folderOf(source, `${target}-cached`);
  const startCache = { node: [node], memory, ...(event && { events: [event] }) };
  const { file, caches, warnings } = bundleFunction({ ...optionsOf(source), target, outdir, startCache });
  if (caches.length !== memory.length) throw new Error(`${source}: ${JSON.stringify(warnings)}`);
  return { file, ...sizeOf([file, join(outdir, 'app.js'), join(outdir, caches[0]?.name ?? '')]) };
}

function optionsOf(source: string) {
  return { entry: join(HERE, source), conditions: ['@sallyport/source'], external: [...EXTERNAL] };
}

function targetOf(version: string): string {
  return `node${version.split('.')[0]}`;
}

function folderOf(source: string, kind: string): string {
  return join(OUT, `${source.replaceAll('/', '-').replace('.ts', '')}-${kind}`);
}

function sizeOf(files: readonly string[]): Pick<Bundle, 'bytes' | 'gzipBytes'> {
  return {
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    gzipBytes: files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0),
  };
}
