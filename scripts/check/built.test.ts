import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findMissingBuild } from './built.js';

const EXPORTS = { '.': { '@sallyport/source': './src/index.ts', default: './dist/index.js' } };
const SOURCE = 'packages/a/src/index.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-built-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const MISSING = ['not built: a; run the gate `build` first: npm run check -- build packaging'];

it.each<[string, object, readonly string[], readonly string[]]>([
  ['an entry that is not built', { exports: EXPORTS }, [SOURCE], MISSING],
  ['a command that is not built', { bin: { a: './dist/main.js' } }, [SOURCE], MISSING],
  ['nothing after a build', { exports: EXPORTS }, [SOURCE, 'packages/a/dist/index.js'], []],
  [
    'what a package needs and no entry names',
    { name: '@sallyport/local' },
    [],
    ['not built: @sallyport/local; run the gate `build` first: npm run check -- build packaging'],
  ],
  ['nothing in a private package', { exports: EXPORTS, private: true }, [SOURCE], []],
])('finds %s', (_, manifest, files, findings) => {
  const all = { 'packages/a/package.json': JSON.stringify({ name: 'a', ...manifest }) };
  for (const [file, text] of [...Object.entries(all), ...files.map((file) => [file, ''] as const)]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  expect(findMissingBuild(root, 'packaging')).toEqual(findings);
});
