import { resolve } from 'node:path';
import { loadEsbuild } from './internal/esbuild.js';

/**
 * The names that an entry file exports; `undefined` if they are unknown: the file does not compile, or re-exports a package.
 *
 * @param conditions export conditions of packages, as in esbuild
 */
export function exportsOf(entry: string, conditions: readonly string[] = []): readonly string[] | undefined {
  try {
    const { metafile, outputFiles } = loadEsbuild().buildSync({
      entryPoints: { index: resolve(entry) },
      outdir: 'out',
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      conditions: [...conditions],
      logLevel: 'silent',
    });
    if (outputFiles.some(({ text }) => /^export \* from /m.test(text))) return undefined;
    return Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined)?.exports;
  } catch {
    return undefined;
  }
}
