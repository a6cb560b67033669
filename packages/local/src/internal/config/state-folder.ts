import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { usageError } from '../errors.js';

/** The variable that names another folder, for a project that cannot be written. */
const VARIABLE = 'SALLYPORT_STATE_FOLDER';

/** The folder in which a project's run keeps its files: `.sallyport` in the project, or `SALLYPORT_STATE_FOLDER`. */
export function stateFolderOf(project: string): string {
  const other = process.env[VARIABLE] ?? '';
  return other === '' ? join(project, '.sallyport') : resolve(other);
}

/**
 * Creates the folder, which git ignores: it contains keys, tokens and copies of events.
 *
 * @throws FrameworkError `local.usage` if it cannot be written
 */
export function makeStateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const ignore = join(folder, '.gitignore');
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException;
    throw usageError(`${folder} cannot be written (${code}): set ${VARIABLE} to a folder that can`);
  }
}

/** The token of the console of a project. It is kept, so that an open page continues after a restart. */
export function consoleToken(folder: string): string {
  const file = join(folder, 'console-token');
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (/^[\w-]{32}$/.test(kept)) return kept;
  const token = randomBytes(24).toString('base64url');
  writePrivateFile(file, token);
  return token;
}

/** Writes a file that only its owner can read, even if the file existed with other permissions. */
export function writePrivateFile(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
}
