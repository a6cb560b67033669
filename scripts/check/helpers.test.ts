import { findDeclarations, judgeHelpers, type RepeatedHelper } from './helpers.js';

const judge = (files: Readonly<Record<string, string>>, explained: readonly RepeatedHelper[] = []) =>
  judgeHelpers(
    Object.entries(files).flatMap(([file, text]) => findDeclarations(`packages/${file}`, text)),
    explained,
  );
/** The same declaration in three packages. */
const thrice = (text: string) => ({ 'a/src/x.ts': text, 'b/src/internal/y.ts': `\n${text}`, 'c/src/z.ts': text });

const FOUND = (name: string) => [
  `${name} is declared in packages/a/src/x.ts:1, packages/b/src/internal/y.ts:2, packages/c/src/z.ts:1; move one to packages/core/src/values/ and import it, rename declarations with another meaning, or explain it in duplicates-policy.ts (REPEATED)`,
];

it.each<[string, string, string]>([
  ['a function', 'textOf', "function textOf(value: unknown) { return typeof value === 'string' ? value : ''; }"],
  ['an exported function', 'textOf', 'export function textOf(value: unknown) { return String(value); }'],
  ['an arrow function', 'isMap', "const isMap = (value: unknown) => typeof value === 'object';"],
  ['a function that calls itself', 'deep', 'function deep(value: object): number { return deep(value); }'],
  [
    'a function of Node',
    'digest',
    "import { hash } from 'node:crypto'; const digest = (text: string) => hash('sha256', text);",
  ],
  [
    'a function of core',
    'nowMs',
    "import type { Clock } from '@sallyport/core'; const nowMs = (clock: Clock) => clock.now();",
  ],
  [
    'a type that is only returned',
    'isRow',
    'interface Row {} function isRow(value: unknown): value is Row { return true; }',
  ],
  ['a constant', 'MAX_BYTES', 'const MAX_BYTES = 6_291_556;'],
  [
    'a member named like an import',
    'part',
    "import { read } from './read.js'; const part = (value: { read: 1 }) => value.read;",
  ],
])('finds %s of one name in three packages', (_, name, text) => {
  expect(judge(thrice(text))).toEqual(FOUND(name));
});

it.each<[string, Readonly<Record<string, string>>]>([
  [
    'two packages',
    { 'a/src/x.ts': 'const f = () => 1;', 'b/src/x.ts': 'const f = () => 1;', 'b/src/y.ts': 'const f = () => 1;' },
  ],
  ['a function that uses a declaration of its file', thrice('class A {} function first() { return new A(); }')],
  ['a function that uses another file', thrice("import { A } from './a.js'; const first = () => A[0];")],
  ['a function of another package', thrice("import { run } from '@sallyport/http'; const go = () => run();")],
  ['a parameter of an own type', thrice('interface Row {} function nameOf(row: Row) { return String(row); }')],
  ['a long function', thrice(`function f() {\n${'  g();\n'.repeat(14)}}`)],
  [
    'constants with other values',
    { 'a/src/x.ts': 'const N = 1;', 'b/src/x.ts': 'const N = 2;', 'c/src/x.ts': 'const N = 3;' },
  ],
  ['classes', thrice('class Reader {}')],
  ['a function within a function', thrice('class A { run() { const f = () => 1; return f; } }')],
])('passes over %s', (_, files) => {
  expect(judge(files)).toEqual([]);
});

it('finds a declaration of a name of the base, in any package and with any body', () => {
  const base = { 'core/src/values/read.ts': 'export function isObject() {} function write() {}' };
  const others = { 'a/src/x.ts': '\nclass isObject { long() {} }', 'b/src/x.ts': 'const write = 1;' };
  expect(judge({ ...base, ...others })).toEqual([
    'packages/a/src/x.ts:2: isObject is declared in packages/core/src/values/read.ts; import it from @sallyport/core/internal, or rename it after its meaning',
  ]);
});

it('accepts a helper with a reason, and finds a reason without a helper', () => {
  const explained = [{ name: 'f', why: 'w' }];
  expect(judge(thrice('const f = () => 1;'), explained)).toEqual([]);
  expect(judge({}, explained)).toEqual(['explained, but fewer than 3 packages declare f']);
});
