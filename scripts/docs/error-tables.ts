import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { APP_CODES, statusOfCode } from '../../packages/core/src/index.js';
import { INVALID_CONFIGURATION } from '../../packages/core/src/options.js';
import { ROOT } from '../check/command.js';

/** The error codes of one package, or of one entry of it, for a table in its README. */
export interface ErrorTable {
  /** The name in the marker: `@sallyport/http`. */
  readonly name: string;
  /** The file that declares them, from the root of the repository. */
  readonly source: string;
  /**
   * A union of codes, or a list or object of them. The TSDoc of each member describes its cause, and the tag `@status` its HTTP
   * status.
   */
  readonly type: string;
}

/** One row of a table. */
export interface ErrorRow {
  readonly code: string;
  readonly status: string;
  readonly when: string;
}

const MARKED = /<!-- errors: (\S+) -->\n[\s\S]*?<!-- \/errors -->/g;

/** Replaces each table between `<!-- errors: name -->` and `<!-- /errors -->`. */
export function renderErrorTables(text: string, tables: readonly ErrorTable[]): string {
  return text.replace(MARKED, (whole, name: string) => {
    const table = tables.find((one) => one.name === name);
    return table ? `<!-- errors: ${name} -->\n${renderRows(readRows(table))}\n<!-- /errors -->` : whole;
  });
}

/** Markers without a table, tables without a marker, and codes without TSDoc. */
export function checkErrorTables(text: string, tables: readonly ErrorTable[]): readonly string[] {
  const marked = [...text.matchAll(MARKED)].map(([, name = '']) => name);
  return [
    ...marked.filter((name) => !tables.some((one) => one.name === name)).map((name) => `no table of errors ${name}`),
    ...tables.filter(({ name }) => !marked.includes(name)).map(({ name }) => `no marker for the errors of ${name}`),
    ...tables.flatMap((table) => {
      const rows = readRows(table);
      const silent = rows.filter(({ when }) => when === '').map(({ code }) => `${table.type}: ${code} has no TSDoc`);
      return rows.length === 0 ? [`${table.source} has no codes ${table.type}`] : silent;
    }),
  ];
}

/** The rows of a table, in the order of the declaration. */
export function readRows({ source, type }: ErrorTable, text = readFileSync(join(ROOT, source), 'utf8')): ErrorRow[] {
  const file = ts.createSourceFile(source, text, ts.ScriptTarget.Latest, true);
  return file.statements.flatMap((node) => membersOf(node, type)).map((member) => rowOf(member, text));
}

function membersOf(node: ts.Statement, name: string): readonly ts.Node[] {
  if (ts.isTypeAliasDeclaration(node) && node.name.text === name && ts.isUnionTypeNode(node.type))
    return node.type.types;
  if (!ts.isVariableStatement(node)) return [];
  const declaration = node.declarationList.declarations.find((one) => one.name.getText() === name);
  const value = declaration?.initializer;
  const inner = value && ts.isAsExpression(value) ? value.expression : value;
  if (inner && ts.isObjectLiteralExpression(inner)) return inner.properties;
  return inner && ts.isArrayLiteralExpression(inner) ? inner.elements : [];
}

function rowOf(member: ts.Node, text: string): ErrorRow {
  const code = /'([a-z]+\.[a-z_]+)'/.exec(member.getText())?.[1] ?? INVALID_CONFIGURATION;
  // In a union a bar is between the comment and its member.
  const before = text.slice(0, member.getStart()).replace(/\|\s*$/, '');
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(before)?.[1] ?? '';
  const [when = '', status] = comment.replace(/\n\s*\*/g, ' ').split('@status');
  return {
    code,
    status: status?.trim() ?? (Object.hasOwn(APP_CODES, code) ? String(statusOfCode(code)) : ''),
    when: when
      .replace(/\{@link (\w+)\}/g, '`$1`')
      .replace(/\s+/g, ' ')
      .trim(),
  };
}

/** One row for each code: the code, its HTTP status if it is sent to a client, and its cause. */
export function renderRows(rows: readonly ErrorRow[]): string {
  const lines = rows.map(({ code, status, when }) => `| \`${code}\` | ${status} | ${when.replaceAll('|', '\\|')} |`);
  return ['| code | status | when |', '|---|---|---|', ...lines].join('\n');
}
