import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readWorkspace, sourceEntries } from '../check/workspace.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
const node = promisify(execFile);

const ENTRIES = readWorkspace(ROOT, ['packages']).flatMap(({ folder, manifest }) =>
  [...sourceEntries(manifest)].map(([, file]) => join(ROOT, folder, file)),
);

/** The places that read a clock or draw a random number while a process imports these modules, as `Math.random at file:line`. */
async function readsWhileImporting(...modules: readonly string[]): Promise<readonly string[]> {
  const args = ['--import', 'tsx', '--conditions=@sallyport/source', join(HERE, 'record.mjs')];
  const urls = modules.map((module) => pathToFileURL(module).href);
  const { stdout } = await node(process.execPath, [...args, ...urls], { cwd: ROOT });
  return JSON.parse(stdout) as string[];
}

it('no entry of any package reads a clock or draws a random number at import', async () => {
  expect(ENTRIES.length).toBeGreaterThan(30);
  expect(await readsWhileImporting(...ENTRIES)).toEqual([]);
});

it('nor do containers, servers, ledgers and limiters when they are made', async () => {
  expect(await readsWhileImporting(join(HERE, 'containers.ts'))).toEqual([]);
});

it('and each such call would be found', async () => {
  const reads = await readsWhileImporting(join(HERE, 'reader.ts'));
  expect(reads.map((read) => read.split(' at ')[0])).toEqual([
    'Date.now',
    'new Date',
    'Date',
    'Math.random',
    'performance.now',
    'process.hrtime',
    'process.hrtime.bigint',
    'crypto.randomUUID',
    'crypto.getRandomValues',
    'crypto.randomBytes',
  ]);
});
