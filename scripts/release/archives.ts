import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../check/command.js';
import { mapConcurrently } from '../check/concurrently.js';
import { type Manifest, readWorkspace } from '../check/workspace.js';

/** A package as it would be published. */
export interface PackedPackage {
  readonly manifest: Manifest;
  /** Path of the `.tgz`. */
  readonly archive: string;
}

/** Packs every published package into a folder, as a release does. The packages must be built. */
export async function packAll(destination: string): Promise<readonly PackedPackage[]> {
  rmSync(destination, { recursive: true, force: true });
  mkdirSync(destination, { recursive: true });
  const published = readWorkspace(ROOT, ['packages']).filter(({ manifest }) => manifest.private !== true);
  return mapConcurrently(published, 2, async ({ folder, manifest }) => {
    const pack = ['--dir', folder, 'pack', '--json', '--pack-destination', destination];
    const packed = await run(process.execPath, [join(ROOT, 'scripts', 'pnpm.mjs'), ...pack]);
    if (packed.status !== 0) throw new Error(`${manifest.name} could not be packed\n${packed.output}`);
    const { filename } = JSON.parse(packed.stdout) as { filename: string };
    return { manifest, archive: filename };
  });
}

/** The named packages and all packages of the workspace that they need, as dependencies or peers. */
export function closureOf(names: readonly string[], packed: readonly PackedPackage[]): readonly PackedPackage[] {
  const byName = new Map(packed.map((entry) => [entry.manifest.name, entry]));
  const found = new Map<string, PackedPackage>();
  const visit = (name: string) => {
    const entry = byName.get(name);
    if (!entry || found.has(name)) return;
    found.set(name, entry);
    for (const dependency of Object.keys({ ...entry.manifest.dependencies, ...entry.manifest.peerDependencies }))
      visit(dependency);
  };
  for (const name of names) visit(name);
  return [...found.values()];
}
