import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const made: string[] = [];

/** A new folder, which is removed at the end of the test file, or of the process. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-constructs-'));
  made.push(folder);
  return folder;
}

/** A folder with the files of a project. */
export function newProject(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function removeAll(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
}

// The judges run in a separate process without a test runner.
if (typeof afterAll === 'function') afterAll(removeAll);
else process.once('exit', removeAll);
