import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.js';

const TEXT = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

const PATHS = [
  ...TEXT.matchAll(/`((?:packages|scripts|examples|tools|contract-fixtures|\.changeset)\/[\w./-]+)`/g),
].map(([, path]) => path ?? '');

it('speaks of many places', () => {
  expect(PATHS.length).toBeGreaterThan(10);
});

it.each(PATHS)('sends nobody to a place that is gone: %s', (path) => {
  expect(existsSync(join(ROOT, path))).toBe(true);
});

it.each([...TEXT.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name ?? ''))(
  'names a script that exists: %s',
  (name) => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(Object.keys(scripts)).toContain(name);
  },
);
