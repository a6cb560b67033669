import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ANYBODY_WRITES = 0o222;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal interprets them
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the reason why a project cannot be created in a place, if any. */
export function refuseTarget(target: string): string | undefined {
  const above = firstThatExists(dirname(target));
  if (!statSync(above).isDirectory()) return `${above} is a file`;
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return `${target} is a symbolic link`;
  if (found && !found.isDirectory()) return `${target} is a file`;
  const there = found ? readdirSync(target).filter((name) => name !== '.git') : [];
  if (there.length > 0) return `${target} is not empty: it contains ${there.slice(0, 3).join(', ')}`;
  // The superuser may write everywhere; respect that the permission was removed on purpose.
  const folder = found ? target : above;
  return (statSync(folder).mode & ANYBODY_WRITES) === 0 ? `${folder} is read-only` : undefined;
}

function firstThatExists(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : firstThatExists(dirname(path));
}

/**
 * Writes the files of a project to a temporary folder next to the target, then moves them. If a step fails, the created files are removed; an
 * existing folder is kept.
 *
 * @returns a function that removes the files again
 */
export function writeProject(target: string, files: ReadonlyMap<string, string>): () => void {
  const before = existsSync(target) ? readdirSync(target) : undefined;
  const above = mkdirSync(dirname(target), { recursive: true });
  const draft = mkdtempSync(join(before ? target : dirname(target), `.${basename(target)}.sallyport-`));
  const undo = () => {
    rmSync(draft, { recursive: true, force: true });
    if (above !== undefined) rmSync(above, { recursive: true, force: true });
    else if (before === undefined) rmSync(target, { recursive: true, force: true });
    else
      for (const name of readdirSync(target))
        if (!before.includes(name)) rmSync(join(target, name), { recursive: true });
  };
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      writeFileSync(join(draft, path), text, { flag: 'wx' });
    }
    if (before === undefined) renameSync(draft, target);
    else {
      for (const name of readdirSync(draft)) renameSync(join(draft, name), join(target, name));
      rmSync(draft, { recursive: true });
    }
    // mkdtemp creates folders for one user only.
    chmodSync(target, before ? statSync(target).mode : 0o755);
    return undo;
  } catch (error) {
    undo();
    throw error;
  }
}

/** A path as one word of a command that a developer copies: quoted where a shell would read more than a name. */
export function quoteForShell(path: string, platform: NodeJS.Platform = process.platform): string {
  const shown = path.replace(CONTROLS, '?');
  // A name that begins with a dash is an option.
  const named = shown.startsWith('-') ? `./${shown}` : shown;
  if (platform === 'win32') return /^[\w.\\/:-]+$/.test(named) ? named : `"${named}"`;
  return /^[\w./@+:-]+$/.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;
}
