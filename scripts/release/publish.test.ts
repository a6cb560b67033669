import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../check/command.js';
import { anyToken, npmPublisher, type Publication, publishAll } from './publish.js';
import { integrityOf, type Registry, startRegistry } from './registry.js';

const NEEDS = { 'create-sallyport': [], '@sallyport/http': ['@sallyport/core'], '@sallyport/core': [] };

let place: string;
let registry: Registry;
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'sallyport-publish-'));
  registry = await startRegistry(join(place, 'storage'));
});
afterAll(async () => {
  await registry?.stop();
  rmSync(place, { recursive: true, force: true });
});

async function pack(version: string, text = ''): Promise<readonly Publication[]> {
  return Promise.all(
    Object.entries(NEEDS).map(async ([name, needs]) => {
      const folder = join(place, `${version}${text}`, name);
      mkdirSync(join(folder, 'package'), { recursive: true });
      writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version, description: text }));
      const archive = join(folder, 'archive.tgz');
      await run('tar', ['-czf', archive, '-C', folder, 'package']);
      return { name, version, archive, needs };
    }),
  );
}

/** A server in front of the registry that goes down after some publications, and the publications that reached it. */
async function unstable(most: number) {
  const publications: string[] = [];
  const onRequest: RequestListener = (incoming, outgoing) => {
    if (incoming.method === 'PUT' && publications.length === most) return incoming.socket.destroy();
    if (incoming.method === 'PUT') publications.push(decodeURIComponent(incoming.url ?? ''));
    const { method, headers, url = '' } = incoming;
    const onward = request(new URL(url, registry.url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  };
  const server = createServer(onRequest).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    publications,
    url: `http://127.0.0.1:${port}/`,
    flags: [...anyToken(`http://127.0.0.1:${port}/`), '--fetch-retries=0', '--loglevel=error'],
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

it('a release whose registry goes down in the middle is resumed, and nothing is published twice', async () => {
  const archives = await pack('0.1.0');
  const first = await unstable(1);
  await expect(publishAll(archives, first.url, npmPublisher(first.url, first.flags, place))).rejects.toThrow(
    'npm publish',
  );
  await first.stop();
  const second = await unstable(9);
  const outcomes = await publishAll(archives, second.url, npmPublisher(second.url, second.flags, place));
  await second.stop();
  expect([first.publications, second.publications]).toEqual([
    ['/@sallyport/core'],
    ['/@sallyport/http', '/create-sallyport'],
  ]);
  expect(outcomes).toEqual([
    ['@sallyport/core@0.1.0', 'there'],
    ['@sallyport/http@0.1.0', 'published'],
    ['create-sallyport@0.1.0', 'published'],
  ]);
  const stored = (await (await fetch(`${registry.url}@sallyport%2fhttp`)).json()) as {
    versions: Record<string, { dist: { integrity: string } }>;
  };
  const archive = archives.find(({ name }) => name === '@sallyport/http')?.archive ?? '';
  expect(stored.versions['0.1.0']?.dist.integrity).toBe(integrityOf(readFileSync(archive)));

  const others = await pack('0.1.0', 'changed');
  const published: string[] = [];
  await expect(publishAll(others, registry.url, async (one) => void published.push(one))).rejects.toThrow(
    '@sallyport/core@0.1.0 is published with other bytes',
  );
  expect(published).toEqual([]);
});
