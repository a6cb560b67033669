import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A folder of its own, which is removed at the end of the test file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-constructs-'));
  made.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
