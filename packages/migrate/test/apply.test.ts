import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { applyPlan, formatPatch, planMigration } from '../src/index.js';
import { runCommand } from '../src/internal/command.js';
import { contentOf, GOLDEN, makeReadOnly, makeService, removeServices, WORKSPACE } from './support/service.js';

const CREATES = `import { createApp } from '@sallyport/dispatch/app';\nexport const app = createApp();\napp.get('/a', f);\n`;
const CLOSED = `import { SecureApp } from '@sallyport/secure';\nimport { choosePosture } from '@sallyport/secure/migrate';\nexport const app = new SecureApp();\napp.get('/a', f, choosePosture('GET /a'));\n`;

afterAll(removeServices);

function command(...args: string[]): { exitCode: number; out: string; err: string } {
  const written = { out: '', err: '' };
  const exitCode = runCommand(args, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { exitCode, ...written };
}

describe('data that must not be lost', () => {
  it('keeps the mode of a file', () => {
    const root = makeService({ 'a.ts': CREATES });
    chmodSync(join(root, 'a.ts'), 0o755);
    expect(command('-root', root, '-apply').exitCode).toBe(0);
    expect(statSync(join(root, 'a.ts')).mode & 0o777).toBe(0o755);
    expect(contentOf(root)).toEqual({ 'a.ts': CLOSED });
  });

  it.each([
    ['a file without a final newline', CREATES.trimEnd()],
    ['CRLF', CREATES.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${CREATES}`],
  ])('returns a diff that git applies: %s', (_name, text) => {
    const root = makeService({ 'with space/ä.ts': text, 'b.ts': CREATES });
    const { out } = command('-root', root);
    expect(out).not.toContain('===');
    expect(out.split('\n')[0]).toBe('--- a/b.ts');
    const patched = spawnSync('git', ['apply', '-'], { cwd: root, input: out, encoding: 'utf8' });
    expect([patched.status, patched.stderr.replaceAll(/.*trailing whitespace.*\n.*\n|warning: .*\n/g, '')]).toEqual([
      0,
      '',
    ]);
    const other = makeService({ 'with space/ä.ts': text, 'b.ts': CREATES });
    command('-root', other, '-apply');
    expect(contentOf(root)).toEqual(contentOf(other));
  });
});

describe('what stops a run before the first write', () => {
  const files = { 'a.ts': CREATES, 'b.ts': CREATES };

  it('a read-only file', () => {
    const root = makeService(files);
    makeReadOnly(root, 'b.ts');
    expect(command('-root', root, '-apply')).toEqual({
      exitCode: 2,
      out: '',
      err: expect.stringContaining('sallyport-migrate: nothing was written: b.ts is read-only\n'),
    });
    expect(contentOf(root)).toEqual(files);
  });

  it.each<[string, (root: string) => void, string]>([
    [
      'a file that has changed since',
      (root) => writeFileSync(join(root, 'b.ts'), 'other'),
      'b.ts has changed since it was read',
    ],
    ['a file that is gone', (root) => rmSync(join(root, 'b.ts')), 'b.ts: ENOENT'],
    [
      'a file that has become a link',
      (root) => {
        rmSync(join(root, 'b.ts'));
        symlinkSync(join(root, 'a.ts'), join(root, 'b.ts'));
      },
      'b.ts is not a regular file any more',
    ],
  ])('%s', (_name, change, problem) => {
    const root = makeService(files);
    const plan = planMigration({ root });
    change(root);
    expect(() => applyPlan(plan)).toThrow(problem);
    expect(readFileSync(join(root, 'a.ts'), 'utf8')).toBe(CREATES);
  });

  it('a folder that is now a link to a place outside the root', () => {
    const root = makeService({ 'in/a.ts': CREATES });
    const outside = makeService({ 'a.ts': CREATES });
    const plan = planMigration({ root });
    rmSync(join(root, 'in'), { recursive: true });
    symlinkSync(outside, join(root, 'in'));
    expect(() => applyPlan(plan)).toThrow('in/a.ts is outside the root');
    expect(contentOf(outside)).toEqual({ 'a.ts': CREATES });
  });
});

describe('omitted values', () => {
  it('links to files outside the root: neither followed nor replaced', () => {
    const outside = makeService({ 'a.ts': CREATES, 'in/b.ts': CREATES });
    const root = makeService({ 'own.ts': 'export {};' });
    symlinkSync(join(outside, 'a.ts'), join(root, 'link.ts'));
    symlinkSync(join(outside, 'in'), join(root, 'folder'));
    const { exitCode, err } = command('-root', root, '-apply');
    expect([exitCode, err]).toEqual([
      0,
      'skipped: folder: a symbolic link\nskipped: link.ts: a symbolic link\nsallyport-migrate: no changes\n',
    ]);
    expect(contentOf(outside)).toEqual({ 'a.ts': CREATES, 'in/b.ts': CREATES });
  });

  it('files that are too large, binary or not UTF-8, and what git ignores', () => {
    const root = makeService({
      'large.ts': CREATES + ' '.repeat(2 * 1024 * 1024),
      'binary.ts': `${CREATES}\0`,
      'latin.ts': Buffer.concat([Buffer.from(CREATES), Buffer.from([0x2f, 0x2f, 0xe9])]),
      'generated/a.ts': CREATES,
      '.gitignore': 'generated/\n',
    });
    spawnSync('git', ['init', '--quiet'], { cwd: root });
    expect(planMigration({ root })).toMatchObject({
      changes: [],
      skipped: [
        { path: 'binary.ts', reason: 'a binary file' },
        { path: 'large.ts', reason: 'larger than 2 MiB' },
        { path: 'latin.ts', reason: 'not UTF-8' },
      ],
    });
  });

  it('a file that does not parse; the others are done', () => {
    const root = makeService({ 'a.ts': CREATES, 'broken.ts': `${CREATES}function (` });
    expect(command('-root', root, '-apply')).toEqual({
      exitCode: 2,
      out: '',
      err: 'broken: broken.ts:4:10 does not parse: Identifier expected.\nsallyport-migrate: updated 1 file(s)\n',
    });
    expect(contentOf(root)).toEqual({ 'a.ts': CLOSED, 'broken.ts': `${CREATES}function (` });
  });
});

describe('a run that is interrupted', () => {
  const PRELOAD = fileURLToPath(new URL('./programs/fail-at.mjs', import.meta.url));
  const MAIN = fileURLToPath(new URL('../src/internal/main.ts', import.meta.url));
  const ESBUILD = join(WORKSPACE, 'node_modules/.bin/esbuild');
  /** In the package, so that its dependencies are found. */
  const CACHE = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
  const FILES = {
    'app.ts': `import { createApp } from '@sallyport/dispatch/app';\nexport const app = createApp();\n`,
    'one.ts': `import { app } from './app.js';\napp.get('/one', f);\n`,
    'two.ts': `import { app } from './app.js';\napp.get('/two', f);\n`,
  };
  const migrated = () => {
    const root = makeService(FILES);
    command('-root', root, '-apply');
    return contentOf(root);
  };

  let folder: string;

  /** Bundles the command, because each of its processes would transpile the sources again. */
  beforeAll(() => {
    mkdirSync(CACHE, { recursive: true });
    folder = mkdtempSync(join(CACHE, 'command-'));
    const flags = ['--bundle', '--platform=node', '--format=esm', '--conditions=@sallyport/source'];
    const external = ['typescript', 'diff', '@cfworker/json-schema'].map((name) => `--external:${name}`);
    const { status, stderr } = spawnSync(
      ESBUILD,
      [MAIN, ...flags, ...external, `--outfile=${join(folder, 'main.mjs')}`],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function runFailing(root: string, failAt: string) {
    const args = ['--import', pathToFileURL(PRELOAD).href, join(folder, 'main.mjs'), '-root', root, '-apply'];
    return spawnSync(process.execPath, args, {
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled'), FAIL_AT: failAt, FAIL_ROOT: root },
      encoding: 'utf8',
    });
  }

  it.each([
    'openSync:1:kill',
    'writeFileSync:1:kill',
    'writeFileSync:3:kill',
    'fsyncSync:2:kill',
    'renameSync:1:kill',
    'renameSync:2:kill',
    'renameSync:3:kill',
  ])('leaves no file half written and can be taken up again: killed at %s', (failAt) => {
    const root = makeService(FILES);
    const after = migrated();
    expect(runFailing(root, failAt).signal).toBe('SIGKILL');
    for (const [path, before] of Object.entries(FILES)) {
      expect([before, after[path]]).toContain(readFileSync(join(root, path), 'utf8'));
    }
    expect(command('-root', root, '-apply').exitCode).toBe(0);
    for (const path of Object.keys(FILES)) expect(readFileSync(join(root, path), 'utf8')).toBe(after[path]);
  });

  it.each(['openSync:2:fail', 'writeFileSync:3:fail', 'fsyncSync:1:fail', 'renameSync:2:fail', 'renameSync:3:fail'])(
    'restores everything if a write fails: %s',
    (failAt) => {
      const root = makeService(FILES);
      const { status, stdout, stderr } = runFailing(root, failAt);
      expect([status, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringMatching(/could not be written: EIO: i\/o error; every other file is unchanged\n$/),
      ]);
      expect(contentOf(root)).toEqual(FILES);
    },
  );
});

describe('the wrapper', () => {
  const WRAPPER = join(WORKSPACE, 'scripts', 'migrate-service');

  it('passes arguments, streams and the exit code through, from any folder', () => {
    const root = makeService({ 'a folder/*/a.ts': CREATES });
    const run = (...args: string[]) => spawnSync(WRAPPER, args, { cwd: root, encoding: 'utf8' });
    expect(run('-root', 'a folder/*')).toMatchObject({
      status: 1,
      stdout: formatPatch(planMigration({ root: join(root, 'a folder/*') })),
      stderr: 'sallyport-migrate: 1 file(s) would change (re-run with -apply)\n',
    });
    expect(run('-root', '')).toMatchObject({ status: 2, stdout: '' });
    expect(run('-root=a folder/*', '--apply')).toMatchObject({ status: 0, stdout: '' });
    expect(run('-root', 'a folder')).toMatchObject({ status: 0, stderr: 'sallyport-migrate: no changes\n' });
    expect(readFileSync(join(root, 'a folder/*/a.ts'), 'utf8')).toBe(CLOSED);
  });
});

describe('the command line', () => {
  it.each<[string, readonly string[], number, string]>([
    ['an unknown flag', ['-aply'], 2, 'unknown flag -aply'],
    ['a positional argument', ['src'], 2, 'unexpected argument src'],
    ['a repeated flag', ['-root', 'a', '--root=b'], 2, '-root is given twice'],
    ['a missing value', ['-root'], 2, '-root needs a value'],
    ['a switch with a wrong value', ['-apply=maybe'], 2, '-apply is true or false'],
    [
      'an unknown rule',
      ['-rules', 'imports,magic'],
      2,
      "there is no rule 'magic': there are frameworks, imports, strict, secure, package",
    ],
    ['an empty root', ['-root='], 2, '-root is empty'],
    ['a root that is not there', ['-root', '/nonexistent-sallyport'], 2, 'the root cannot be read'],
    ['a root that is a file', ['-root', fileURLToPath(import.meta.url)], 2, 'the root is not a directory'],
    [
      'a mapping file that is not there',
      ['-root', GOLDEN, '-map', 'nowhere.json'],
      2,
      'the mapping file cannot be read',
    ],
  ])('rejects %s', (_name, args, exitCode, problem) => {
    const result = command(...args);
    expect([result.exitCode, result.out]).toEqual([exitCode, '']);
    expect(result.err).toContain(`sallyport-migrate: ${problem}`);
  });

  it.each([['-help'], ['--help'], ['-help=true', '-apply']])('prints its help: %s', (...args) => {
    expect(command(...args)).toMatchObject({ exitCode: 0, out: expect.stringContaining('-apply'), err: '' });
  });

  it('prints its version', () => {
    expect(command('-version')).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      err: '',
    });
  });

  it.each([['-apply=false'], ['--apply=0'], []])('writes nothing without -apply: %s', (...args) => {
    const root = makeService({ 'a.ts': CREATES });
    expect(command('-root', root, ...args).exitCode).toBe(1);
    expect(contentOf(root)).toEqual({ 'a.ts': CREATES });
  });

  it('runs only the rules that are named', () => {
    const root = makeService({ 'a.ts': CREATES });
    expect(command('-root', root, '-rules', 'imports,package')).toMatchObject({ exitCode: 0, out: '' });
  });

  it('reads the mapping file of the root, or a named file', () => {
    const text = `import { a } from 'old';\n`;
    const mapping = (module: string) => JSON.stringify({ version: 1, modules: { old: { module } } });
    const root = makeService({
      'a.ts': text,
      'sallyport-migrate.json': mapping('@sallyport/core'),
      'b/m.json': mapping('@sallyport/http'),
    });
    expect(command('-root', root).out).toContain(`+import { a } from '@sallyport/core';`);
    expect(command('-root', root, '-map', join(root, 'b/m.json')).out).toContain(
      `+import { a } from '@sallyport/http';`,
    );
  });

  it('does not write over changes that are not committed, unless -force is given', () => {
    const root = makeService({ 'a.ts': CREATES });
    spawnSync('git', ['init', '--quiet'], { cwd: root });
    const refusal = 'the working tree has changes that are not committed: commit them, or add -force\n';
    expect(command('-root', root)).toMatchObject({ exitCode: 1, err: expect.not.stringContaining(refusal) });
    expect(command('-root', root, '-apply')).toMatchObject({ exitCode: 2, err: `sallyport-migrate: ${refusal}` });
    expect(contentOf(root)['a.ts']).toBe(CREATES);
    expect(command('-root', root, '-apply', '-force').exitCode).toBe(0);
    expect(contentOf(root)['a.ts']).toBe(CLOSED);
  });
});
