import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ESBUILD = fileURLToPath(new URL('../../../node_modules/.bin/esbuild', import.meta.url));
/** CommonJS modules of the SDK require Node's built-in modules. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
const FLAGS = [
  '--bundle',
  '--platform=node',
  '--format=esm',
  '--conditions=@sallyport/source',
  '--log-level=error',
  `--banner:js=${BANNER}`,
];

/** A program in one file. */
export interface Program {
  readonly file: string;
  remove(): void;
}

/** Bundles a program of a test, so that its processes start without transpiling the workspace's sources. */
export function bundleProgram(source: URL): Program {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-program-'));
  const file = join(folder, 'program.mjs');
  const { status, stderr } = spawnSync(ESBUILD, [fileURLToPath(source), ...FLAGS, `--outfile=${file}`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
