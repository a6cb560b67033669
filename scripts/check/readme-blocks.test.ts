import { join } from 'node:path';
import { ROOT } from './command.js';
import { codeBlocks, compileBlocks } from './readme-blocks.js';

const FENCE = '```';

it('takes the TypeScript blocks, with the line where each begins', () => {
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

it('leaves a fence inside of a longer fence alone', () => {
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
