import { join } from 'node:path';
import { ROOT } from './command.js';
import { codeBlocks, compileBlocks, missingInstalls } from './readme-blocks.js';

const FENCE = '```';

it('returns the TypeScript blocks, with the first line of each', () => {
  const markdown = [
    '# a',
    `${FENCE}ts`,
    'const a = 1;',
    FENCE,
    `${FENCE}sh`,
    'npm i',
    FENCE,
    `${FENCE}typescript`,
    'b',
    FENCE,
  ];
  expect(codeBlocks('README.md', markdown.join('\n'))).toEqual([
    { file: 'README.md', line: 3, code: 'const a = 1;' },
    { file: 'README.md', line: 9, code: 'b' },
  ]);
});

it('does not split a fence in a longer fence', () => {
  const markdown = ['````md', `${FENCE}ts`, 'const a = 1;', FENCE, '````'];
  expect(codeBlocks('README.md', markdown.join('\n'))).toEqual([]);
});

const compile = (code: string) =>
  compileBlocks([{ file: 'README.md', line: 3, code }], {
    root: ROOT,
    config: join(ROOT, 'tsconfig.check.json'),
    paths: { '@sallyport/core': [join(ROOT, 'packages/core/src/index.ts')] },
  });

it('compiles a block against the sources', () => {
  expect(
    compile("import { FrameworkError } from '@sallyport/core';\nthrow new FrameworkError('app.conflict');"),
  ).toEqual([]);
});

it('names the line of the Markdown file', () => {
  expect(compile("import { FrameworkError } from '@sallyport/core';\nthrow new FrameworkError(1);")).toEqual([
    expect.stringMatching(/^README\.md:4: Argument of type '1' is not assignable to parameter of type /),
  ]);
});

it('keeps blocks apart that begin on the same line of two pages of a folder', () => {
  const blocks = [
    { file: 'docs/a.md', line: 3, code: 'export const wrong: string = 1;' },
    { file: 'docs/b.md', line: 3, code: 'export const right = 1;' },
  ];
  const findings = compileBlocks(blocks, { root: ROOT, config: join(ROOT, 'tsconfig.check.json'), paths: {} });
  expect(findings).toEqual(["docs/a.md:3: Type 'number' is not assignable to type 'string'."]);
});

it('lets the blocks of a page import the files that the page names', () => {
  const page = [
    '```ts src/a.ts',
    'export const a = 1;',
    '```',
    '```ts test/b.ts',
    "import { a } from '../src/a.js';",
    'const wrong: string = a;',
    '```',
  ];
  const blocks = codeBlocks('docs/page.md', page.join('\n'));
  expect(blocks.map(({ name, line }) => [name, line])).toEqual([
    ['src/a.ts', 2],
    ['test/b.ts', 5],
  ]);
  const findings = compileBlocks(blocks, { root: ROOT, config: join(ROOT, 'tsconfig.check.json'), paths: {} });
  expect(findings).toEqual(["docs/page.md:6: Type 'number' is not assignable to type 'string'."]);
});

it('names what the first block imports and no line installs', () => {
  const page = [
    `${FENCE}sh`,
    'npm install @sallyport/http zod',
    FENCE,
    `${FENCE}ts`,
    "import { json } from '@sallyport/http';",
    "import { Public } from '@sallyport/secure/postures';",
    "import { equal } from 'node:assert';",
    "import { z } from 'zod';",
    FENCE,
  ].join('\n');
  expect(missingInstalls('README.md', page)).toEqual([
    'README.md:5: imports @sallyport/secure, which no install line above installs',
  ]);
  expect(missingInstalls('README.md', page.replace('zod', '@sallyport/secure zod'))).toEqual([]);
});
