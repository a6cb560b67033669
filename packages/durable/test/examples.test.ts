import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';

const HERE = dirname(fileURLToPath(import.meta.url));
const FOLDER = join(HERE, '..');
/** Blocks import packages, which are found from here. */
const BLOCKS = join(FOLDER, '.sallyport', `blocks-${process.pid}`);

/** Blocks with a table or a bucket need a server: `resume`, `signals` and `limits` test them. */
const NEEDS_SERVER = /'@sallyport\/(jobs|objectstore)'/;

/** The blocks of a page that have a durable handler, as modules. */
function blocksOf(page: string, prefix: string): string[] {
  const text = readFileSync(join(FOLDER, page), 'utf8');
  const blocks = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  return blocks
    .filter((code) => /\bdurable\(/.test(code) && /^export /m.test(code) && !NEEDS_SERVER.test(code))
    .map((code, at) => {
      const file = join(BLOCKS, `${prefix}-${at}.mjs`);
      const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
      writeFileSync(file, ts.transpile(code, options));
      return file;
    });
}

afterAll(() => rmSync(BLOCKS, { recursive: true, force: true }));

test('sweep and explore find nothing in the examples of the pages', async () => {
  mkdirSync(BLOCKS, { recursive: true });
  const files = [...blocksOf('../../docs/durable.md', 'docs'), ...blocksOf('README.md', 'readme')];
  const args = ['--import', 'tsx', '-C', '@sallyport/source', join(HERE, 'functions/examples.ts'), ...files];
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: FOLDER, timeout: 600_000 });
  const result: unknown = JSON.parse(/^RESULT (.*)$/m.exec(stderr)?.[1] ?? '{}');
  const clean = { status: 'SUCCEEDED', hasKills: true, findings: [] };
  expect(result).toEqual({
    'docs handler 0': clean,
    'docs handler 1': clean,
    'readme handler 0': clean,
    'approve 0': clean,
    'approve 1': { ...clean, status: 'FAILED' },
    'ship 0': clean,
    'remind 0': clean,
  });
});
