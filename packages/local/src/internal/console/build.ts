import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** This package: the built one, or the sources of the workspace. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCES = join(PACKAGE, 'console');
const COPIED = ['index.html', 'main.css', 'icon.svg'] as const;

/** Builds the page into a folder. The editor and the MCP client are separate files that are loaded on first use. */
export async function buildConsole(folder: string): Promise<void> {
  await build({
    entryPoints: { main: join(SOURCES, 'main.tsx') },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'eof',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    chunkNames: '[name]-[hash]',
    tsconfigRaw: {},
    absWorkingDir: PACKAGE,
    logLevel: 'silent',
  });
  for (const name of COPIED) await copyFile(join(SOURCES, name), join(folder, name));
}

/**
 * The folder with the built page. The published package contains it. The workspace runs from its sources, so it builds the page on first
 * use and after each change.
 */
export async function findConsole(): Promise<string> {
  const built = join(PACKAGE, 'dist', 'console');
  if (!existsSync(SOURCES)) return built;
  const cache = join(PACKAGE, 'node_modules', '.cache', 'console');
  const folder = join(cache, await fingerprint());
  if (existsSync(join(folder, 'main.js'))) return folder;
  // Several processes may build at the same time: each builds into its own folder, and the first result is kept.
  const own = `${folder}-${randomUUID()}`;
  await mkdir(own, { recursive: true });
  await buildConsole(own);
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }));
  return folder;
}

/** A hash of the page's inputs: its sources, the dependencies, and the build script. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(SOURCES, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of [...files.sort(), join(PACKAGE, 'package.json'), fileURLToPath(import.meta.url)])
    hash.update(file.slice(PACKAGE.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
