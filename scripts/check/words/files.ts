import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import { type Finding, findPhrases, isUnder } from './words.js';

/** Past changesets and changelogs are not rewritten; the patterns have their own examples. */
const SKIPPED = /^\.changeset\/(?!README)|CHANGELOG\.md$|^scripts\/check\/words\/|^packages\/migrate\/test\/golden\//;

/** The findings in the files below the paths, relative to the root; of the whole workspace without any. */
export async function findInFiles(paths: readonly string[] = []): Promise<readonly Finding[]> {
  const globs = ['*.md', '*.ts', '*.tsx', '*.mjs'];
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z', ...globs]);
  return stdout
    .split('\0')
    .filter((file) => file !== '' && !SKIPPED.test(file) && existsSync(join(ROOT, file)))
    .filter((file) => isUnder(file, paths))
    .flatMap((file) => findPhrases(file, readFileSync(join(ROOT, file), 'utf8')));
}
