import { judgeAnatomy, parse, type SourcePackage } from './anatomy.js';

/** A package of these files, whose entry is `index.ts`. */
function packageOf(files: Readonly<Record<string, string>>, entries = ['index.ts']): SourcePackage {
  const parsed = Object.entries(files).map(([path, text]) => [path, parse(path, text)] as const);
  return { name: 'planted', entries, files: new Map(parsed) };
}

const GOOD = {
  'index.ts': "// Topic\nexport { a } from './topic/a.js';\nexport type { B } from './topic/a.js';",
  'topic/a.ts': "import { c } from './internal/c.js';\nexport const a = c;\nexport interface B {}",
  'topic/internal/c.ts': 'export const c = 1;',
};

describe('the anatomy of a package', () => {
  it('applies to barrels, exported topics and internal files', () => {
    expect(judgeAnatomy(packageOf(GOOD))).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'code in an entry',
      {
        'index.ts':
          "import { c } from './topic/internal/c.js';\nexport const a = c;\nexport { a as b } from './topic/a.js';",
      },
      'index.ts is an entry and no barrel',
    ],
    [
      'a file that no entry exports',
      { 'other.ts': 'export const d = 1;' },
      'other.ts is exported by no entry and belongs under internal/',
    ],
    [
      'a file of which only another name is exported',
      { 'topic/a.ts': 'export const hidden = 1;' },
      'topic/a.ts is exported by no entry and belongs under internal/',
    ],
    [
      'two files that import each other',
      { 'topic/internal/c.ts': "import type { B } from '../a.js';\nexport const c = 1 as B;" },
      'circle of imports: topic/a.ts → topic/internal/c.ts',
    ],
    [
      'a circle through a lazy import',
      { 'topic/internal/c.ts': "export const c = () => import('../a.js');" },
      'circle of imports: topic/a.ts → topic/internal/c.ts',
    ],
  ])('is broken by %s', (_, planted, finding) => {
    expect(judgeAnatomy(packageOf({ ...GOOD, ...planted }))).toEqual([finding]);
  });

  it('lets an entry be plain data that imports nothing', () => {
    const files = { ...GOOD, 'schema.ts': "export const SCHEMA = { key: 'pk' };" };
    expect(judgeAnatomy(packageOf(files, ['index.ts', 'schema.ts']))).toEqual([]);
  });

  it('lets the entries of a catalogue be members of a published table', () => {
    const files = { ...GOOD, 'catalogue/s3.ts': 'export const S3 = {};' };
    expect(judgeAnatomy(packageOf(files, ['index.ts']))).toEqual([]);
  });

  it('follows a barrel between entry and file', () => {
    const files = {
      ...GOOD,
      'index.ts': "export * from './topic/barrel.js';",
      'topic/barrel.ts': "export { a } from './a.js';",
    };
    expect(
      judgeAnatomy(packageOf({ ...files, 'topic/a.ts': 'export const a = 1;', 'topic/internal/c.ts': '' })),
    ).toEqual(['topic/barrel.ts is exported by no entry and belongs under internal/']);
  });
});
