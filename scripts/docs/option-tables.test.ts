import { boolean, integer, oneOf, text } from '../../packages/core/src/options.js';
import { checkTables, type OptionTable, renderTable, renderTables } from './option-tables.js';

const TABLE: OptionTable = {
  name: '@sallyport/core#createThing',
  kinds: {
    table: text().required(),
    region: text('a region').orVariable('AWS_REGION'),
    mode: oneOf('a|b', 'c').default('c'),
    retries: integer(0, 5).default(0),
    strict: boolean,
  },
  source: 'packages/core/src/observability/logger.ts',
  type: 'ThingOptions',
};

const SOURCE = `
/** Options. */
export interface ThingOptions {
  /** The table. Made before. */
  readonly table: string;
  /** The region of
   * the table, e.g.that of the function. */
  readonly region?: string;
  readonly mode?: string;
  /** How often, default 0 */
  readonly retries?: number;
  /** Whether to be strict, as {@link ThingOptions} wants; default \`true\`. More words. */
  readonly strict?: boolean;
}`;

it('a row shows what an option must be, what is used without it, and the first sentence of its TSDoc', () => {
  expect(renderTable(TABLE, SOURCE).split('\n')).toEqual([
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
])('"default" counts at the start of a sentence or clause only: %s', (doc, absent, does) => {
  const table = { ...TABLE, kinds: { trim: boolean } };
  const source = `export interface ThingOptions {\n  /** ${doc} */\n  readonly trim?: boolean;\n}`;
  expect(renderTable(table, source).split('\n')[2]).toBe(`| \`trim\` | true or false | ${absent} | ${does} |`);
});

const LOGGER: OptionTable = {
  ...TABLE,
  name: '@sallyport/core#log',
  kinds: { stacks: boolean },
  type: 'LoggerOptions',
};
const README = 'a\n<!-- options: @sallyport/core#log -->\nstale\n<!-- /options -->\nb';

it('a table is written between its markers, twice alike, and the rest stays', () => {
  const written = renderTables(README, [LOGGER]);
  expect(written).toMatch(/^a\n<!-- options: \S+ -->\n\| option [\s\S]*\| `stacks` \|[^\n]*\n<!-- \/options -->\nb$/);
  expect(renderTables(written, [LOGGER])).toBe(written);
});

it.each<[string, string, readonly OptionTable[], readonly string[]]>([
  ['a marker without a table', README, [], ['no table of options @sallyport/core#log']],
  ['a table without a marker', 'a', [LOGGER], ['no marker for the options of @sallyport/core#log']],
  [
    'an option without TSDoc',
    README,
    [{ ...LOGGER, kinds: { colour: boolean } }],
    ['LoggerOptions.colour has no TSDoc'],
  ],
  ['nothing else', README, [LOGGER], []],
])('finds %s', (_, readme, tables, findings) => {
  expect(checkTables(readme, tables)).toEqual(findings);
});
