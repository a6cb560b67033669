/** Ten tasks that were done with docs/assistants.md alone: each solution runs. The gate `readmes` checks their types. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { packagePaths } from '../check/gates/readmes.js';
import { codeBlocks } from '../check/readme-blocks.js';
import { runBlocks } from '../check/readme-run.js';
import { readWorkspace } from '../check/workspace.js';

const FILE = 'scripts/docs/assistant-tasks.md';
const BLOCKS = codeBlocks(FILE, readFileSync(join(ROOT, FILE), 'utf8'));
const ASSISTANTS = readFileSync(join(ROOT, 'docs/assistants.md'), 'utf8');

it('has ten tasks, each with a test', () => {
  const tests = BLOCKS.filter(({ name }) => name?.endsWith('.test.ts'));
  expect(tests.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, n) => `task-${n + 1}.test.ts`));
});

it('runs every solution', async () => {
  const modules = readWorkspace(ROOT, ['packages', 'examples', 'tools']).map(({ folder }) => folder);
  expect(await runBlocks(BLOCKS, { root: ROOT, paths: packagePaths(), modules, notRun: [] })).toEqual([]);
});

it('uses only names that the page for assistants shows', () => {
  const imported = BLOCKS.flatMap(({ code }) => [
    ...code.matchAll(/import (?:type )?\{ ([^}]*) \} from '(@sallyport[^']*)'/g),
  ]);
  const unknown = imported.flatMap(([, names = '', from = '']) =>
    [...names.split(', ').map((name) => name.replace(/^type /, '')), from].filter((name) => !ASSISTANTS.includes(name)),
  );
  expect([...new Set(unknown)]).toEqual([]);
});
