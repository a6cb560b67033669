import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/internal/command.js';
import { makeService, removeServices } from './support/service.js';

const CREATES = `import { createApp } from '@sallyport/dispatch/app';\nexport const app = createApp();\napp.get('/a', f);\n`;
const PEOPLE = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

afterAll(removeServices);

function git(root: string, ...args: readonly string[]): string {
  const env = { ...process.env, ...PEOPLE };
  return spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  }).stdout;
}

/** A committed service with a changed file, whose repository names programs in every possible setting; each program writes a file. */
function makeHostile(): { readonly root: string; readonly ran: () => readonly string[] } {
  const root = makeService({ 'a.ts': CREATES, 'b.ts': 'export {};\n' });
  const marks = join(makeService({}), 'marks');
  mkdirSync(marks);
  git(root, 'init', '--quiet');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '-m', 'x');
  const program = (name: string) => {
    const file = join(marks, `${name}.sh`);
    writeFileSync(file, `#!/bin/sh\ntouch '${join(marks, `${name}.ran`)}'\ncat\n`);
    chmodSync(file, 0o755);
    return file;
  };
  for (const [name, value] of [
    ['core.fsmonitor', program('monitor')],
    ['core.hooksPath', join(marks, 'hooks')],
    ['core.pager', program('pager')],
    ['core.sshCommand', program('ssh')],
    ['core.editor', program('editor')],
    ['core.askPass', program('askpass')],
    ['filter.odd=name.clean', program('odd')],
    ['filter.Evil.clean', program('clean')],
    ['filter.Evil.smudge', program('smudge')],
    ['filter.Evil.required', 'true'],
    ['filter.long.process', program('process')],
    ['diff.external', program('external')],
    ['diff.evil.textconv', program('textconv')],
    ['diff.evil.command', program('command')],
    ['pager.status', program('status')],
    ['alias.status', `!${program('alias')}`],
  ] as const)
    git(root, 'config', name, value);
  mkdirSync(join(marks, 'hooks'));
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'pre-commit', 'post-checkout']) {
    writeFileSync(join(marks, 'hooks', hook), `#!/bin/sh\ntouch '${join(marks, `${hook}.ran`)}'\n`);
    chmodSync(join(marks, 'hooks', hook), 0o755);
  }
  writeFileSync(join(root, '.gitattributes'), 'a.ts filter=Evil diff=evil\nb.ts filter=long\n');
  // Of equal size, so git has to read them.
  for (const file of ['a.ts', 'b.ts']) {
    const text = file === 'a.ts' ? CREATES.replace("'/a'", "'/b'") : 'export{} ;\n';
    writeFileSync(join(root, file), text);
  }
  return { root, ran: () => readdirSync(marks).filter((name) => name.endsWith('.ran')) };
}

function migrate(...args: string[]): { readonly exitCode: number; readonly err: string } {
  let err = '';
  const exitCode = runCommand(args, {
    out: () => {},
    err: (text) => {
      err += text;
    },
  });
  return { exitCode, err };
}

test('the repository is hostile: plain git runs its programs', () => {
  const { root, ran } = makeHostile();
  git(root, 'status', '--porcelain');
  expect(ran()).toEqual(expect.arrayContaining(['clean.ran', 'monitor.ran', 'process.ran']));
});

test.each([
  // 1: there are changes.
  [[], 1],
  // 2: the working tree has changes.
  [['-apply'], 2],
  [['-apply', '-force'], 0],
])('no setting of the repository of a service runs a program: %j', (args, expected) => {
  const { root, ran } = makeHostile();
  const { exitCode, err } = migrate('-root', root, ...args);
  expect(exitCode).toBe(expected);
  expect(ran()).toEqual([]);
  // Git was called nevertheless.
  expect(err.includes('the working tree has changes')).toBe(args.length === 1);
});

test('no setting of a submodule runs a program', () => {
  const { root, ran } = makeHostile();
  const outer = makeService({ 'c.ts': CREATES });
  git(outer, 'init', '--quiet');
  git(outer, '-c', 'protocol.file.allow=always', 'clone', '--quiet', root, join(outer, 'sub'));
  git(outer, 'add', '--all');
  git(outer, 'commit', '--quiet', '-m', 'x');
  const config = join(outer, 'sub/.git/config');
  expect(existsSync(config)).toBe(true);
  appendFileSync(config, `\n[core]\n\tfsmonitor = touch ${join(outer, 'sub-ran')}\n`);
  rmSync(join(outer, 'sub/a.ts'), { force: true });
  expect(migrate('-root', outer, '-apply').exitCode).toBe(0);
  expect(existsSync(join(outer, 'sub-ran'))).toBe(false);
  expect(ran()).toEqual([]);
});
