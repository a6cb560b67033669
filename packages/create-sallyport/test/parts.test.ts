/** Parts of the command, without a process: the command line, and the files of a project. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { additionOf } from '../src/internal/additions.js';
import { parseCommand } from '../src/internal/arguments.js';
import { createProject, type ProjectSpec } from '../src/internal/project.js';
import { writeProject } from '../src/internal/target.js';

it.each([
  [['--add', 'queue', 'invoices'], { kind: 'add', addition: 'queue', name: 'invoices' }],
  [['--add', 'queue', '--', 'invoices'], { kind: 'add', addition: 'queue', name: 'invoices' }],
  [['--add', 'queue', 'invoices', '--git'], { kind: 'usage', problem: '--add cannot be used with --git' }],
  [['a', '--git', '--git'], { kind: 'usage', problem: '--git is given twice' }],
])('reads %j', (args, command) => {
  expect(parseCommand(args)).toMatchObject(command);
});

it.each([
  ['GET /invoices/{id}', "app.get('/invoices/{id}', getInvoicesId, Authenticated('invoices:read'));"],
  ['DELETE /invoices/{id}', "app.delete('/invoices/{id}', deleteInvoicesId, Authenticated('invoices:write'));"],
])('an added route %s needs the scope of its method', (name, registration) => {
  expect(additionOf('route', name)).toMatchObject({ registration });
});

const SPEC: ProjectSpec = {
  names: { app: 'mine', package: 'mine', class: 'Mine' },
  template: 'api',
  infra: 'cdk',
  packageManager: 'npm',
};

it.each([
  ['cdk', ['@sallyport/constructs', 'aws-cdk-lib', 'constructs'], true],
  ['none', [], false],
] as const)('a project with the infrastructure %s has the packages %j', (infra, packages, named) => {
  const files = createProject({ ...SPEC, infra });
  const { devDependencies } = JSON.parse(files.get('package.json') ?? '') as { devDependencies: object };
  const cdk = Object.keys(devDependencies).filter((name) => /constructs|cdk-lib/.test(name));
  expect(cdk).toEqual(packages);
  expect(files.get('README.md')?.includes('`infra/stack.ts`')).toBe(named);
  expect(files.has('infra/stack.ts')).toBe(named);
});

it('removes what it wrote if a file cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'create-parts-'));
  const files = new Map([
    ['src/app.ts', '1'],
    ['src', '2'],
  ]);
  try {
    expect(() => writeProject(join(folder, 'mine'), files)).toThrow(/EISDIR|EEXIST/);
    expect(readdirSync(folder)).toEqual([]);
    expect(() => writeProject(join(folder, 'new/mine'), files)).toThrow(/EISDIR|EEXIST/);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
