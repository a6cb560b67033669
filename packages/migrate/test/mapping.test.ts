import { parseMapping } from '../src/index.js';
import { applyEdits } from '../src/internal/edits.js';
import { BUILT_IN } from '../src/mapping/internal/built-in.js';
import { findFaults } from '../src/mapping/internal/faults.js';
import { findModule } from '../src/mapping/internal/lookup.js';
import { packageEdits } from '../src/rules/internal/package.js';
import { migrateText, removeServices } from './support/service.js';

afterAll(removeServices);

const modules = (modules: unknown) => JSON.stringify({ version: 1, modules });

it.each([
  ['no JSON', '{', 'the mapping file is not JSON'],
  ['no object', '[]', 'wrong at #'],
  ['another version', '{ "version": 2 }', 'wrong at #/version'],
  ['an unknown key', '{ "version": 1, "module": {} }', 'wrong at #'],
  ['an unknown key of a module', modules({ a: { to: '@sallyport/core' } }), 'wrong at #'],
  ['an unknown key of a name', modules({ a: { names: { b: { module: '@sallyport/core', as: 'c' } } } }), 'wrong at #'],
  [
    'a name that is no name',
    modules({ a: { names: { b: { module: '@sallyport/core', name: 'a b' } } } }),
    'wrong at #',
  ],
  [
    'an entry of nobody',
    modules({ a: { module: '@sallyport/nothing' } }),
    'a leads to @sallyport/nothing, which no package of Sallyport exports',
  ],
  ['an entry of somebody else', modules({ a: { names: { b: { module: 'lodash' } } } }), 'b of a leads to lodash'],
  [
    'a circle',
    modules({ '@sallyport/core': { module: '@sallyport/http' }, '@sallyport/http': { module: '@sallyport/core' } }),
    'which is mapped as well',
  ],
  [
    'a circle of names',
    modules({ '@sallyport/core': { names: { a: { module: '@sallyport/core' } } } }),
    'which is mapped as well',
  ],
  ['both manual and mapped', modules({ a: { manual: 'b', module: '@sallyport/core' } }), 'a is both manual and mapped'],
])('rejects a mapping file with %s', (_name, json, problem) => {
  let thrown: unknown;
  try {
    parseMapping(json);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: 'migrate.invalid_mapping', message: expect.stringContaining(problem) });
});

it('accepts a rename within a module', () => {
  const mapping = parseMapping(
    modules({ '@sallyport/core': { names: { Old: { module: '@sallyport/core', name: 'Context' } } } }),
  );
  const before = `import { Old, type Clock } from '@sallyport/core';`;
  expect(migrateText(before, ['imports'], mapping)).toEqual({
    after: `import { Context as Old, type Clock } from '@sallyport/core';`,
    manual: [],
  });
});

it('the built-in mapping has no faults', () => {
  expect(findFaults(BUILT_IN)).toEqual([]);
});

it('a mapping without modules maps no import', () => {
  expect(findModule({ version: 1 }, 'old/module')).toBeUndefined();
});

describe('package.json', () => {
  const mapping = { version: 1, packages: { remove: ['old'], add: { '@sallyport/core': '^1.0.0' } } } as const;

  it.each([
    [
      'the section where the old one stood',
      '{\n  "devDependencies": {\n    "old": "1",\n    "zod": "4"\n  }\n}\n',
      '{\n  "devDependencies": {\n    "@sallyport/core": "^1.0.0",\n    "zod": "4"\n  }\n}\n',
    ],
    [
      'tabs and no final newline',
      '{\n\t"dependencies": {\n\t\t"old": "1"\n\t}\n}',
      '{\n\t"dependencies": {\n\t\t"@sallyport/core": "^1.0.0"\n\t}\n}',
    ],
    [
      'CRLF',
      '{\r\n  "dependencies": {\r\n    "old": "1"\r\n  }\r\n}\r\n',
      '{\r\n  "dependencies": {\r\n    "@sallyport/core": "^1.0.0"\r\n  }\r\n}\r\n',
    ],
    [
      'what is there already',
      '{\n  "dependencies": {\n    "old": "1"\n  },\n  "devDependencies": {\n    "@sallyport/core": "2"\n  }\n}',
      '{\n  "dependencies": {},\n  "devDependencies": {\n    "@sallyport/core": "2"\n  }\n}',
    ],
    ['no old one: as it was', '{ "dependencies": { "zod": "4" } }', '{ "dependencies": { "zod": "4" } }'],
    ['no JSON: as it was', '{ "dependencies": { "old": "4" ', '{ "dependencies": { "old": "4" '],
  ])('keeps its form: %s', (_name, before, after) => {
    expect(applyEdits(before, packageEdits(before, mapping))).toBe(after);
    expect(packageEdits(after, mapping)).toEqual([]);
  });
});

it('edits that overlap are an error, and no edit is applied', () => {
  const edits = [
    { start: 0, end: 3, text: 'a' },
    { start: 2, end: 4, text: 'b' },
  ];
  expect(() => applyEdits('abcdef', edits)).toThrow('edits overlap at 2');
});
