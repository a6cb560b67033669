import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import { judgeSentences } from './sentences.js';
import { type Finding, findPhrases, isUnder } from './words.js';

/** Past changesets and changelogs are not rewritten; the patterns have their own examples. */
const SKIPPED =
  /^\.changeset\/(?!README)|CHANGELOG\.md$|^scripts\/check\/words\/|^scripts\/lab\/.*\.ts$|^packages\/migrate\/test\/golden\//;

/** The findings in the files below the paths, relative to the root; of the whole workspace without any. */
export async function findInFiles(paths: readonly string[] = []): Promise<readonly Finding[]> {
  const files = await listFiles(['*.md', '*.ts', '*.tsx', '*.mjs']);
  return files.filter((file) => isUnder(file, paths)).flatMap((file) => findPhrases(file, read(file)));
}

/** The lines with two sentences, in all pages and READMEs. */
export async function findLines(): Promise<readonly string[]> {
  return (await listFiles(['*.md'])).flatMap((file) => judgeSentences(file, read(file)));
}

async function listFiles(globs: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z', ...globs]);
  return stdout.split('\0').filter((file) => file !== '' && !SKIPPED.test(file) && existsSync(join(ROOT, file)));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
