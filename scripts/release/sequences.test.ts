import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { readWorkspace } from '../check/workspace.js';
import { APPLICATION_MANAGERS } from './managers.js';
import { install, makeWorld, offer, play } from './play.js';
import { type Registry, startRegistry } from './registry.js';
import { SEQUENCES } from './sequences.js';

let place: string;
let registry: Registry;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'sallyport-sequences-'));
  mkdirSync(join(place, 'app'));
  registry = await startRegistry(join(place, 'storage'));
  offer(join(place, 'storage'), await makeWorld(join(place, 'stubs'), []));
  await Promise.all(
    APPLICATION_MANAGERS.map((manager) =>
      install(join(place, 'app', manager), manager, registry.url, join(place, 'home')),
    ),
  );
});

afterAll(async () => {
  await registry?.stop();
  rmSync(place, { recursive: true, force: true });
});

describe('an application has one copy of each package, or its package manager reports incompatible versions, after', () => {
  it.each(SEQUENCES.map((one) => [one.name, one] as const))('%s', async (name, { releases, action, expected }) => {
    offer(join(place, 'storage'), await makeWorld(join(place, 'stubs'), releases));
    const found = await Promise.all(
      APPLICATION_MANAGERS.map(async (manager) => [
        manager,
        await play(join(place, 'app', manager), join(place, `${name} ${manager}`), manager, action, registry.url),
      ]),
    );
    const each = typeof expected === 'string' ? { npm: expected, pnpm: expected, yarn: expected } : expected;
    expect(Object.fromEntries(found)).toEqual(each);
  });
});

it('published packages need each other as peers, so that an application has each once', () => {
  // A command that runs outside applications has its own copy.
  const alone = ['@sallyport/migrate'];
  const published = readWorkspace(ROOT, ['packages']).filter(
    ({ manifest }) => manifest.private !== true && !alone.includes(manifest.name),
  );
  const wrong = published.flatMap(({ manifest }) => [
    ...Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith('@sallyport/')),
    ...Object.entries(manifest.peerDependencies ?? {}).flatMap(([name, range]) =>
      name.startsWith('@sallyport/') && range !== 'workspace:^' ? [`${name} ${range}`] : [],
    ),
  ]);
  expect(wrong).toEqual([]);
});
