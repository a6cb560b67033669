/** Each recipe of docs/recipes.md is a program and a test, and the tests pass. The gate `readmes` checks their types. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { packagePaths } from '../check/gates/readmes.js';
import { codeBlocks } from '../check/readme-blocks.js';
import { runBlocks } from '../check/readme-run.js';
import { readWorkspace } from '../check/workspace.js';

const PAGE = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8');
const BLOCKS = codeBlocks('docs/recipes.md', PAGE);
const RECIPES = [
  'webhook',
  'uploads',
  'fan-out',
  'saga',
  'report',
  'tenant-limits',
  'page-api',
  'chat',
  'rag',
  'agent',
];

it('has ten recipes, each with a program and its test', () => {
  expect(BLOCKS.map(({ name }) => name)).toEqual(RECIPES.flatMap((name) => [`${name}.ts`, `${name}.test.ts`]));
});

it('runs every program in its test', async () => {
  const modules = readWorkspace(ROOT, ['packages', 'examples', 'tools']).map(({ folder }) => folder);
  expect(await runBlocks(BLOCKS, { root: ROOT, paths: packagePaths(), modules, notRun: [] })).toEqual([]);
});
