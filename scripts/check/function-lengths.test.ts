import { functionLengths, percentile } from './function-lengths.js';
import { judgeFileLines, judgeRange } from './house-budgets.js';

it.each<[string, string, readonly number[]]>([
  ['a declaration, without the comment above it', '/** Words. */\nfunction a() {\n  return 1;\n}', [3]],
  ['a callback of one line', 'list.map((x) => x + 1);', [1]],
  ['a function inside of another, twice', 'const a = () => {\n  const b = () => {\n  };\n};', [4, 2]],
  [
    'members of a class',
    'class A {\n  constructor() {}\n  get b() {\n    return 1;\n  }\n  async c() {\n  }\n}',
    [1, 3, 2],
  ],
  [
    'nothing without a body',
    'interface A { b(): void }\nabstract class C { abstract d(): void }\ntype E = () => void;',
    [],
  ],
])('counts %s', (_, text, lengths) => {
  expect(functionLengths('a.ts', text).map(({ lines }) => lines)).toEqual(lengths);
});

it.each<[string, string, readonly boolean[]]>([
  ['a declaration', 'function a() {}', [true]],
  ['a function in a variable', 'const a = () => 1;', [true]],
  [
    'a member of an object or a class',
    'const a = { b: () => 1, c() {} }; class D { e = () => 1; get f() { return 1; } }',
    [true, true, true, true],
  ],
  ['a callback, which is passed on', 'list.map((x) => x + 1);', [false]],
  ['a function that is returned', 'const a = () => () => 1;', [true, false]],
])('detects a name: %s', (_, text, named) => {
  expect(functionLengths('a.ts', text).map(({ isNamed }) => isNamed)).toEqual(named);
});

it('a percentile is the value below which the share lies', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0, 0.5, 0.9, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([1, 51, 91, 100, 100]);
  expect(percentile([], 0.5)).toBe(0);
});

it.each<[number, readonly string[]]>([
  [13, ['p90: 13, and it should be 14 to 30']],
  [14, []],
  [30, []],
  [31, ['p90: 31, and it should be 14 to 30']],
])('a length of %d lines is compared with both ends of its range', (measured, findings) => {
  expect(judgeRange('p90', measured, { least: 14, most: 30 })).toEqual(findings);
});

it('a file that is too long needs a reason, and a reason needs a file that is too long', () => {
  const reasons = { 'long.ts': 'every request passes it' };
  expect(judgeFileLines(new Map(Object.entries({ 'long.ts': 401, 'a.ts': 400, 'b.ts': 401 })), reasons)).toEqual([
    'b.ts has 401 lines, at most 400',
  ]);
  expect(judgeFileLines(new Map([['long.ts', 400]]), reasons)).toEqual([
    'long.ts is in LONG_FILES and has no more than 400 lines',
  ]);
});
