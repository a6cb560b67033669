import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTypeChecker, type TypeCheck, typeCheckText } from '../src/internal/build/type-checker.js';
import { createProject, type Project } from './support/run.js';

const TYPESCRIPT = fileURLToPath(new URL('../../../node_modules/typescript', import.meta.url));
const CONFIG = '{ "compilerOptions": { "strict": true, "types": [], "skipLibCheck": true }, "include": ["src"] }';

let project: Project;
afterEach(() => project.remove());

test('type errors are reported, and again after a save', async () => {
  project = createProject({
    'tsconfig.json': CONFIG,
    'src/lambda.ts': 'export const a: number = "x";\nexport const b: string = 1;\n',
  });
  mkdirSync(join(project.folder, 'node_modules'));
  symlinkSync(TYPESCRIPT, join(project.folder, 'node_modules', 'typescript'));
  const checks: TypeCheck[] = [];
  let wake = () => {};
  const stop = startTypeChecker({
    folder: project.folder,
    guard: () => {},
    onCheck: (check) => {
      checks.push(check);
      wake();
    },
  });
  const until = async (count: number) => {
    while (checks.at(-1)?.count !== count) await new Promise<void>((resolve) => (wake = resolve));
  };
  await until(2);
  expect(checks.at(-1)?.errors).toEqual([
    "src/lambda.ts:1:14  TS2322: Type 'string' is not assignable to type 'number'.",
    "src/lambda.ts:2:14  TS2322: Type 'number' is not assignable to type 'string'.",
  ]);
  project.write('src/lambda.ts', 'export const a: number = 1;\n');
  await until(0);
  await stop?.();
});

test.each([
  ['no tsconfig.json', {}],
  ['no TypeScript', { 'tsconfig.json': CONFIG }],
])('a project with %s is not checked', (_title, files) => {
  project = createProject(files);
  expect(startTypeChecker({ folder: project.folder, guard: () => {}, onCheck: () => {} })).toBeUndefined();
});

const check = (count: number): TypeCheck => ({ count, errors: count === 0 ? [] : ['src/a.ts:1:1  TS1: no.'] });

test.each<[string, TypeCheck, TypeCheck | undefined, string | undefined]>([
  ['a first success', check(0), undefined, undefined],
  ['a repeated success', check(0), check(0), undefined],
  ['a success after errors', check(0), check(1), 'types: no errors'],
  [
    'one error',
    check(1),
    undefined,
    'types: 1 error; the function runs nevertheless\n          src/a.ts:1:1  TS1: no.',
  ],
  [
    'many errors',
    check(7),
    undefined,
    'types: 7 errors; the function runs nevertheless\n          src/a.ts:1:1  TS1: no.\n          and 6 more',
  ],
])('the text for %s', (_title, now, before, text) => {
  project = createProject({});
  expect(typeCheckText(now, before)).toBe(text);
});
