import { ROOT } from './command.js';
import type { CodeBlock } from './readme-blocks.js';
import { type NotRun, runBlocks } from './readme-run.js';

const block = (code: string, name?: string, line = 1): CodeBlock => ({
  file: 'docs/page.md',
  line,
  code,
  ...(name && { name }),
});
const run = (blocks: readonly CodeBlock[], notRun: readonly NotRun[] = []) =>
  runBlocks(blocks, { root: ROOT, paths: {}, modules: [], notRun });

describe('running the blocks of pages', () => {
  it('accepts blocks that end, separately and with a file of the page', async () => {
    const blocks = [
      block('export const two: number = 2;', 'src/two.ts'),
      block("import { two } from './two.js';\nconsole.assert(two === 2);\nawait Promise.resolve();", undefined, 5),
    ];
    expect(await run(blocks)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['an assertion whose condition is false', "console.assert(1 > 2, 'wrong');", 'docs/page.md:1: wrong'],
    ['an exception', "throw new Error('broken');", 'docs/page.md:1: broken'],
    ['a rejection', "await Promise.reject(new Error('later'));", 'docs/page.md:1: later'],
    ['a request to a network', "await fetch('https://example.com');", 'docs/page.md:1: no network here'],
    ['a block that ends the process', 'process.exit(3);', 'docs/page.md:1: ended the process: '],
  ])('reports %s', async (_name, code, finding) => {
    expect(await run([block('export {};', undefined, 9), block(code)])).toEqual([finding]);
  });

  it('reports a file that no block of the page creates', async () => {
    const [finding] = await run([block("import './missing.js';")]);
    expect(finding).toContain('Could not resolve "./missing.js"');
  });

  it('leaves out what the policy names, and reports a name that fits no block', async () => {
    const broken = block("throw new Error('broken');");
    expect(await run([broken], [{ file: 'docs/page.md', contains: 'broken', why: 'a test' }])).toEqual([]);
    expect(await run([block('export {};')], [{ file: 'docs/page.md', contains: 'broken', why: 'a test' }])).toEqual([
      'docs/page.md: no block that is left out of the run: broken',
    ]);
  });
});
