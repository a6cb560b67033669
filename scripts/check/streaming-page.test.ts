import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandResult, ROOT, run } from './command.js';
import { codeBlocks } from './readme-blocks.js';

const PAGE = 'docs/streaming.md';

/** Runs the files that readers of the page create, unchanged. */
async function runPage(change: (lambda: string) => string): Promise<CommandResult> {
  const folder = mkdtempSync(join(tmpdir(), 'streaming-page-'));
  try {
    symlinkSync(join(ROOT, 'examples', 'notes', 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const files = codeBlocks(PAGE, readFileSync(join(ROOT, PAGE), 'utf8')).filter(({ name }) => name !== undefined);
    for (const { name = '', code } of files)
      writeFileSync(join(folder, name), name === 'lambda.ts' ? change(code) : code);
    const tsx = join(ROOT, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs');
    const args = ['--conditions=@sallyport/source', '--import', tsx, join(folder, 'test.ts')];
    return await run('env', ['PROGRESS_SECRET=a-secret-of-the-test', process.execPath, ...args]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('passes its own test with the handler that it exports', async () => {
  expect(await runPage((lambda) => lambda)).toMatchObject({ status: 0 });
});

it('fails it with an export that answers in one piece', async () => {
  const buffered = await runPage((lambda) =>
    lambda.replace('createLambdaFunctionURLStreamingHandler(app)', 'app.handleLambda'),
  );
  expect(buffered.status).not.toBe(0);
  expect(buffered.output).toContain('TypeError: the handler does not stream');
});
