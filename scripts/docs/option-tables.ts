import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import type { OptionKind } from '../../packages/core/src/options.js';
import { ROOT } from '../check/command.js';
import { readPackagesProgram } from '../check/program.js';

type Kinds = Readonly<Record<string, OptionKind<unknown, unknown>>>;

/** The options of one function, for a table in the README of its package. */
export interface OptionTable {
  /** The kinds of the set that checks the options. */
  readonly kinds: Kinds;
  /** The TSDoc of each member of the type that the set describes. */
  readonly words: ReadonlyMap<string, Words>;
}

/** The TSDoc of an option, for the table. */
export interface Words {
  /** Its first sentence, without the clause about the default. */
  readonly does: string;
  /** The text after "Default", or of the tag `@default`. */
  readonly absent: string;
}

/** `<!-- options: src/observability/logger.ts#LOGGER_OPTIONS -->`: the file, relative to the README, and the set of options. */
const MARKED = /<!-- options: ((\S+)#(\w+)) -->\n[\s\S]*?<!-- \/options -->/g;

/** The tables of a README by marker, each `undefined` if the file does not export such a set. */
export async function readTables(readme: string, text: string): Promise<ReadonlyMap<string, OptionTable | undefined>> {
  const tables = new Map<string, OptionTable | undefined>();
  for (const [, marker = '', file = '', name = ''] of text.matchAll(MARKED)) {
    tables.set(marker, await readTable(join(ROOT, dirname(readme), file), name));
  }
  return tables;
}

async function readTable(path: string, name: string): Promise<OptionTable | undefined> {
  const words = readWords(readPackagesProgram(ROOT).program, path, name);
  if (!words) return undefined;
  const { [name]: set } = (await import(pathToFileURL(path).href)) as Record<string, { readonly kinds: Kinds } | Kinds>;
  return set && { kinds: hasKinds(set) ? set.kinds : set, words };
}

function hasKinds(set: { readonly kinds: Kinds } | Kinds): set is { readonly kinds: Kinds } {
  return 'kinds' in set && !('wanted' in set.kinds);
}

/** Replaces each table between its marker and `<!-- /options -->`. */
export function renderTables(text: string, tables: ReadonlyMap<string, OptionTable | undefined>): string {
  return text.replace(MARKED, (whole, marker: string) => {
    const table = tables.get(marker);
    return table ? `<!-- options: ${marker} -->\n${renderTable(table)}\n<!-- /options -->` : whole;
  });
}

/** Markers without a set of options, and options without TSDoc. */
export function checkTables(tables: ReadonlyMap<string, OptionTable | undefined>): readonly string[] {
  return [...tables].flatMap(([marker, table]) => {
    if (!table)
      return [`${marker} is not an exported set of options (defineOptions, defineProps, satisfies OptionKinds)`];
    const silent = Object.keys(table.kinds).filter((option) => !table.words.get(option)?.does);
    return silent.map((option) => `the option ${option} of ${marker} has no TSDoc`);
  });
}

/** One row for each option: its name, valid values, the default, and its purpose. */
export function renderTable({ kinds, words }: OptionTable): string {
  const rows = Object.entries(kinds).map(([name, kind]) => {
    const { does = '', absent = '' } = words.get(name) ?? {};
    return [`\`${name}\``, kind.wanted, absentOf(kind) ?? absent, does].map(cell).join(' | ');
  });
  return ['| option | must be | when left out | |', '|---|---|---|---|', ...rows.map((row) => `| ${row} |`)].join('\n');
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

/** The TSDoc of each member of the type that an exported set describes, even of inherited members; `undefined` for another constant. */
export function readWords(program: ts.Program, path: string, name: string): ReadonlyMap<string, Words> | undefined {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  const set = module && checker.getExportsOfModule(module).find((one) => one.name === name);
  const described = set && typeOf(set, checker);
  if (!described) return undefined;
  return new Map(checker.getPropertiesOfType(described).map((member) => [member.name, toWords(member, checker)]));
}

/** `T` of a constant that is an `OptionSet<T>` or a `PropSet<T>`, or that `satisfies OptionKinds<T>`. */
function typeOf(set: ts.Symbol, checker: ts.TypeChecker): ts.Type | undefined {
  const declaration = set.valueDeclaration;
  if (!declaration || !ts.isVariableDeclaration(declaration)) return undefined;
  const { initializer } = declaration;
  if (initializer && ts.isSatisfiesExpression(initializer) && ts.isTypeReferenceNode(initializer.type)) {
    const [argument] = initializer.type.typeArguments ?? [];
    return argument && checker.getTypeFromTypeNode(argument);
  }
  const type = checker.getTypeOfSymbol(set);
  const isSet = /^(?:Option|Prop)Set$/.test(type.symbol?.name ?? '');
  return isSet ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined;
}

function toWords(member: ts.Symbol, checker: ts.TypeChecker): Words {
  const text = oneLine(member.getDocumentationComment(checker));
  const tag = member.getJsDocTags(checker).find((one) => /^default(?:Value)?$/.test(one.name));
  const absent = tag
    ? defaultOf(oneLine(tag.text))
    : (/(?:^|[.;,] )default:? (.+?)(?=\.(?: |$)|;|$)/i.exec(text)?.[1] ?? '');
  const first = /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
  return { does: first.replace(/(?:^|[;,] )default:? [^;]*?(?=\.$|$|;)/i, '').replace(/^\.$/, ''), absent };
}

/** The content of the tag `@default`, as constructs have it: without the dash before words that are not a value. */
function defaultOf(text: string): string {
  return text.startsWith('- ') ? text.slice(2) : `\`${text}\``;
}

function oneLine(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  const text = ts.displayPartsToString(parts === undefined ? undefined : [...parts]);
  return text.replace(/\{@link (\w+)\s*\}/g, '`$1`').replace(/\s+/g, ' ');
}
