import { findShared, judgeShared, type SharedPair } from './duplicates.js';

const linesOf = (count: number, name = 'line') =>
  Array.from({ length: count }, (_, index) => `${name}${index}();`).join('\n');
const find = (files: Readonly<Record<string, string>>) =>
  findShared(new Map(Object.entries(files))).map(({ runs, lines }) => [lines, ...runs.map(({ at }) => at.join(' '))]);

it.each<[string, Readonly<Record<string, string>>, readonly unknown[]]>([
  ['six equal lines', { a: linesOf(6), b: `other();\n${linesOf(6)}` }, [[6, 'a:1-6 b:2-7']]],
  ['a run once, by its whole length', { a: linesOf(9), b: linesOf(9) }, [[9, 'a:1-9 b:1-9']]],
  [
    'lines that are indented otherwise',
    { a: linesOf(6), b: linesOf(6).replaceAll('line', '  line') },
    [[6, 'a:1-6 b:1-6']],
  ],
  [
    'two runs of one pair together',
    { a: `${linesOf(6)}\na();\n${linesOf(6, 'more')}`, b: `${linesOf(6)}\nb();\n${linesOf(6, 'more')}` },
    [[12, 'a:1-6 b:1-6', 'a:8-13 b:8-13']],
  ],
  ['what a file says twice', { a: `${linesOf(6)}\nother();\n${linesOf(6)}` }, [[6, 'a:1-6 a:8-13']]],
  [
    'lines behind blank lines, comments and braces',
    { a: linesOf(6), b: linesOf(6).replaceAll('\n', '\n\n// why\n/** what */\n}\n') },
    [[6, 'a:1-6 b:1-26']],
  ],
])('finds %s', (_, files, found) => {
  expect(find(files)).toEqual(found);
});

it.each<[string, Readonly<Record<string, string>>]>([
  ['five equal lines', { a: linesOf(5), b: linesOf(5) }],
  [
    'lists of imports',
    {
      a: `import {\n${linesOf(9).replaceAll('();', ',')}\n} from 'x';`,
      b: `import {\n${linesOf(9).replaceAll('();', ',')}\n} from 'x';`,
    },
  ],
  ['other names', { a: linesOf(20, 'a'), b: linesOf(20, 'b') }],
])('passes over %s', (_, files) => {
  expect(find(files)).toEqual([]);
});

const pair = (lines: number): SharedPair => ({
  files: ['x/a.ts', 'y/b.ts'],
  runs: [{ at: ['x/a.ts:1-9', 'y/b.ts:2-8'], lines }],
  lines,
});

it.each<[string, number, readonly (readonly [string, string])[], readonly string[]]>([
  ['ten lines', 10, [], []],
  ['eleven lines', 11, [], ['11 lines stand twice: x/a.ts:1-9 and y/b.ts:2-8']],
  ['eleven lines that are explained', 11, [['x/a.ts', 'y/b.ts']], []],
  ['an explanation of folders in the other order', 11, [['y/', 'x/']], []],
  [
    'an explanation of which one side fits',
    11,
    [['x/', 'z/']],
    ['11 lines stand twice: x/a.ts:1-9 and y/b.ts:2-8', 'explained, but x/ and z/ share no more than 10 lines'],
  ],
  [
    'an explanation that is not needed any more',
    10,
    [['x/', 'y/']],
    ['explained, but x/ and y/ share no more than 10 lines'],
  ],
])('%s', (_, lines, explained, findings) => {
  expect(
    judgeShared(
      [pair(lines)],
      explained.map((files) => ({ files, why: 'w' })),
    ),
  ).toEqual(findings);
});
