/** AWS's own runtime client over a bundle with a start cache: with its cache, with the cache of another function, and with a truncated cache. */
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFunction } from '@sallyport/bundle';
import { buildAPIGatewayV2Request, buildLambdaFunctionURLRequest } from '@sallyport/testkit/events';
import { startRuntime } from '../src/index.js';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-start-cache-'));
  folders.push(folder);
  return folder;
}

const entryOf = (name: string) => fileURLToPath(new URL(`../functions/${name}`, import.meta.url));

function bundle(name: string): string {
  const outdir = newFolder();
  const { caches, warnings } = bundleFunction({
    entry: entryOf(name),
    outdir,
    target: `node${process.versions.node.split('.')[0]}`,
    conditions: ['@sallyport/source'],
    startCache: { memory: [512], handler: 'buffered' },
  });
  expect({ warnings, count: caches.length }).toEqual({ warnings: [], count: 1 });
  return outdir;
}

const made = bundle('secure.ts');
const other = bundle('open.ts');
const cacheOf = (folder: string) => join(folder, readdirSync(folder).find((name) => name.endsWith('.cache')) ?? '');

it.each<[string, (cache: string) => void, string | undefined]>([
  ['its cache', () => {}, undefined],
  ['no cache', (cache) => rmSync(cache), 'missing'],
  ['the cache of another function', (cache) => copyFileSync(cacheOf(other), cache), 'rejected'],
  ['a cache that is cut', (cache) => truncateSync(cache, 10_000), 'rejected'],
])('the answers are the same with %s', async (_name, change, reason) => {
  const folder = newFolder();
  cpSync(made, folder, { recursive: true });
  change(cacheOf(folder));
  const found: unknown[] = [];
  for (const handler of ['buffered', 'functionUrl']) {
    const runtime = await startRuntime({ bundle: join(folder, 'index.js'), handler });
    try {
      const build = handler === 'buffered' ? buildAPIGatewayV2Request : buildLambdaFunctionURLRequest;
      const { outcome, streaming, body } = await runtime.invoke(build('GET', '/hello'));
      expect({ outcome, streaming }).toEqual({ outcome: 'response', streaming: handler === 'functionUrl' });
      expect(body.toString('utf8')).toContain('world');
      if (reason !== undefined) await runtime.logged(/StartCacheMiss/);
      found.push(/"event":"framework\.start_cache","reason":"(\w+)"/.exec(runtime.log)?.[1]);
    } finally {
      await runtime.stop();
    }
  }
  expect(found).toEqual([reason, reason]);
});
