import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { OptionKind } from '../../packages/core/src/options.js';
import { ROOT } from '../check/command.js';

/** The options of one function, for a table in the README of its package. */
export interface OptionTable {
  /** What the marker names: `@sallyport/core#createLogger`. */
  readonly name: string;
  /** The kinds of the set that checks the options. */
  readonly kinds: Readonly<Record<string, OptionKind<unknown, unknown>>>;
  /** The file with the interface of the options, from the root of the repository. */
  readonly source: string;
  /** The name of the interface: the first sentence of each member's TSDoc is what the table says. */
  readonly type: string;
}

const MARKED = /<!-- options: (\S+) -->\n[\s\S]*?<!-- \/options -->/g;

/** The text with each table between `<!-- options: name -->` and `<!-- /options -->` written anew. */
export function renderTables(text: string, tables: readonly OptionTable[]): string {
  return text.replace(MARKED, (whole, name: string) => {
    const table = tables.find((one) => one.name === name);
    return table ? `<!-- options: ${name} -->\n${renderTable(table, readSource(table))}\n<!-- /options -->` : whole;
  });
}

/** Markers without a table, tables without a marker, and options without TSDoc. */
export function checkTables(text: string, tables: readonly OptionTable[]): readonly string[] {
  const marked = [...text.matchAll(MARKED)].map(([, name = '']) => name);
  return [
    ...marked.filter((name) => !tables.some((one) => one.name === name)).map((name) => `no table of options ${name}`),
    ...tables.filter(({ name }) => !marked.includes(name)).map(({ name }) => `no marker for the options of ${name}`),
    ...tables.flatMap((table) => {
      const words = sentencesOf(table.type, readSource(table));
      const silent = Object.keys(table.kinds).filter((option) => !words.get(option));
      return silent.map((option) => `${table.type}.${option} has no TSDoc`);
    }),
  ];
}

/** One row an option: its name, what it must be, what stands for it when it is left out, and what it does. */
export function renderTable({ kinds, type }: OptionTable, source: string): string {
  const words = sentencesOf(type, source);
  const rows = Object.entries(kinds).map(([name, kind]) =>
    [`\`${name}\``, kind.wanted, absentOf(kind), words.get(name) ?? ''].map(cell).join(' | '),
  );
  return ['| option | must be | when left out | |', '|---|---|---|---|', ...rows.map((row) => `| ${row} |`)].join('\n');
}

function readSource({ source }: OptionTable): string {
  return readFileSync(join(ROOT, source), 'utf8');
}

function absentOf({ isRequired, variable, fallback }: OptionKind<unknown, unknown>): string {
  if (variable !== undefined) return `\`${variable}\`, else refused`;
  if (isRequired) return 'refused';
  return fallback === undefined || typeof fallback === 'object' || typeof fallback === 'function'
    ? ''
    : `\`${String(fallback)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** The first sentence of the TSDoc of each member. */
function sentencesOf(type: string, source: string): ReadonlyMap<string, string> {
  const sentences = new Map<string, string>();
  for (const node of ts.createSourceFile('options.ts', source, ts.ScriptTarget.Latest, true).statements) {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== type) continue;
    for (const member of node.members) {
      const doc = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc);
      const text = ts.getTextOfJSDocComment(doc?.comment)?.replace(/\s+/g, ' ') ?? '';
      if (member.name && ts.isIdentifier(member.name)) sentences.set(member.name.text, firstSentence(text));
    }
  }
  return sentences;
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}
