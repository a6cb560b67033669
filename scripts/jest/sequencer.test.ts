import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer, { LONG } from './sequencer.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const testOf = (path: string) => ({
  path: join(root, path),
  context: { config: { id: 'none', cacheDirectory: join(root, 'no-cache') }, hasteFS: { getSize: () => 1 } },
});

it('starts the long files first, in their order, and keeps all files', async () => {
  const others = ['packages/core/test/values.test.ts', 'scripts/totals.test.ts'];
  const [first = '', second = ''] = LONG;
  const sequencer = new Sequencer({ contexts: [], globalConfig: {} });
  const sorted = await sequencer.sort(['scripts/totals.test.ts', second, ...others.slice(0, 1), first].map(testOf));
  const paths = sorted.map(({ path }) => path);
  expect(paths.slice(0, 2)).toEqual([first, second].map((path) => join(root, path)));
  expect(paths.slice(2).sort()).toEqual(others.map((path) => join(root, path)));
});

it.each(LONG)('%s is a file', (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});
