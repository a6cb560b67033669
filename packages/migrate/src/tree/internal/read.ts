import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { migrateError, reasonOf } from '../../errors.js';
import { runGit } from './git.js';

/** A file with its original content. */
export interface ReadFile {
  /** From the root, with `/`. */
  readonly path: string;
  /** The content, including a byte order mark. */
  readonly text: string;
}

/** Files that the run skipped although their names match, with the reasons. */
export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface Tree {
  /** The root without symbolic links. */
  readonly root: string;
  /** In byte order of path. */
  readonly files: readonly ReadFile[];
  readonly skipped: readonly Skipped[];
}

const SKIPPED_FOLDERS = new Set(['.git', 'node_modules', 'dist', 'build', 'coverage', 'cdk.out', '.venv', 'vendor']);
const CODE = /(?<!\.d)\.(?:ts|tsx|mts|cts|js|mjs|cjs|jsx)$/;
const MAX_BYTES = 2 * 1024 * 1024;

/** True if a file contains code, by its name. */
export function isCode(path: string): boolean {
  return CODE.test(path) && !/\.d\.[^/]*\.?ts$|\.d\.[mc]ts$/.test(path);
}

/**
 * Reads the files of a migration.
 *
 * @throws FrameworkError `migrate.invalid_root`
 */
export function readTree(root: string): Tree {
  const real = realRoot(root);
  const skipped: Skipped[] = [];
  const found = [...walk(real, '', skipped)];
  const ignored = ignoredByGit(real, found);
  const files = found
    .filter((path) => !ignored.has(path))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .flatMap((path) => {
      const read = readText(join(real, path));
      if ('text' in read) return [{ path, text: read.text }];
      skipped.push({ path, reason: read.reason });
      return [];
    });
  return { root: real, files, skipped: skipped.filter(({ path }) => !ignored.has(path)) };
}

function realRoot(root: string): string {
  try {
    if (statSync(root).isDirectory()) return realpathSync(root);
  } catch (error) {
    throw migrateError('migrate.invalid_root', `the root cannot be read: ${reasonOf(error)}`, error);
  }
  throw migrateError('migrate.invalid_root', `the root is not a directory: ${root}`);
}

/** Paths of files whose names match. Symbolic links are listed but not followed: they can lead outside the root. */
function* walk(root: string, folder: string, skipped: Skipped[]): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isSymbolicLink()) {
      if (!SKIPPED_FOLDERS.has(entry.name)) skipped.push({ path, reason: 'a symbolic link' });
    } else if (entry.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(entry.name)) yield* walk(root, path, skipped);
    } else if (entry.isFile() && (isCode(path) || entry.name === 'package.json')) yield path;
  }
}

function readText(file: string): { readonly text: string } | { readonly reason: string } {
  if (lstatSync(file).size > MAX_BYTES) return { reason: 'larger than 2 MiB' };
  const bytes = readFileSync(file);
  if (bytes.includes(0)) return { reason: 'a binary file' };
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? { text } : { reason: 'not UTF-8' };
}

/** The paths that git ignores; empty if the root is outside a working tree. */
function ignoredByGit(root: string, paths: readonly string[]): ReadonlySet<string> {
  const { status, stdout } = runGit(root, ['check-ignore', '--stdin', '-z'], paths.join('\0'));
  return new Set(status === 0 ? stdout.split('\0') : []);
}

/** True if the working tree of a folder has uncommitted changes. Working trees of submodules are not read. */
export function hasUncommitted(root: string): boolean {
  const { status, stdout } = runGit(root, ['status', '--porcelain', '--ignore-submodules=dirty', '--', '.']);
  return status === 0 && stdout.trim() !== '';
}
