import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRIGGER_FILES } from '../docs/trigger-files.js';
import { ROOT } from './command.js';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const TEXT = read('CONTRIBUTING.md');

/** Files that `npm run docs` makes of the triggers: a change does not edit them. */
const MADE = new Set(TRIGGER_FILES.map(({ file }) => file));

/** Sources of all packages but barrels, the test helpers and the runner of fixtures: what a change of behaviour touches. */
const SOURCES = readdirSync(join(ROOT, 'packages'))
  .filter((name) => !['testkit', 'contract', 'local', 'migrate', 'create-sallyport'].includes(name))
  .flatMap((name) => {
    const folder = `packages/${name}/src`;
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    return files.filter((file) => file.endsWith('.ts')).map((file) => `${folder}/${file}`);
  })
  .filter((path) => !path.endsWith('/index.ts') && !MADE.has(path));

/** Companions of a behaviour: the kit for tests, the runner of fixtures, the runtime that answers them, and their schema. */
const COMPANIONS = [
  ...['packages/testkit/src', 'packages/contract/src', 'tools/contract-runtime/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  ),
].filter((path) => !MADE.has(path));

const holding = (text: string) => SOURCES.filter((path) => read(path).includes(text));

const PATHS = [
  ...TEXT.matchAll(/`((?:packages|scripts|examples|tools|contract-fixtures|\.changeset)\/[\w./-]+)`/g),
].map(([, path]) => path ?? '');

/** `path` (`name`, `name`): every name with the file that defines it. */
const NAMES = [...TEXT.matchAll(/`([\w./-]+\.(?:ts|mjs|json))` \(((?:`\w+`(?:, )?)+)\)/g)].flatMap(
  ([, path = '', names = '']) => [...names.matchAll(/\w+/g)].map(([name]): [string, string] => [name, path]),
);

/** Rows of the table of changes: the text to search for, the source files before `further`, and the files after it. */
const CHANGES = TEXT.split('\n').flatMap((line): [string, string, string[], string[]][] => {
  const [, change, text, files] = /^\| (an? [^|]+) \| `([^`]+)` \| (`packages\/[^|]+) \|$/.exec(line) ?? [];
  if (change === undefined || text === undefined || files === undefined) return [];
  const [first = '', further = ''] = files.split('; further');
  const sources = [...first.matchAll(/`(packages\/[^`]+)`/g)].map(([, path]) => path ?? '');
  return [[change, text, sources, [...further.matchAll(/`([^`]+\/[^`]*)`/g)].map(([, path]) => path ?? '')]];
});

describe('the map', () => {
  it('speaks of many places', () => {
    expect(PATHS.length).toBeGreaterThan(40);
    expect(NAMES.length).toBeGreaterThan(20);
  });

  it.each(PATHS)('sends nobody to a place that is gone: %s', (path) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
  });

  it.each(NAMES)('finds %s in %s', (name, path) => {
    const declared = new RegExp(`\\b(?:function|class|const|type|interface) ${name}\\b|"${name}"`);
    const places = [path, ...SOURCES].filter((file) => declared.test(read(file)));
    expect(places).toContain(path);
  });

  it.each([
    'core',
    'dispatch',
    'http',
    'appsync',
    'streams',
    'secure',
    'mcp',
    'jobs',
    'ratelimit',
    'dynamo',
    'connections',
    'triggers',
    'objectstore',
    'vectors',
    'microvm',
    'testkit',
    'contract',
    'migrate',
    'create-sallyport',
  ])('has a row for the package %s', (name) => {
    expect(PATHS.some((path) => path.startsWith(`packages/${name}/`))).toBe(true);
  });

  it.each([...TEXT.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name ?? ''))(
    'names a script that exists: %s',
    (name) => {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
      expect(Object.keys(scripts)).toContain(name);
    },
  );
});

describe('the table of changes', () => {
  it('has six rows', () => {
    expect(CHANGES.map(([change]) => change)).toEqual([
      'a trigger: its row and its adapter',
      'an opt-in trigger: its two halves and its section',
      'a rule for the headers of one door',
      'a posture',
      'an error code of the framework',
      'a method of MCP',
    ]);
  });

  it.each(CHANGES)('lists the files of %s: those that hold %s', (_change, text, files) => {
    expect([...files].sort()).toEqual(holding(text).sort());
  });

  it.each(CHANGES)(
    'lists what changes along with %s: each file that holds %s too',
    (_change, text, _files, further) => {
      // The schema of the fixtures is JSON, with other quotes.
      const [word = ''] = text.split(/[':]+/).filter((part) => part !== '');
      const companions = COMPANIONS.filter((path) => read(path).includes(path.endsWith('.json') ? `"${word}"` : text));
      expect(companions.filter((path) => !further.includes(path))).toEqual([]);
    },
  );

  it.each(CHANGES)('names folders of fixtures about %s', (_change, text, _files, further) => {
    const [word = ''] = text.split(/[.':]+/).filter((part) => part !== '' && part !== 'answer' && part !== 'app');
    for (const folder of further.filter((path) => path.endsWith('/'))) {
      const fixtures = readdirSync(join(ROOT, folder)).filter((file) => read(`${folder}${file}`).includes(word));
      expect([folder, fixtures.length > 0]).toEqual([folder, true]);
    }
  });
});

describe('the words', () => {
  it('are six, each explained once', () => {
    const [, words = ''] = /## Words\n([\s\S]*?)\n## /.exec(TEXT) ?? [];
    const rows = [...words.matchAll(/^\| (\w+) \| .+ \|$/gm)].map(([, word]) => word);
    expect(rows).toEqual(['word', 'door', 'surface', 'posture', 'gate', 'era', 'tier']);
  });
});

describe('the template of a changeset', () => {
  const [, template = ''] = /```md\n([\s\S]*?)```/.exec(read('.changeset/README.md')) ?? [];

  it('is front matter with packages of the workspace, and a text', () => {
    const [, matter = '', text = ''] = /^---\n([\s\S]*?)---\n([\s\S]*)$/.exec(template) ?? [];
    const [, name = ''] = /^'@sallyport\/(\w+)': (?:patch|minor|major)\n$/.exec(matter) ?? [];
    expect(existsSync(join(ROOT, 'packages', name, 'package.json')) && name !== '').toBe(true);
    expect(text.trim()).not.toBe('');
  });
});
