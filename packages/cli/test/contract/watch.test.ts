import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watched } from '../../src/contract/internal/watch.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  for (const name of ['src', 'node_modules']) mkdirSync(join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command with `--watch`: each run performs the next step, and the last one stops the command. */
async function runs(...steps: (() => void)[]): Promise<{ readonly code: number; readonly count: number }> {
  const end = new AbortController();
  let count = 0;
  const command = watched(async () => {
    steps[count]?.();
    count += 1;
    if (count > steps.length) end.abort();
    return 1;
  });
  const nothing = () => undefined;
  const around = { cwd: folder, environment: {}, out: nothing, err: nothing, input: async () => '' };
  const code = await command(['--watch'], { ...around, signal: end.signal });
  return { code, count };
}

const write = (file: string) => writeFileSync(join(folder, file), 'x');

test('a command with --watch runs again after a change during or after a run, also in a new folder', async () => {
  const found = await runs(
    () => write('src/lambda.ts'),
    () => mkdirSync(join(folder, 'src/new')),
    () => write('src/new/route.ts'),
  );
  expect(found).toEqual({ code: 0, count: 4 });
});

test('a command without --watch runs once', async () => {
  let count = 0;
  const command = watched(async () => {
    count += 1;
    return 3;
  });
  expect(await command([], {} as never)).toBe(3);
  expect(count).toBe(1);
});
