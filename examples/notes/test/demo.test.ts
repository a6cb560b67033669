import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');

it('the demo ends with every answer as expected', async () => {
  const args = ['--conditions=@sallyport/source', '--import', 'tsx', 'examples/notes/demo/main.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  expect(stdout).toContain('All 27 answers are as expected.');
  expect(stdout).toContain('POST issuer/token 200');
  expect(stdout).toContain('It found {"notes":[{"id":"note-1"');
});
