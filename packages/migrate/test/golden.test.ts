import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/internal/command.js';
import { errorsOf } from './support/compile.js';
import { contentOf, copyOf, GOLDEN, removeServices } from './support/service.js';

interface Expectation {
  readonly exitCode: number;
  readonly stderr: readonly string[];
  /** Compiler errors after the migration other than placeholders: each is a line of the manual list. */
  readonly errors: readonly string[];
}

afterAll(removeServices);

function run(...args: string[]): {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: readonly string[];
} {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = runCommand(args, { out: (text) => out.push(text), err: (text) => err.push(text) });
  return { exitCode, stdout: out.join(''), stderr: err.join('').split('\n').slice(0, -1) };
}

describe.each(readdirSync(GOLDEN))('the service %s', (name) => {
  const before = join(GOLDEN, name, 'before');
  const after = join(GOLDEN, name, 'after');
  const expected = JSON.parse(readFileSync(join(GOLDEN, name, 'expect.json'), 'utf8')) as Expectation;

  it('has a dry run that writes nothing and whose diff makes the migrated service', () => {
    const root = copyOf(before);
    const { exitCode, stdout, stderr } = run('-root', root);
    expect([exitCode, stderr]).toEqual([expected.exitCode, expected.stderr]);
    expect(contentOf(root)).toEqual(contentOf(before));
    const patched = spawnSync('git', ['apply', '--whitespace=nowarn', '-'], {
      cwd: root,
      input: stdout,
      encoding: 'utf8',
    });
    expect([patched.status, patched.stderr]).toEqual([0, '']);
    expect(contentOf(root)).toEqual(contentOf(after));
  });

  it('is rewritten, and a second run finds nothing to do', () => {
    const root = copyOf(before);
    expect(run('-root', root, '-apply')).toMatchObject({ exitCode: 3, stdout: '' });
    expect(contentOf(root)).toEqual(contentOf(after));
    const again = run('-root', root);
    expect([again.exitCode, again.stdout, again.stderr.at(-1)]).toEqual([3, '', 'sallyport-migrate: no changes']);
  });

  it('compiles against our packages except manual changes', () => {
    expect(errorsOf(after)).toEqual(expected.errors);
  }, 120_000);
});
