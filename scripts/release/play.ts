import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CommandResult, run } from '../check/command.js';
import { type ApplicationManager, commandOf, runWithRegistry } from './managers.js';
import { planReleases, type ReleasedPackage, type Step } from './plan.js';
import { type StoredVersion, storePackage } from './registry.js';
import { type Action, APPLICATION, type Sequence, WORLD } from './sequences.js';

/** The section of a manifest that has the needed packages. */
export type Kind = 'peerDependencies' | 'dependencies';

/** Every version that is published, by package. Their needs are carets, as `workspace:^` becomes. */
type World = ReadonlyMap<string, readonly StoredVersion[]>;

/** Packs empty packages for every version that some releases make, in order. */
export async function makeWorld(
  place: string,
  releases: Sequence['releases'],
  kind: Kind = 'peerDependencies',
): Promise<World> {
  let state = WORLD;
  const versions = new Map<string, StoredVersion[]>();
  const publish = async (one: ReleasedPackage) => {
    const ranges = one.needs.map((need) => [need, `^${state.find(({ name }) => name === need)?.version}`]);
    const manifest = { name: one.name, version: one.version, [kind]: Object.fromEntries(ranges) };
    const archive = await packStub(place, manifest);
    versions.set(one.name, [...(versions.get(one.name) ?? []), { manifest, archive }]);
  };
  for (const one of state) await publish(one);
  for (const release of releases) {
    const changes = Object.entries(release).map(([name, step]: [string, Step]) => ({
      name: `@sallyport/${name}`,
      step,
    }));
    const planned = new Map(planReleases(state, changes).map(({ name, to }) => [name, to]));
    state = state.map((one) => ({ ...one, version: planned.get(one.name) ?? one.version }));
    for (const one of state) if (planned.has(one.name)) await publish(one);
  }
  return versions;
}

async function packStub(place: string, manifest: StoredVersion['manifest']): Promise<string> {
  const ranges = JSON.stringify(manifest);
  const folder = join(place, Buffer.from(ranges).toString('base64url').slice(-40));
  const archive = join(folder, `${basename(manifest.name)}-${manifest.version}.tgz`);
  mkdirSync(join(folder, 'package'), { recursive: true });
  writeFileSync(join(folder, 'package', 'package.json'), ranges);
  const { status, output } = await run('tar', ['-czf', archive, '-C', folder, 'package']);
  if (status !== 0) throw new Error(output);
  return archive;
}

/** Puts a world in place of what the registry held. */
export function offer(storage: string, world: World): void {
  rmSync(join(storage, '@sallyport'), { recursive: true, force: true });
  for (const versions of world.values()) storePackage(storage, versions);
}

/** An application that was installed before the sequence. */
export async function install(place: string, manager: ApplicationManager, url: string, home: string): Promise<void> {
  mkdirSync(place, { recursive: true });
  const dependencies = Object.fromEntries(APPLICATION.map((name) => [name, '^0.1.0']));
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'app', version: '0.0.0', dependencies }));
  if (manager === 'yarn') writeFileSync(join(place, 'yarn.lock'), '');
  if (manager === 'pnpm') writeFileSync(join(place, 'pnpm-workspace.yaml'), 'packages: []\n');
  const { status, output } = await runWithRegistry(place, `${commandOf(manager)} ${INSTALL[manager]}`, url, home);
  if (status !== 0) throw new Error(`${manager} did not install the application\n${output}`);
}

const INSTALL = {
  npm: 'install --package-lock-only',
  pnpm: 'install --lockfile-only',
  yarn: 'install --mode=update-lockfile',
} as const;

function lineOf(manager: ApplicationManager, action: Action): string {
  const command = commandOf(manager);
  const names = action === 'update' ? [] : action.newest.map((name) => `@sallyport/${name}`);
  const latest = names.map((name) => `${name}@latest`).join(' ');
  if (manager === 'npm')
    return action === 'update'
      ? `${command} update --package-lock-only`
      : `${command} install --package-lock-only ${latest}`;
  if (manager === 'pnpm')
    return action === 'update' ? `${command} update --lockfile-only` : `${command} add --lockfile-only ${latest}`;
  return action === 'update'
    ? `${command} up -R '@sallyport/*' --mode=update-lockfile`
    : `${command} add ${latest} --mode=update-lockfile`;
}

const TOLD = /ERESOLVE|Issues with peer dependencies|YN0060/;

/** The versions that a copy of an application has after an action, or `told`. */
export async function play(
  application: string,
  place: string,
  manager: ApplicationManager,
  action: Action,
  url: string,
): Promise<string> {
  cpSync(application, place, { recursive: true });
  // An empty cache: pnpm uses answers of a registry again for a while.
  const home = `${place}-home`;
  const result = await runWithRegistry(place, lineOf(manager, action), url, home);
  if (TOLD.test(result.output)) return 'told';
  return result.status === 0 ? versionsIn(place, manager) : unexpected(result);
}

function unexpected({ status, output }: CommandResult): string {
  return `ended with ${status}: ${output}`;
}

/** Every copy that a lock file lists: `core 0.1.0, http 0.1.0`. */
function versionsIn(place: string, manager: ApplicationManager): string {
  const [file, pattern] = COPIES[manager];
  const text = readFileSync(join(place, file), 'utf8');
  const copies = [...text.matchAll(pattern)].map(({ groups }) => `${groups?.name} ${groups?.version}`);
  return copies.sort().join(', ');
}

const COPIES = {
  npm: ['package-lock.json', /node_modules\/@sallyport\/(?<name>[a-z]+)": \{\s+"version": "(?<version>[^"]+)"/g],
  // One line of `snapshots` for each instance: equal versions with different peers are two copies.
  pnpm: [
    'pnpm-lock.yaml',
    /^ {2}'@sallyport\/(?<name>[a-z]+)@(?<version>[^'(]+)(?:\(.*)?':(?= \{\}|\n {4}dependencies)/gm,
  ],
  yarn: ['yarn.lock', /resolution: "@sallyport\/(?<name>[a-z]+)@npm:(?<version>[^":]+)"/g],
} as const;
