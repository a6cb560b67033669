import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../check/command.js';
import { readWorkspace } from '../check/workspace.js';
import { findPackFaults } from './fresh.mjs';

const PNPM = 'pnpm/12.21.0 npm/? node/v22.23.3 linux x64';
const SOURCE = 'export const LIMIT = 3;\n';
const INFO = 'dist/.tsbuildinfo';

/** A built package, with some files in place of others; `undefined` for a file that is missing. */
const BUILT: Readonly<Record<string, string | undefined>> = {
  'package.json': JSON.stringify({
    name: '@sallyport/core',
    version: '0.2.0',
    exports: { '.': { '@sallyport/source': './src/index.ts', default: './dist/index.js' } },
  }),
  'src/index.ts': SOURCE,
  'src/internal/version.ts': "export const VERSION = '0.2.0';\n",
  'dist/index.js': SOURCE,
  [INFO]: info({ 'src/index.ts': SOURCE, 'src/internal/version.ts': "export const VERSION = '0.2.0';\n" }),
};

function info(sources: Readonly<Record<string, string>>): string {
  const hashes = Object.values(sources).map((text) => createHash('sha256').update(text).digest('hex'));
  return JSON.stringify({ fileNames: Object.keys(sources).map((name) => `../${name}`), fileInfos: hashes });
}

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sallyport-fresh-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function faultsOf(files: Readonly<Record<string, string | undefined>>, agent = PNPM): readonly string[] {
  for (const [name, text] of Object.entries({ ...BUILT, ...files })) {
    if (text === undefined) continue;
    const file = join(place, 'packages/core', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return findPackFaults(join(place, 'packages/core'), agent);
}

describe('a package is packed', () => {
  it('if its build belongs to its sources', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string | undefined>>, readonly string[]]>([
    [
      'without a build',
      { 'dist/index.js': undefined, [INFO]: undefined },
      ['./dist/index.js is not there: npm run build', 'dist/.tsbuildinfo is not there: npm run build'],
    ],
    [
      'after a change of a source',
      { 'src/index.ts': 'export const LIMIT = 4;\n' },
      ['src/index.ts is not what dist was built from: npm run build'],
    ],
    [
      'with a new source',
      { 'src/more.ts': 'export {};\n' },
      ['src/more.ts is not what dist was built from: npm run build'],
    ],
    [
      'after a source was removed',
      { 'src/index.ts': undefined },
      ['./src/index.ts is not there: npm run build', 'src/index.ts is not what dist was built from: npm run build'],
    ],
    [
      'with the version of an earlier release in its code',
      {
        'src/internal/version.ts': "export const VERSION = '0.1.0';\n",
        [INFO]: info({ 'src/index.ts': SOURCE, 'src/internal/version.ts': "export const VERSION = '0.1.0';\n" }),
      },
      ['src/internal/version.ts does not state 0.2.0: npm run docs'],
    ],
    [
      'with the versions of an earlier release for new projects',
      {
        'versions.json': JSON.stringify({ own: { '@sallyport/core': '^0.1.0' } }),
      },
      ['versions.json has @sallyport/core ^0.1.0, not ^0.2.0: npm run docs'],
    ],
  ])('not %s', (_case, files, faults) => {
    expect(faultsOf(files)).toEqual(faults);
  });

  it('not by npm or yarn, which leave `workspace:` in it', () => {
    const agents = ['npm/11.19.1 node/v20.20.2 linux x64', 'yarn/1.22.22', ''];
    expect(agents.map((agent) => faultsOf({}, agent).length)).toEqual([1, 1, 1]);
  });
});

it('every published package has the guard, and its changelog in its archive', () => {
  const published = readWorkspace(ROOT, ['packages']).filter(({ manifest }) => manifest.private !== true);
  const without = published.filter(({ folder }) => {
    const { scripts, files } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    return scripts?.prepack !== 'node ../../scripts/release/fresh.mjs' || !files.includes('CHANGELOG.md');
  });
  expect(without.map(({ folder }) => folder)).toEqual([]);
});
