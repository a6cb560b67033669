import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ESBUILD = fileURLToPath(new URL('../../../../node_modules/.bin/esbuild', import.meta.url));
/** CommonJS modules of the SDK require Node's built-in modules. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
const FLAGS = [
  '--bundle',
  '--platform=node',
  '--format=esm',
  '--conditions=@sallyport/source',
  `--banner:js=${BANNER}`,
];

/** Bundles a program in this folder, so that processes start fast. */
export function bundle(source: string): { program: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'ratelimit-'));
  const program = join(directory, 'program.mjs');
  const entry = fileURLToPath(new URL(source, import.meta.url));
  const { status, stderr } = spawnSync(ESBUILD, [entry, ...FLAGS, `--outfile=${program}`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return { program, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
