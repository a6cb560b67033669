import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CACHE, ROOT, run } from '../check/command.js';
import { mapConcurrently } from '../check/concurrently.js';
import { readWorkspace } from '../check/workspace.js';
import { type StoredVersion, storePackage } from './registry.js';

/** Archives of other packages, made once from what set-up has installed. */
const STORE = join(CACHE, 'release-store');

interface Installed {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/**
 * Stores in a registry the packages of others that generated projects install, with all their dependencies, in the installed versions of this
 * workspace. Needs no network. What is for other platforms only is there by name.
 *
 * @returns how many packages these are
 */
export async function storeOthers(registry: string): Promise<number> {
  mkdirSync(STORE, { recursive: true });
  const found = closure(roots());
  const stored = await mapConcurrently([...found.values()], 2, async ({ folder, manifest }) => ({
    manifest: plain(manifest),
    archive: await archiveOf(folder, manifest),
  }));
  const byName = new Map<string, StoredVersion[]>();
  for (const one of stored) byName.set(one.manifest.name, [...(byName.get(one.manifest.name) ?? []), one]);
  for (const versions of byName.values()) storePackage(registry, versions.sort(compareVersions));
  return byName.size;
}

interface Found {
  /** The folder of the installation; absent for another platform. */
  readonly folder: string | undefined;
  readonly manifest: Installed;
}

/** Folders that projects install from: what a new project depends on, what our packages do, and the package managers of its CI. */
function roots(): readonly string[] {
  const ours = readWorkspace(ROOT, ['packages']).flatMap(({ folder, manifest }) => {
    // Optional peers too: npm reads their versions while it resolves.
    const needs = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    return needs
      .filter((name) => !name.startsWith('@sallyport/'))
      .map((name) => join(ROOT, folder, 'node_modules', name))
      .filter((place) => existsSync(place));
  });
  const versions = JSON.parse(readFileSync(join(ROOT, 'packages/create-sallyport/versions.json'), 'utf8')) as {
    readonly others: Readonly<Record<string, string>>;
  };
  const projects = Object.keys(versions.others).map(inWorkspace);
  const managers = [join(ROOT, 'scripts/pnpm/node_modules/pnpm'), join(ROOT, 'node_modules/@yarnpkg/cli-dist')];
  return [...projects, ...ours, ...managers];
}

/**
 * The folder in which a package of the workspace has another package installed.
 *
 * @throws Error if none has it
 */
function inWorkspace(name: string): string {
  const folders = ['packages/create-sallyport', ...readWorkspace(ROOT, ['packages']).map(({ folder }) => folder)];
  const place = folders.map((folder) => join(ROOT, folder, 'node_modules', name)).find((one) => existsSync(one));
  if (place === undefined)
    throw new Error(`no package of the workspace has ${name} installed, which new projects need`);
  return place;
}

function closure(folders: readonly string[]): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  const visit = (folder: string) => {
    const place = realpathSync(folder);
    const manifest = readManifest(place);
    const key = `${manifest.name}@${manifest.version}`;
    if (found.has(key)) return;
    found.set(key, { folder: place, manifest });
    const { optionalDependencies = {} } = manifest;
    for (const name of Object.keys({
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...optionalDependencies,
    })) {
      const needed = lookUp(place, name);
      if (needed) visit(needed);
      else if (name in optionalDependencies) {
        const version = (optionalDependencies[name] ?? '').replace(/^[^\d]*/, '');
        found.set(`${name}@${version}`, {
          folder: undefined,
          manifest: { name, version, os: [`!${process.platform}`] },
        });
      }
    }
  };
  for (const folder of folders) visit(folder);
  return found;
}

function readManifest(folder: string): Installed {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Installed;
}

/** The folder in which Node finds a package. */
function lookUp(from: string, name: string): string | undefined {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  return undefined;
}

/** Without the scripts that run in its repository, and without its tools. */
function plain({ scripts, devDependencies, ...manifest }: Installed): StoredVersion['manifest'] {
  const { install, postinstall, preinstall } = (scripts ?? {}) as Readonly<Record<string, string>>;
  const kept = Object.entries({ preinstall, install, postinstall }).filter(([, line]) => line !== undefined);
  return { ...manifest, ...(kept.length > 0 && { scripts: Object.fromEntries(kept), hasInstallScript: true }) };
}

async function archiveOf(folder: string | undefined, { name, version, ...rest }: Installed): Promise<string> {
  // npm packs bundled dependencies too.
  const isWhole = Array.isArray(rest.bundledDependencies ?? rest.bundleDependencies);
  const archive = join(STORE, `${name.replace('/', '+')}-${version}${isWhole ? '-whole' : ''}.tgz`);
  if (existsSync(archive)) return archive;
  let source = folder;
  if (source === undefined) {
    source = join(STORE, `${name.replace('/', '+')}-${version}`);
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, 'package.json'), JSON.stringify({ name, version, ...rest }));
  }
  const files = readdirSync(source).filter((one) => isWhole || one !== 'node_modules');
  // pnpm links equal files of several packages: each archive needs its own.
  const flags = [
    '--exclude=node_modules/.bin',
    '--hard-dereference',
    '--transform',
    's,^,package/,',
    '--use-compress-program',
    'gzip -1',
  ];
  const { status, output } = await run('tar', [...flags, '-cf', archive, '-C', source, '--', ...files]);
  if (status !== 0) throw new Error(`${archive} could not be written\n${output}`);
  return archive;
}

function compareVersions(a: StoredVersion, b: StoredVersion): number {
  return a.manifest.version.localeCompare(b.manifest.version, 'en', { numeric: true });
}
