import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProject } from './support/run.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const NOTES = join(HERE, '../../../examples/notes');
const MAIN = join(HERE, '../src/internal/main.ts');
const TSX = join(HERE, '../../../node_modules/tsx/dist/loader.mjs');

/** Runs the command as a developer does; the environment has nothing but what a shell needs. */
function sallyport(cwd: string, args: readonly string[]): Promise<{ code: number; out: string }> {
  const node = ['--conditions=@sallyport/source', '--import', TSX, MAIN, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, node, { cwd, env: { PATH: process.env.PATH, HOME: cwd } }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, out: stdout + stderr });
    });
  });
}

test('the example starts as npm start does it, in an empty home: the console answers, every operation is known', async () => {
  const project = createProject({});
  for (const name of ['dev', 'src', 'package.json', 'sallyport.json']) {
    cpSync(join(NOTES, name), join(project.folder, name), { recursive: true });
  }
  symlinkSync(join(NOTES, 'node_modules'), join(project.folder, 'node_modules'));
  const { code, out } = await sallyport(project.folder, ['dev', '--check', '--port', '0', '--no-state']);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^checked {3}the console answers, \d+ routes, \d+ event handlers, 1 MCP server$/m),
  });
  project.remove();
}, 120_000);
