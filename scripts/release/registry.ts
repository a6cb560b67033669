import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Registry {
  /** `http://127.0.0.1:40123/` */
  readonly url: string;
  stop(): Promise<void>;
}

const SERVER = fileURLToPath(new URL('serve-registry.mjs', import.meta.url));

/**
 * Starts verdaccio on loopback over a folder. It has no other registry.
 *
 * @throws Error if the process ends before it listens
 */
export function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const child = spawn(process.execPath, [SERVER, folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = () => {
    child.kill();
    return ended;
  };
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const [, port] = /^port (\d+)$/m.exec(output) ?? [];
      if (port !== undefined) resolve({ url: `http://127.0.0.1:${port}/`, stop });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`the registry ended before it listened\n${output}`)));
  });
}

/** One version of a package in a registry's folder. */
export interface StoredVersion {
  /** Its `package.json`, without `workspace:` and `catalog:`. */
  readonly manifest: { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>;
  /** Path of its `.tgz`. */
  readonly archive: string;
}

/** Long enough ago for the minimum age of pnpm and yarn. */
const PUBLISHED_AT = '2020-01-01T00:00:00.000Z';

/** Writes all versions of a package into the folder of a registry, the last of them as `latest`. */
export function storePackage(folder: string, versions: readonly StoredVersion[]): void {
  const name = versions[0]?.manifest.name ?? '';
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  const packument = {
    name,
    versions: Object.fromEntries(versions.map((one) => [one.manifest.version, storeVersion(place, one)])),
    time: Object.fromEntries(
      ['created', 'modified', ...versions.map(({ manifest }) => manifest.version)].map((key) => [key, PUBLISHED_AT]),
    ),
    'dist-tags': { latest: versions.at(-1)?.manifest.version },
    users: {},
    _rev: '1-0',
    _uplinks: {},
    _distfiles: {},
    _attachments: {},
  };
  writeFileSync(join(place, 'package.json'), JSON.stringify(packument));
}

function storeVersion(place: string, { manifest, archive }: StoredVersion): object {
  const { name, version } = manifest;
  const file = `${basename(name)}-${version}.tgz`;
  cpSync(archive, join(place, file));
  const bytes = readFileSync(archive);
  return {
    ...manifest,
    _id: `${name}@${version}`,
    dist: {
      // The registry puts its own address in place of this one.
      tarball: `http://127.0.0.1/${name}/-/${file}`,
      shasum: createHash('sha1').update(bytes).digest('hex'),
      integrity: integrityOf(bytes),
    },
  };
}

/** `sha512-…`, as registries and lock files write it. */
export function integrityOf(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
