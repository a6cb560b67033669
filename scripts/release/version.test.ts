import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../check/command.js';
import { parseChangeset } from './changesets.js';
import { readApiChanges, readNext } from './next.js';
import { writeVersions } from './version.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-version-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const release = () => writeVersions(root, readNext(root));
const changeset = (name: string, step: string, text: string) => `---\n'${name}': ${step}\n---\n\n${text}\n`;

function manifest(name: string, needs: readonly string[] = []): string {
  const exports = { '.': { '@sallyport/source': './src/index.ts', default: './dist/index.js' } };
  const peerDependencies = Object.fromEntries(needs.map((need) => [need, 'workspace:^']));
  const description = `The package ${name}.`;
  return JSON.stringify({ name, version: '0.0.0', description, exports, peerDependencies }, undefined, 2);
}

/** A workspace whose first release is out. */
function makeReleased(): void {
  write({
    'packages/core/package.json': manifest('@sallyport/core'),
    'packages/core/src/index.ts': 'export const limit = 3;\nexport interface Options {}\n',
    'packages/http/package.json': manifest('@sallyport/http', ['@sallyport/core']),
    'packages/http/src/index.ts': 'export const route = 1;\n',
    'packages/create-sallyport/package.json': manifest('create-sallyport'),
    'packages/create-sallyport/src/index.ts': '',
    'scripts/api/README': '',
    '.changeset/README.md': 'Not a changeset.\n',
    '.changeset/diary.md': changeset('@sallyport/core', 'patch', 'It replaces something that nobody had.'),
    '.changeset/first.md':
      "---\n'@sallyport/core': minor\n'@sallyport/http': minor\n'create-sallyport': minor\n---\n\nThe first release.\n",
  });
  release();
}

describe('a release', () => {
  it('begins each changelog with what the package is, not with a diary', () => {
    makeReleased();
    expect(read('packages/core/CHANGELOG.md')).toBe(
      '# @sallyport/core\n\n## 0.1.0\n\nThe first release. The package @sallyport/core.\n',
    );
    expect(readdirSync(join(root, '.changeset'))).toEqual(['README.md']);
  });

  it('states a break where it is, and with whom to install it elsewhere', () => {
    makeReleased();
    write({ '.changeset/a.md': changeset('@sallyport/core', 'minor', '`limit` is now `LIMIT`:\nrename it.') });
    release();
    expect(read('packages/core/CHANGELOG.md')).toContain(
      '## 0.2.0\n\n### Changes\n\n- `limit` is now `LIMIT`:\n  rename it.\n\n## 0.1.0\n',
    );
    expect(read('packages/http/CHANGELOG.md')).toContain(
      '## 0.2.0\n\n### Together with\n\n- Needs @sallyport/core 0.2.0: install the newest of both together.\n\n## 0.1.0',
    );
    expect(read('packages/create-sallyport/CHANGELOG.md')).toContain('## 0.2.0\n\nThe versions of this release.\n');
    expect(JSON.parse(read('packages/http/package.json')).version).toBe('0.2.0');
  });

  it('writes the address of the repository into every package, once the root names it', () => {
    write({ 'package.json': JSON.stringify({ repository: 'https://example.com/acme/sallyport' }) });
    makeReleased();
    expect(JSON.parse(read('packages/http/package.json'))).toMatchObject({
      repository: { type: 'git', url: 'git+https://example.com/acme/sallyport.git', directory: 'packages/http' },
      homepage: 'https://example.com/acme/sallyport/tree/main/packages/http#readme',
      bugs: 'https://example.com/acme/sallyport/issues',
    });
  });

  it.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      'a removed name with a fix',
      'patch',
      { core: 'export interface Options {}\n' },
      [
        '@sallyport/core limit of @sallyport/core 0.1.0 is gone: a break, which needs a changeset "@sallyport/core: minor"',
      ],
    ],
    [
      'a value that is only a type now',
      'patch',
      { core: 'export interface limit {}\nexport interface Options {}\n' },
      [
        '@sallyport/core limit of @sallyport/core 0.1.0 is gone: a break, which needs a changeset "@sallyport/core: minor"',
      ],
    ],
    ['a type that is a class now', 'patch', { core: 'export const limit = 3;\nexport class Options {}\n' }, []],
    [
      'a new name with a fix',
      'patch',
      { core: 'export const limit = 3;\nexport const more = 4;\nexport interface Options {}\n' },
      [],
    ],
    ['a removed name with its break', 'minor', { core: '' }, []],
    ['a removed name of a package that rises with another', 'minor', { http: '' }, []],
    [
      'a removed name of a package without a changeset',
      'patch',
      { http: '' },
      [
        '@sallyport/http route of @sallyport/http 0.1.0 is gone: a break, which needs a changeset "@sallyport/http: minor"',
      ],
    ],
  ])('compares the public names with the last release: %s', (_case, step, sources, findings) => {
    makeReleased();
    const files = Object.entries(sources).map(([name, text]) => [`packages/${name}/src/index.ts`, text] as const);
    write({ ...Object.fromEntries(files), '.changeset/a.md': changeset('@sallyport/core', step, 'Text.') });
    expect(readApiChanges(root).breaks).toEqual(findings);
  });

  it.each([
    ['text alone', 'begin with "---"'],
    [
      "---\n'@sallyport/core': large\n---\n\nText.\n",
      '"\'@sallyport/core\': large" is not a package with patch, minor or major',
    ],
    ["---\n'@sallyport/core': patch\n---\n", 'does not tell what changed'],
  ])('rejects a changeset that cannot be read: %j', (content, message) => {
    expect(() => parseChangeset('a.md', content)).toThrow(message);
  });
});

it('the changesets of this workspace make a release without a 1.0.0', () => {
  const { planned } = readNext(ROOT);
  expect(planned.filter(({ to }) => !to.startsWith('0.'))).toEqual([]);
  expect(planned.length === 0 || planned.some(({ name }) => name === 'create-sallyport')).toBe(true);
});
