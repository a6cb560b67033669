import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface BundleOptions {
  /** Default `esm`: a file `.mjs`; `cjs` makes `.cjs`. */
  readonly format?: 'esm' | 'cjs';
  /** Default `false`. */
  readonly minify?: boolean;
}

export interface Bundle {
  /** Path of the file, alone in a new folder. */
  readonly file: string;
  remove(): void;
}

/** Bundles one file as a deployment does, the packages of this workspace from their sources. */
export async function bundleFunction(
  entry: string,
  { format = 'esm', minify = false }: BundleOptions = {},
): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-function-'));
  const file = join(folder, format === 'esm' ? 'index.mjs' : 'index.cjs');
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    conditions: ['@sallyport/source'],
    format,
    minify,
    logLevel: 'error',
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
