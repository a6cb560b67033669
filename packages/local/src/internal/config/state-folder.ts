import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in which a project's run keeps its files. */
export const stateFolderOf = (project: string): string => join(project, '.sallyport');

/** Creates the folder, which git ignores: it contains keys, tokens and copies of events. */
export function makeStateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
}

/** Writes a file that only its owner can read, even if the file existed with other permissions. */
export function writePrivateFile(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
}
