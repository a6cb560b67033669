import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.js';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const TEXT = read('CONTRIBUTING.md');
const PAGES = ['CONTRIBUTING.md', 'AGENTS.md'];
const linesOf = (text: string) => text.trimEnd().split('\n');

const PATHS = PAGES.flatMap((page) =>
  [...read(page).matchAll(/`((?:packages|scripts|examples|tools|docs|contract-fixtures|\.changeset)\/[\w./-]+)`/g)].map(
    ([, path]) => path ?? '',
  ),
);

/** `path` (`name`, `name`): every name with the file that defines it. */
const NAMES = [...TEXT.matchAll(/`([\w./-]+\.(?:ts|mjs|json))` \(((?:`\w+`(?:, )?)+)\)/g)].flatMap(
  ([, path = '', names = '']) => [...names.matchAll(/\w+/g)].map(([name]): [string, string] => [name, path]),
);

/** The five requests: the title and the numbered steps of each. */
const FLOWS = [...TEXT.matchAll(/^\*\*(.+)\*\*\n\n((?:\d\. .+\n)+)/gm)].map(
  ([, title = '', steps = '']) => [title, linesOf(steps).length] as const,
);

const rowsOf = (heading: string) => {
  const [, section = ''] = TEXT.split(`## ${heading}\n`);
  return linesOf(section.split('\n## ')[0] ?? '').flatMap((line) => /^\| ([^|]+) \| /.exec(line)?.[1] ?? []);
};

it.each([
  ['CONTRIBUTING.md', 140],
  ['AGENTS.md', 40],
])('%s has at most %i lines', (page, most) => {
  expect(linesOf(read(page)).length).toBeLessThanOrEqual(most);
});

it('CONTRIBUTING.md follows five requests, in at most seven steps each', () => {
  expect(FLOWS.map(([title]) => title)).toEqual([
    'A GET to `SecureApp`',
    'An SQS batch',
    'An MCP call',
    'A save under `sallyport dev`, and the next request',
    'A request to a micro-VM',
  ]);
  expect(FLOWS.filter(([, steps]) => steps < 4 || steps > 7)).toEqual([]);
});

it('CONTRIBUTING.md has a row for each kind of change, and explains six words', () => {
  expect(PATHS.length).toBeGreaterThan(40);
  expect(NAMES.length).toBeGreaterThan(20);
  expect(rowsOf('To add X, touch Y')).toEqual(
    expect.arrayContaining(['X', 'an opt-in trigger', 'a posture', 'an error code', 'a method of MCP', 'a construct']),
  );
  expect(rowsOf('Words')).toEqual(['word', 'door', 'surface', 'posture', 'gate', 'era', 'tier']);
});

it.each(PATHS)('there is a file or folder %s', (path) => {
  expect(existsSync(join(ROOT, path))).toBe(true);
});

it.each(NAMES)('%s is declared in %s', (name, path) => {
  expect(read(path)).toMatch(new RegExp(`\\b(?:function|class|const|type|interface) ${name}\\b|"${name}"`));
});

it.each(PAGES.flatMap((page) => [...read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name ?? '')))(
  'there is a script %s',
  (name) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts)).toContain(name);
  },
);

describe('the template of a changeset', () => {
  const [, template = ''] = /```md\n([\s\S]*?)```/.exec(read('.changeset/README.md')) ?? [];

  it('is front matter with packages of the workspace, and a string', () => {
    const [, matter = '', text = ''] = /^---\n([\s\S]*?)---\n([\s\S]*)$/.exec(template) ?? [];
    const [, name = ''] = /^'@sallyport\/(\w+)': (?:patch|minor|major)\n$/.exec(matter) ?? [];
    expect(existsSync(join(ROOT, 'packages', name, 'package.json')) && name !== '').toBe(true);
    expect(text.trim()).not.toBe('');
  });
});
