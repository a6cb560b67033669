import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

const FOLDER = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(FOLDER, 'TESTING.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);

test('the page has blocks for runDurable, sweep and explore, also with histories', () => {
  expect(BLOCKS.map((code) => /\{ (\w+) \} from '@sallyport\/durable\/testing'/.exec(code)?.[1])).toEqual([
    'runDurable',
    'sweep',
    'explore',
    'explore',
  ]);
});

// The gate `readmes` runs bundles, in which AWS's SDK does not find the plugin that observes steps.
test.each([0, 1, 2, 3])('block %i of the page runs', async (index) => {
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const code = ts.transpile(BLOCKS[index] ?? '', options);
  const args = ['--import', 'tsx', '-C', '@sallyport/source', '--input-type=module', '--eval', code];
  await expect(promisify(execFile)(process.execPath, args, { cwd: FOLDER })).resolves.toMatchObject({ stdout: '' });
});
