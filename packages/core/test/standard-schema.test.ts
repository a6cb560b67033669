import { issuePaths } from '@sallyport/core/options';

const issues = (count: number) => Array.from({ length: count }, (_, index) => ({ message: 'no', path: ['a', index] }));

test.each([
  ['one path', [{ message: 'secret', path: ['id'] }], 'id'],
  [
    'paths through lists and objects, each once',
    [
      { message: 'a', path: ['x', 0, { key: 'y' }] },
      { message: 'b', path: ['x', 0, 'y'] },
    ],
    'x.0.y',
  ],
  ['an issue about the whole value', [{ message: 'no' }], 'the input itself'],
  ['five paths', issues(5), 'a.0, a.1, a.2, a.3, a.4'],
  ['seven paths', issues(7), 'a.0, a.1, a.2, a.3, a.4, and 2 more'],
])('an error names %s', (_, given, named) => {
  expect(issuePaths(given, 'the input itself')).toBe(named);
});
