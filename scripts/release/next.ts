import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiChanges, compareApi, type ReleasedApi } from '../api/breaks.js';
import { publicNames } from '../api/names.js';
import { readSignatures } from '../api/signatures.js';
import { readWorkspace } from '../check/workspace.js';
import { type Changeset, readChangesets } from './changesets.js';
import { breakingStep, type PlannedRelease, planReleases, type ReleasedPackage } from './plan.js';

/** A published package with its folder and its description. */
export interface WorkspaceRelease extends ReleasedPackage {
  /** `packages/core` */
  readonly folder: string;
  readonly description: string;
}

export interface NextRelease {
  readonly packages: readonly WorkspaceRelease[];
  readonly changesets: readonly Changeset[];
  readonly planned: readonly PlannedRelease[];
}

/** The file with the public names of the last release and their declarations. */
export const RELEASED = 'scripts/api/released.json';

/** The next versions of a workspace, from its changesets. */
export function readNext(root: string): NextRelease {
  const packages = readWorkspace(root, ['packages'])
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => {
      const { version, description } = readJson<{ version: string; description: string }>(
        join(root, folder, 'package.json'),
      );
      const needs = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
      return { name: manifest.name, version, needs, folder, description };
    });
  const changesets = readChangesets(root);
  return {
    packages,
    changesets,
    planned: planReleases(
      packages,
      changesets.flatMap(({ changes }) => changes),
    ),
  };
}

/** The changes of the public API that no changeset states as a break, and additions; none before the first release. */
export function readApiChanges(root: string): ApiChanges {
  const file = join(root, RELEASED);
  if (!existsSync(file)) return { breaks: [], additions: [] };
  const breaking = readNext(root).planned.filter(({ step, from }) => step === breakingStep(from));
  const names = new Set(breaking.map(({ name }) => name));
  return compareApi(readJson<ReleasedApi>(file), publicNames(root), readSignatures(root), names);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
