import ts from 'typescript';
import { boolean, integer, oneOf, text } from '../../packages/core/src/options.js';
import { checkTables, type OptionTable, readWords, renderTable, renderTables } from './option-tables.js';

/** The words of the constant `THING` in a file of this text. */
function wordsOf(source: string): OptionTable['words'] | undefined {
  const name = '/thing.ts';
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const options: ts.CompilerOptions = { noLib: true, types: [], target: ts.ScriptTarget.Latest };
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    fileExists: (path) => path === name,
    getSourceFile: (path) => (path === name ? file : undefined),
  };
  return readWords(ts.createProgram([name], options, host), name, 'THING');
}

const SET =
  'interface OptionSet<T> { parse(options: T): void }\nexport declare const THING: OptionSet<ThingOptions>;\n';

function tableOf(kinds: OptionTable['kinds'], source: string): OptionTable {
  return { kinds, words: wordsOf(SET + source) ?? new Map() };
}

const SOURCE = `
interface Base {
  /** How often, default 0 */
  readonly retries?: number;
  /** Overridden. */
  readonly strict?: boolean;
}
/** Options. */
interface ThingOptions extends Base {
  /** The table. Made before. */
  readonly table: string;
  /** The region of
   * the table, e.g.that of the function. */
  readonly region?: string;
  readonly mode?: string;
  /** Whether to be strict, as {@link ThingOptions} wants; default \`true\`. More words. */
  readonly strict?: boolean;
}`;

it('a row shows what an option must be, what is used without it, and the first sentence of its TSDoc', () => {
  const kinds = {
    table: text().required(),
    region: text('a region').orVariable('AWS_REGION'),
    mode: oneOf('a|b', 'c').default('c'),
    retries: integer(0, 5).default(0),
    strict: boolean,
  };
  expect(renderTable(tableOf(kinds, SOURCE)).split('\n')).toEqual([
    '| option | must be | when left out | |',
    '|---|---|---|---|',
    '| `table` | a string that is not blank | rejected | The table. |',
    '| `region` | a region | `AWS_REGION`, else rejected | The region of the table, e.g.that of the function. |',
    '| `mode` | "a\\|b" or "c" | `c` |  |',
    '| `retries` | a whole number from 0 to 5 | `0` | How often |',
    '| `strict` | true or false | `true` | Whether to be strict, as `ThingOptions` wants. |',
  ]);
});

it.each<[string, string, string]>([
  [
    'With the default setting a text is trimmed. Default `true`.',
    '`true`',
    'With the default setting a text is trimmed.',
  ],
  ['Replaces the default name of the text.', '', 'Replaces the default name of the text.'],
  ['Whether to trim; default: `true`. Not the default of others.', '`true`', 'Whether to trim.'],
  ['Default: that of the host. The default never changes.', 'that of the host', ''],
  ['Trims.\n * @default true', '`true`', 'Trims.'],
  ['Trims.\n * @defaultValue - that of the host', 'that of the host', 'Trims.'],
])('"default" counts at the start of a sentence or clause, and as a tag: %s', (doc, absent, does) => {
  const table = tableOf({ trim: boolean }, `interface ThingOptions {\n  /** ${doc} */\n  readonly trim?: boolean;\n}`);
  expect(renderTable(table).split('\n')[2]).toBe(`| \`trim\` | true or false | ${absent} | ${does} |`);
});

const KINDS =
  'type OptionKinds<T> = { [K in keyof T]: unknown };\ninterface Trim {\n  /** Trims. */\n  trim: boolean;\n}\n';

it.each<[string, string, OptionTable['words'] | undefined]>([
  [
    'validators that satisfy a type',
    `${KINDS}export const THING = { trim: 1 } satisfies OptionKinds<Trim>;`,
    new Map([['trim', { does: 'Trims.', absent: '' }]]),
  ],
  ['another constant', 'export const THING = { trim: 1 };', undefined],
  ['a constant that is not exported', `${SET.replace('export ', '')}interface ThingOptions {}\nexport {};`, undefined],
])('reads the type of %s', (_, source, words) => {
  expect(wordsOf(source)).toEqual(words);
});

const MARKER = 'src/log.ts#LOGGER_OPTIONS';
const LOGGER: OptionTable = {
  kinds: { stacks: boolean },
  words: new Map([['stacks', { does: 'Stacks.', absent: '' }]]),
};
const README = `a\n<!-- options: ${MARKER} -->\nstale\n<!-- /options -->\nb`;

it('a table is written between its markers, twice alike, and the rest remains', () => {
  const tables = new Map([[MARKER, LOGGER]]);
  const written = renderTables(README, tables);
  expect(written).toMatch(/^a\n<!-- options: \S+ -->\n\| option [\s\S]*\| `stacks` \|[^\n]*\n<!-- \/options -->\nb$/);
  expect(renderTables(written, tables)).toBe(written);
});

it.each<[string, OptionTable | undefined, readonly string[]]>([
  [
    'a marker of something else',
    undefined,
    [`${MARKER} is not an exported set of options (defineOptions, defineProps, satisfies OptionKinds)`],
  ],
  [
    'an option without TSDoc',
    { ...LOGGER, kinds: { colour: boolean } },
    [`the option colour of ${MARKER} has no TSDoc`],
  ],
  ['nothing else', LOGGER, []],
])('finds %s', (_, table, findings) => {
  expect(checkTables(new Map([[MARKER, table]]))).toEqual(findings);
});
