/** Types of two copies of this package in one program, as two versions in one application. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';

const SOURCES = join(import.meta.dirname, '../src');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-copies-'));
  for (const copy of ['one', 'other']) cpSync(SOURCES, join(folder, copy), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a key of one copy has its type in the context of the other', () => {
  const file = join(folder, 'app.ts');
  writeFileSync(
    file,
    `import { contextKey } from './one/index.js';
     import type { Context } from './other/index.js';
     const user = contextKey<{ readonly n: number }>('user');
     export const right = (ctx: Context): number | undefined => ctx.get(user)?.n;
     export const wrong = (ctx: Context) => ctx.get(user)?.m;
     export const stored = (ctx: Context) => ctx.set(user, { n: 'one' });`,
  );
  const program = ts.createProgram([file], {
    ...{ strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true, types: [] },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] },
  });
  const found = program.getSemanticDiagnostics(program.getSourceFile(file));
  const lineOf = (start = 0) => ts.getLineAndCharacterOfPosition(found[0]?.file as ts.SourceFile, start).line + 1;
  expect(found.map(({ start, code }) => [lineOf(start), code])).toEqual([
    // Property 'm' does not exist on type '{ readonly n: number; }'.
    [5, 2339],
    // No overload matches: 'string' is not assignable to 'number'.
    [6, 2769],
  ]);
});
