import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exports } from './exports.mjs';

export { sourceEntries } from './exports.mjs';

/** The parts of a `package.json` that the gates read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Exports;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface WorkspacePackage {
  /** Relative to the workspace's root: `packages/core`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages in these folders, each `packages` (all below it) or `scripts/bench` (itself), in order of folder. */
export function readWorkspace(root: string, folders: readonly string[]): readonly WorkspacePackage[] {
  return folders
    .flatMap((folder) => (existsSync(join(root, folder, 'package.json')) ? [folder] : childrenOf(root, folder)))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(join(root, folder, 'package.json')) }));
}

function childrenOf(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .sort()
    .map((name) => `${folder}/${name}`);
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

/** The entry of a package for other packages of the workspace: no page names it, and no application imports it. */
export const INTERNAL_ENTRY = './internal';
