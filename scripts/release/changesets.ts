import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change, Step } from './plan.js';

/** A file of `.changeset/`: the text about a change for users, and the changed packages. */
export interface Changeset {
  /** Path of the file. */
  readonly file: string;
  readonly changes: readonly Change[];
  readonly text: string;
}

/**
 * The changesets of a workspace, in order of their names.
 *
 * @throws Error that names the file and the line, for a file of another form
 */
export function readChangesets(root: string): readonly Changeset[] {
  const folder = join(root, '.changeset');
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return files.sort().map((name) => parseChangeset(join(folder, name), readFileSync(join(folder, name), 'utf8')));
}

/** Reads the form that `npx changeset` writes. */
export function parseChangeset(file: string, content: string): Changeset {
  const [, head, text = ''] = /^---\n([\s\S]*?)\n?---\n([\s\S]*)$/.exec(content) ?? [];
  if (head === undefined) throw new Error(`${file} does not begin with "---", packages and "---"`);
  if (text.trim() === '') throw new Error(`${file} does not tell what changed`);
  const changes = head.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const [, name, step] = /^['"]?([^'":]+)['"]?: (patch|minor|major)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`${file}: "${line}" is not a package with patch, minor or major`);
    return [{ name, step: step as Step }];
  });
  return { file, changes, text: text.trim() };
}
