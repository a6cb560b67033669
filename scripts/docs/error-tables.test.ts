import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { checkErrorTables, type ErrorTable, readRows, renderErrorTables } from './error-tables.js';
import { ERROR_TABLES } from './error-tables-data.js';

const UNION = `
/** Codes. */
export type ThingCode =
  /** The thing is
   *  locked | bolted, see {@link Lock}. @status 409 */
  | 'thing.locked'
  /** Nobody calls. */
  | Extract<AppCode, 'app.unauthorized'>
  | 'thing.silent'
  /** An option is unknown. */
  | typeof INVALID_CONFIGURATION;
`;
const LIST = `export const CODES = [\n  /** First. */\n  'thing.first',\n  'thing.second',\n] as const;`;
const OBJECT = `export const CODES = {\n  /** Bad. */\n  'app.bad_request': 400,\n} as const;`;

const table = (type: string): ErrorTable => ({ name: '@sallyport/thing', source: 'a.ts', type });

it.each<[string, string, string, object[]]>([
  [
    'a union',
    'ThingCode',
    UNION,
    [
      { code: 'thing.locked', status: '409', when: 'The thing is locked | bolted, see `Lock`.' },
      { code: 'app.unauthorized', status: '401', when: 'Nobody calls.' },
      { code: 'thing.silent', status: '', when: '' },
      { code: 'app.invalid_configuration', status: '', when: 'An option is unknown.' },
    ],
  ],
  [
    'a list',
    'CODES',
    LIST,
    [
      { code: 'thing.first', status: '', when: 'First.' },
      { code: 'thing.second', status: '', when: '' },
    ],
  ],
  ['an object', 'CODES', OBJECT, [{ code: 'app.bad_request', status: '400', when: 'Bad.' }]],
  ['nothing of that name', 'Other', UNION, []],
])('reads the codes of %s', (_, type, source, rows) => {
  expect(readRows(table(type), source)).toEqual(rows);
});

const RATELIMIT: ErrorTable = {
  name: '@sallyport/ratelimit',
  source: 'packages/ratelimit/src/errors.ts',
  type: 'RATE_LIMIT_CODES',
};
const README = 'a\n<!-- errors: @sallyport/ratelimit -->\nstale\n<!-- /errors -->\nb';

it('a table is written between its markers, twice alike, and the rest remains', () => {
  const written = renderErrorTables(README, [RATELIMIT]);
  expect(written).toMatch(
    /^a\n<!-- errors: \S+ -->\n\| code [\s\S]*\| `ratelimit.invalid_input` \|[\s\S]*<!-- \/errors -->\nb$/,
  );
  expect(renderErrorTables(written, [RATELIMIT])).toBe(written);
});

it.each<[string, string, readonly ErrorTable[], readonly string[]]>([
  ['a marker without a table', README, [], ['no table of errors @sallyport/ratelimit']],
  ['a table without a marker', 'a', [RATELIMIT], ['no marker for the errors of @sallyport/ratelimit']],
  [
    'a declaration without codes',
    README,
    [{ ...RATELIMIT, type: 'NONE' }],
    ['packages/ratelimit/src/errors.ts has no codes NONE'],
  ],
  ['nothing else', README, [RATELIMIT], []],
])('finds %s', (_, readme, tables, findings) => {
  expect(checkErrorTables(readme, tables)).toEqual(findings);
});

it.each(Object.keys(ERROR_TABLES))('a table lists every code that the package of %s makes errors of', (readme) => {
  const source = join(ROOT, readme.replace('README.md', 'src'));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const made = files.flatMap((file) => [
    ...readFileSync(join(source, file), 'utf8').matchAll(
      /(?:new FrameworkError|[a-z]\w*(?:Error|Errors|fail|refus\w*))\(\s*'([a-z]+\.[a-z_]+)'/g,
    ),
  ]);
  // A package throws the codes of its dependencies, for example `dispatch` the codes of core.
  const listed = Object.values(ERROR_TABLES).flatMap((tables) => tables.flatMap((one) => readRows(one)));
  const codes = new Set([...listed.map(({ code }) => code), ...made.map(([, code = '']) => code)]);
  expect([...codes].filter((code) => !listed.some((row) => row.code === code))).toEqual([]);
});
