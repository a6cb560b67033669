import ts from 'typescript';
import { findModule, type MappedModule } from '../../mapping/internal/lookup.js';
import type { Mapping } from '../../mapping/mapping.js';
import { type FileDesk, literalText } from './rule.js';

/** One name of an import or an export that has moved. */
interface Moved {
  /** Its exported name; `default` for the default export. */
  readonly imported: string;
  /** Its name in this file, or the name under which it is exported. */
  readonly local: string;
  readonly isType: boolean;
}

/** Names by their new module, in the order of the source. */
type Groups = Map<string, Moved[]>;

/** Moves a static import, as a whole or name by name. Names that cannot be moved are kept and become manual steps. */
export function rewriteImport(
  desk: FileDesk,
  node: ts.ImportDeclaration,
  module: MappedModule,
  mapping: Mapping,
): void {
  const { importClause: clause, moduleSpecifier } = node;
  const bindings = clause?.namedBindings;
  if (clause === undefined || (bindings && ts.isNamespaceImport(bindings))) {
    const found = module.wholeDestination(clause ? 'namespace import' : 'import without names');
    if ('module' in found) desk.renameModule(moduleSpecifier, found.module);
    else desk.remark(moduleSpecifier, found.manual);
    return;
  }
  const groups: Groups = new Map();
  const staying: string[] = [];
  const place = (imported: string, local: string, isType: boolean, name: ts.Node) => {
    const found = module.destinationOf(imported);
    if ('module' in found) add(groups, found.module, { imported: found.name, local, isType });
    else {
      desk.remark(name, found.manual);
      staying.push(desk.textOf(name));
    }
  };
  if (clause.name) place('default', clause.name.text, false, clause.name);
  const elements = bindings ? bindings.elements : [];
  for (const one of elements) place((one.propertyName ?? one.name).text, one.name.text, one.isTypeOnly, one);
  if (groups.size === 0) return;
  const [only] = groups.keys();
  const targets = [...groups].map(([name, moved]) => ({
    name,
    moved,
    into: existingImport(desk, node, name, mapping),
  }));
  const isPlain = groups.size === 1 && staying.length === 0 && targets[0]?.into === undefined;
  if (isPlain && only !== undefined && keepsNames(groups, clause)) {
    desk.renameModule(moduleSpecifier, only);
    return;
  }
  const merged = targets.filter(({ moved, into }) => into && addTo(desk, into, moved));
  const written = targets.filter((target) => !merged.includes(target));
  const kept = staying.length > 0 ? [keep(desk, node, clause, staying)] : [];
  const lines = [...kept, ...written.map(({ name, moved }) => writeImport(desk, node, name, moved))];
  const comments = commentsIn(desk, clause);
  if (lines.length + comments.length === 0) desk.removeStatement(node);
  else desk.replace(node, [...comments, ...lines].join(desk.newLine));
}

/** Moves `export … from`. The exported names are kept. */
export function rewriteExports(desk: FileDesk, node: ts.ExportDeclaration, module: MappedModule): void {
  const { exportClause: clause, moduleSpecifier } = node;
  if (moduleSpecifier === undefined) return;
  if (clause === undefined || ts.isNamespaceExport(clause)) {
    const found = module.wholeDestination('export of all');
    if ('module' in found) desk.renameModule(moduleSpecifier, found.module);
    else desk.remark(moduleSpecifier, found.manual);
    return;
  }
  const groups: Groups = new Map();
  const staying: string[] = [];
  for (const one of clause.elements) {
    const found = module.destinationOf((one.propertyName ?? one.name).text);
    if ('module' in found) {
      add(groups, found.module, { imported: found.name, local: one.name.text, isType: one.isTypeOnly });
    } else {
      desk.remark(one, found.manual);
      staying.push(desk.textOf(one));
    }
  }
  if (groups.size === 0) return;
  const head = node.isTypeOnly ? 'export type' : 'export';
  const tail = (name: string) => ` from ${quoted(moduleSpecifier, name, desk)}${ending(node, desk)}`;
  const lines = [...groups].map(([name, moved]) => `${head} ${braces(desk, clause, moved.map(toText))}${tail(name)}`);
  if (staying.length > 0) lines.unshift(`${head} ${braces(desk, clause, staying)}${tail(module.specifier)}`);
  desk.replace(node, [...commentsIn(desk, clause), ...lines].join(desk.newLine));
}

function add(groups: Groups, module: string, moved: Moved): void {
  groups.set(module, [...(groups.get(module) ?? []), moved]);
}

