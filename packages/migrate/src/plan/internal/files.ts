import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { reasonOf } from '../../errors.js';

const ANYBODY_WRITES = 0o222;

/** Returns the reason why a file may not be written, if any. */
export function checkTarget(root: string, path: string, before: string): string | undefined {
  const file = join(root, path);
  try {
    const { mode } = lstatSync(file);
    if (!lstatSync(file).isFile()) return `${path} is not a regular file any more`;
    if (!`${realpathSync(dirname(file))}${sep}`.startsWith(`${root}${sep}`.replace(`${sep}${sep}`, sep)))
      return `${path} is outside the root`;
    // The superuser may write everything; respect that the permission was removed on purpose.
    if ((mode & ANYBODY_WRITES) === 0) return `${path} is read-only`;
    accessSync(file, constants.W_OK);
    accessSync(dirname(file), constants.W_OK);
    return readFileSync(file).equals(Buffer.from(before, 'utf8')) ? undefined : `${path} has changed since it was read`;
  } catch (error) {
    return `${path}: ${reasonOf(error)}`;
  }
}

/** Replaces a file atomically: readers see the old or the new content, even after a loss of power. Keeps its mode. */
export function writeAtomically(root: string, path: string, text: string): void {
  const file = join(root, path);
  const temporary = join(dirname(file), `.${basename(file)}.sallyport-${randomBytes(8).toString('hex')}`);
  try {
    const handle = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(handle, text, 'utf8');
      fchmodSync(handle, lstatSync(file).mode & 0o7777);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
