import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { OptionKind } from '../../packages/core/src/options.js';
import { ROOT } from '../check/command.js';

/** The options of one function, for a table in the README of its package. */
export interface OptionTable {
  /** The name in the marker: `@sallyport/core#createLogger`. */
  readonly name: string;
  /** The kinds of the set that checks the options. */
  readonly kinds: Readonly<Record<string, OptionKind<unknown, unknown>>>;
  /** The file with the interface of the options, from the root of the repository. */
  readonly source: string;
  /** The name of the interface. The table contains the first sentence of each member's TSDoc. */
  readonly type: string;
  /** Files and interfaces with further members. */
  readonly inherits?: readonly (readonly [source: string, type: string])[];
}

const MARKED = /<!-- options: (\S+) -->\n[\s\S]*?<!-- \/options -->/g;

/** Replaces each table between `<!-- options: name -->` and `<!-- /options -->`. */
export function renderTables(text: string, tables: readonly OptionTable[]): string {
  return text.replace(MARKED, (whole, name: string) => {
    const table = tables.find((one) => one.name === name);
    return table ? `<!-- options: ${name} -->\n${renderTable(table)}\n<!-- /options -->` : whole;
  });
}

/** Markers without a table, tables without a marker, and options without TSDoc. */
export function checkTables(text: string, tables: readonly OptionTable[]): readonly string[] {
  const marked = [...text.matchAll(MARKED)].map(([, name = '']) => name);
  return [
    ...marked.filter((name) => !tables.some((one) => one.name === name)).map((name) => `no table of options ${name}`),
    ...tables.filter(({ name }) => !marked.includes(name)).map(({ name }) => `no marker for the options of ${name}`),
    ...tables.flatMap((table) => {
      const words = wordsOf(table);
      const silent = Object.keys(table.kinds).filter((option) => !words.get(option)?.does);
      return silent.map((option) => `${table.type}.${option} has no TSDoc`);
    }),
  ];
}

/** One row for each option: its name, valid values, the default, and its purpose. */
export function renderTable(table: OptionTable, source = readSource(table.source)): string {
  const words = wordsOf(table, source);
  const rows = Object.entries(table.kinds).map(([name, kind]) => {
    const { does = '', absent = '' } = words.get(name) ?? {};
    return [`\`${name}\``, kind.wanted, absentOf(kind) ?? absent, does].map(cell).join(' | ');
  });
  return ['| option | must be | when left out | |', '|---|---|---|---|', ...rows.map((row) => `| ${row} |`)].join('\n');
}

/** The TSDoc of an option, for the table. */
interface Words {
  /** Its first sentence, without the clause about the default. */
  readonly does: string;
  /** The text after "Default". */
  readonly absent: string;
}

/** The TSDoc of each option. An interface's own members take precedence over inherited ones. */
function wordsOf(table: OptionTable, source = readSource(table.source)): ReadonlyMap<string, Words> {
  const inherited = (table.inherits ?? []).flatMap(([file, type]) => [...membersOf(type, readSource(file))]);
  return new Map([...inherited, ...membersOf(table.type, source)]);
}

function readSource(source: string): string {
  return readFileSync(join(ROOT, source), 'utf8');
}

/** The value of an absent option, from its kind; `undefined` if only the TSDoc states it. */
function absentOf({ isRequired, variable, fallback }: OptionKind<unknown, unknown>): string | undefined {
  if (variable !== undefined) return `\`${variable}\`, else rejected`;
  if (isRequired) return 'rejected';
  const isPlain = fallback !== undefined && typeof fallback !== 'object' && typeof fallback !== 'function';
  return isPlain ? `\`${String(fallback)}\`` : undefined;
}

function cell(text: string): string {
  // Outside code, `<` would begin an element of the page.
  const shown = text.replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
  return shown.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** The words of each member of an interface, including interfaces of the same file that it extends. */
function membersOf(type: string, source: string): ReadonlyMap<string, Words> {
  const members = new Map<string, Words>();
  for (const node of ts.createSourceFile('options.ts', source, ts.ScriptTarget.Latest, true).statements) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== type) continue;
    const bases = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((one) => one.expression.getText()));
    for (const base of bases) for (const [name, words] of membersOf(base, source)) members.set(name, words);
    for (const member of node.members) {
      const doc = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc);
      if (member.name && ts.isIdentifier(member.name)) members.set(member.name.text, toWords(doc));
    }
  }
  return members;
}

/** The content of the tag `@default`, as constructs have it: without the dash before words that are not a value. */
function defaultTag(doc: ts.JSDoc | undefined): string | undefined {
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default');
  const text = tag && ts.getTextOfJSDocComment(tag.comment)?.replace(/\s+/g, ' ');
  if (text === undefined) return undefined;
  return text.startsWith('- ') ? text.slice(2) : `\`${text}\``;
}

function toWords(doc: ts.JSDoc | undefined): Words {
  const text = (doc ? (ts.getTextOfJSDocComment(doc.comment) ?? '') : '')
    .replace(/\{@link (\w+)\s*\}/g, '`$1`')
    .replace(/\s+/g, ' ');
  const tagged = defaultTag(doc);
  const absent = tagged ?? /(?:^|[.;,] )default:? (.+?)(?=\.(?: |$)|;|$)/i.exec(text)?.[1] ?? '';
  const first = /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
  return { does: first.replace(/(?:^|[;,] )default:? [^;]*?(?=\.$|$|;)/i, '').replace(/^\.$/, ''), absent };
}
