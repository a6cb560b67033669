import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A folder of its own, which is removed at the end of the test file, or of the process. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-constructs-'));
  made.push(folder);
  return folder;
}

function removeAll(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
}

// The judges run in a process of their own, without a test runner.
if (typeof afterAll === 'function') afterAll(removeAll);
else process.once('exit', removeAll);
