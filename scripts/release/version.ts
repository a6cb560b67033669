/**
 * `npm run release:version`: consumes the changesets: raises the versions, writes the changelogs and the public API.
 * `npm run release:plan` prints the versions and writes nothing. In place of `changeset version`, which raises the dependents of a peer to 1.0.0.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releasedApi } from '../api/breaks.js';
import { publicNames } from '../api/names.js';
import { readSignatures } from '../api/signatures.js';
import { findMissingBuild } from '../check/built.js';
import { ROOT } from '../check/command.js';
import { addEntry, renderEntry } from './changelog.js';
import { type NextRelease, RELEASED, readApiChanges, readNext } from './next.js';
import { breakingStep } from './plan.js';

/** Writes the next versions into a workspace. */
export function writeVersions(root: string, { packages, changesets, planned }: NextRelease): void {
  const next = new Map(planned.map((one) => [one.name, one]));
  for (const { name, folder, description, needs } of packages) {
    const release = next.get(name);
    if (!release) continue;
    const file = join(root, folder, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
    const raised = { ...manifest, version: release.to, ...placesOf(root, folder) };
    writeFileSync(file, `${JSON.stringify(raised, undefined, 2)}\n`);
    const raisedBy = needs.flatMap((need) => {
      const one = next.get(need);
      return one && one.step === breakingStep(one.from) ? [`${need} ${one.to}`] : [];
    });
    const changelog = join(root, folder, 'CHANGELOG.md');
    const before = existsSync(changelog) ? readFileSync(changelog, 'utf8') : '';
    writeFileSync(changelog, addEntry(name, before, renderEntry(release, changesets, { description, raisedBy })));
  }
  for (const { file } of changesets) rmSync(file);
  const versions = new Map(packages.map(({ name, version }) => [name, next.get(name)?.to ?? version]));
  const api = releasedApi(versions, publicNames(root), readSignatures(root));
  writeFileSync(join(root, RELEASED), `${JSON.stringify(api, undefined, 2)}\n`);
}

/** `repository`, `homepage` and `bugs` of a package: made from `repository` of the root's `package.json`, an address such as `https://host/owner/name`. */
function placesOf(root: string, folder: string): object {
  const file = join(root, 'package.json');
  const { repository = '' } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly repository?: string })
    : {};
  if (repository === '') return {};
  return {
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
    homepage: `${repository}/tree/main/${folder}#readme`,
    bugs: `${repository}/issues`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const next = readNext(ROOT);
  const unbuilt = findMissingBuild(ROOT, 'api');
  const breaks = unbuilt.length > 0 ? unbuilt : readApiChanges(ROOT).breaks;
  for (const finding of breaks) process.stderr.write(`${finding}\n`);
  for (const { name, from, to } of next.planned) process.stdout.write(`${name} ${from} -> ${to}\n`);
  if (breaks.length > 0) process.exitCode = 1;
  else if (!process.argv.includes('--plan')) writeVersions(ROOT, next);
}
