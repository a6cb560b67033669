import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** This package: the built one, or the sources of the workspace. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCE = join(PACKAGE, 'src', 'internal', 'console', 'thread-main.ts');
const IS_SOURCE = import.meta.url.endsWith('.ts');

/** Bundles the program of the console's thread into one file: it loads in half the time of its modules, with 4 MB less. */
export async function buildThread(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [SOURCE],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'eof',
    conditions: ['@sallyport/source'],
    tsconfigRaw: {},
    absWorkingDir: PACKAGE,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** The program in the published package. */
export const BUILT_THREAD = join(PACKAGE, 'dist', 'console-thread.mjs');

let found: Promise<string> | undefined;

/** The file of the program. The workspace runs from its sources, which a thread cannot read: they are bundled once in a process. */
export function findThread(): Promise<string> {
  found ??= IS_SOURCE ? bundleInCache() : Promise.resolve(BUILT_THREAD);
  return found;
}

async function bundleInCache(): Promise<string> {
  const text = await buildThread();
  const folder = join(PACKAGE, 'node_modules', '.cache', 'console-thread');
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`);
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  // Several processes may write at the same time: each has its own file, and the first result is kept.
  const own = `${file}.${process.pid}`;
  await writeFile(own, text);
  await rename(own, file).catch(() => rm(own, { force: true }));
  return file;
}
