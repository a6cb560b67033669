/** The search of the site finds pages by the words of other frameworks. `npm run docs:judge` does the same in a browser. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SEARCHES } from '../src/terms.js';

const found: Record<string, readonly string[]> = {};
beforeAll(() => {
  const program = fileURLToPath(new URL('../src/search.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  Object.assign(found, JSON.parse(stdout));
});

it('has at least forty words', () => {
  expect(new Set(SEARCHES.map(([term]) => term)).size).toBeGreaterThanOrEqual(40);
});

it.each(SEARCHES)('finds by "%s" the page %s among the first three', (term, page) => {
  expect(found[term]?.slice(0, 3)).toContain(page);
});