/** True if only the module changes. */
function keepsNames(groups: Groups, clause: ts.ImportClause): boolean {
  const elements = clause.namedBindings && ts.isNamedImports(clause.namedBindings) ? clause.namedBindings.elements : [];
  const before = [...(clause.name ? ['default'] : []), ...elements.map((one) => (one.propertyName ?? one.name).text)];
  const after = [...groups.values()].flat().map(({ imported }) => imported);
  return before.every((name, at) => name === after[at]);
}

/**
 * An import of the same module and kind that the names can join. If a side-effect import is between the two, joining
 * would change the loading order.
 */
function existingImport(
  desk: FileDesk,
  node: ts.ImportDeclaration,
  module: string,
  mapping: Mapping,
): ts.ImportDeclaration | undefined {
  const { statements } = desk.source;
  return statements.filter(ts.isImportDeclaration).find((other) => {
    const name = literalText(other.moduleSpecifier);
    if (other === node || name !== module || findModule(mapping, name) !== undefined || other.attributes) return false;
    const bindings = other.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings) || bindings.elements.length === 0) return false;
    if (isTypeOnly(other) !== isTypeOnly(node)) return false;
    const [from, to] = [statements.indexOf(node), statements.indexOf(other)].sort((a, b) => a - b);
    return !statements.slice((from ?? 0) + 1, to).some((one) => ts.isImportDeclaration(one) && !one.importClause);
  });
}

/** Adds names to an import; false if a name cannot be added. */
function addTo(desk: FileDesk, into: ts.ImportDeclaration, moved: readonly Moved[]): boolean {
  const bindings = into.importClause?.namedBindings;
  const last = bindings && ts.isNamedImports(bindings) ? bindings.elements.at(-1) : undefined;
  if (last === undefined) return false;
  const line = /(?:^|\n)([ \t]*)[^\n]*$/.exec(desk.text.slice(0, last.getStart(desk.source)));
  const isAlone = desk.text.slice(0, last.getStart(desk.source)).endsWith(`\n${line?.[1] ?? ''}`);
  const before = isAlone ? `,${desk.newLine}${line?.[1] ?? ''}` : ', ';
  desk.edit(last.end, last.end, moved.map((one) => before + toText(one)).join(''));
  return true;
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  return importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function writeImport(desk: FileDesk, node: ts.ImportDeclaration, module: string, moved: readonly Moved[]): string {
  const standard = moved.find(({ imported, isType }) => imported === 'default' && !isType);
  const named = moved.filter((one) => one !== standard).map(toText);
  const clause = [
    ...(standard ? [standard.local] : []),
    ...(named.length > 0 ? [braces(desk, node.importClause, named)] : []),
  ];
  const head = isTypeOnly(node) ? 'import type' : 'import';
  return `${head} ${clause.join(', ')} from ${quoted(node.moduleSpecifier, module, desk)}${attributes(node, desk)}${ending(node, desk)}`;
}

/** The import with only the names that have no successor. */
function keep(desk: FileDesk, node: ts.ImportDeclaration, clause: ts.ImportClause, staying: readonly string[]): string {
  const standard = clause.name && staying.includes(desk.textOf(clause.name)) ? desk.textOf(clause.name) : undefined;
  const named = staying.filter((name) => name !== standard);
  const parts = [...(standard ? [standard] : []), ...(named.length > 0 ? [braces(desk, clause, named)] : [])];
  const head = isTypeOnly(node) ? 'import type' : 'import';
  return `${head} ${parts.join(', ')} from ${desk.textOf(node.moduleSpecifier)}${attributes(node, desk)}${ending(node, desk)}`;
}

function toText({ imported, local, isType }: Moved): string {
  return `${isType ? 'type ' : ''}${imported === local ? local : `${imported} as ${local}`}`;
}

/** In one line or in several, as the file had it. */
function braces(desk: FileDesk, clause: ts.Node | undefined, names: readonly string[]): string {
  const isLong = clause !== undefined && desk.textOf(clause).includes('\n') && names.length > 1;
  if (!isLong) return `{ ${names.join(', ')} }`;
  return `{${desk.newLine}${names.map((name) => `  ${name},${desk.newLine}`).join('')}}`;
}

function quoted(literal: ts.Expression, module: string, desk: FileDesk): string {
  const quote = desk.textOf(literal).slice(0, 1);
  return quote + module + quote;
}

function attributes({ attributes: found }: ts.ImportDeclaration, desk: FileDesk): string {
  return found ? ` ${desk.textOf(found)}` : '';
}

function ending(node: ts.Node, desk: FileDesk): string {
  return desk.textOf(node).endsWith(';') ? ';' : '';
}

/** Comments between the braces, each to be moved to a line before the statement. */
function commentsIn(desk: FileDesk, clause: ts.Node): readonly string[] {
  return desk.textOf(clause).match(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g) ?? [];
}
