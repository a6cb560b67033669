import ts from 'typescript';
import { applyEdits, type Edit } from '../../internal/edits.js';
import { type FileDesk, literalText, visitAll } from '../../rules/internal/rule.js';
import { SUCCESSORS, TYPE_SUCCESSORS } from './framework.js';
import type { Renderer } from './renderer.js';
import { FRAMEWORKS } from './service.js';

/** Modules whose unused imports disappear with the framework: its types, and its parts. */
const COMPANIONS: readonly string[] = ['aws-lambda', '@aws-lambda-powertools/batch', '@types/express'];

/** The import, or the `require`, of a module of an old framework. */
function oldModule(node: ts.Statement): string | undefined {
  const module = ts.isImportDeclaration(node) ? literalText(node.moduleSpecifier) : requiredModule(node);
  if (module === undefined) return undefined;
  const known = [
    ...COMPANIONS,
    ...FRAMEWORKS.flatMap(({ modules, middlewares }) => [...modules, ...Object.keys(middlewares)]),
  ];
  const names = known.map((name) => name.split('#', 1)[0] ?? name);
  return names.some((name) => module === name || module.startsWith(`${name}/`)) ? module : undefined;
}

function requiredModule(node: ts.Statement): string | undefined {
  if (!ts.isVariableStatement(node) || node.declarationList.declarations.length !== 1) return undefined;
  const value = node.declarationList.declarations[0]?.initializer;
  if (!value || !ts.isCallExpression(value) || value.expression.getText() !== 'require') return undefined;
  return literalText(value.arguments[0]);
}

/** The names that code uses, without its imports. */
function namesIn(text: string, fileName: string): ReadonlySet<string> {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.ESNext, true);
  const names = new Set<string>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) || requiredModule(statement) !== undefined) continue;
    visitAll(statement, (node) => {
      const isMember = ts.isIdentifier(node) && ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
      const isKey = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
      if (ts.isIdentifier(node) && !isMember && !isKey) names.add(node.text);
    });
  }
  return names;
}

/** Edits of the imports of a file: old imports without a use disappear, and what the new text uses is imported. */
export function importEdits(desk: FileDesk, edits: readonly Edit[], renderer: Renderer): readonly Edit[] {
  const { source } = desk;
  const after = applyEdits(source.text, edits);
  const used = namesIn(after, source.fileName);
  // A successor replaces an old export of the same name, as `secureHeaders`.
  const successors = new Set(renderer.used.values());
  const usedOld = new Set([...used].filter((name) => !successors.has(name)));
  const old = source.statements.filter((node) => oldModule(node) !== undefined);
  const kept = new Map(old.map((node) => [node, keptText(node, usedOld, desk)]));
  const added = newLines(desk, renderer, used);
  const [first, ...rest] = old;
  const result: Edit[] = [];
  for (const node of rest) {
    const text = kept.get(node);
    if (text === '') result.push(removal(node, desk));
    else if (text !== undefined && text !== desk.textOf(node))
      result.push({ start: node.getStart(source), end: node.end, text });
  }
  if (first) {
    const text = kept.get(first) ?? desk.textOf(first);
    const lines = [...added, ...(text === '' ? [] : [text])];
    if (lines.length === 0) result.push(removal(first, desk));
    else if (lines.join('') !== desk.textOf(first))
      result.push({ start: first.getStart(source), end: first.end, text: lines.join(desk.newLine) });
  } else if (added.length > 0) {
    const last = source.statements.findLast((node) => ts.isImportDeclaration(node));
    const start = last ? last.end : (source.statements[0]?.getStart(source) ?? 0);
    const text = last ? desk.newLine + added.join(desk.newLine) : added.join(desk.newLine) + desk.newLine;
    result.push({ start, end: start, text });
  }
  return result;
}

function removal(node: ts.Statement, { source, text }: FileDesk): Edit {
  const rest = /^[ \t]*\r?\n?/.exec(text.slice(node.end))?.[0] ?? '';
  return { start: node.getStart(source), end: node.end + rest.length, text: '' };
}

/** The statement with the names that are still used; `''` without any. */
function keptText(node: ts.Statement, used: ReadonlySet<string>, desk: FileDesk): string {
  if (ts.isVariableStatement(node)) {
    const names: string[] = [];
    const [one] = node.declarationList.declarations;
    if (one) visitAll(one.name, (part) => ts.isIdentifier(part) && names.push(part.text));
    return names.some((name) => used.has(name)) ? desk.textOf(node) : '';
  }
  if (!ts.isImportDeclaration(node) || !node.importClause) return desk.textOf(node);
  const { name, namedBindings } = node.importClause;
  const parts: string[] = [];
  if (name && used.has(name.text)) parts.push(name.text);
  if (namedBindings && ts.isNamespaceImport(namedBindings) && used.has(namedBindings.name.text)) {
    parts.push(desk.textOf(namedBindings));
  }
  if (namedBindings && ts.isNamedImports(namedBindings)) {
    const kept = namedBindings.elements.filter((element) => used.has(element.name.text));
    if (kept.length === namedBindings.elements.length && (!name || parts.length > 0)) return desk.textOf(node);
    if (kept.length > 0) parts.push(`{ ${kept.map((element) => desk.textOf(element)).join(', ')} }`);
  }
  if (parts.length === 0) return '';
  const isType = node.importClause.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return `import ${isType ? 'type ' : ''}${parts.join(', ')} from ${desk.textOf(node.moduleSpecifier)}${desk.semicolon}`;
}

function newLines(desk: FileDesk, renderer: Renderer, used: ReadonlySet<string>): readonly string[] {
  const byModule = new Map<string, string[]>();
  const present = alreadyImported(desk.source);
  for (const [name, local] of renderer.used) {
    const module = SUCCESSORS[name];
    if (module === undefined || !used.has(local) || present.has(`${module}#${name}`)) continue;
    byModule.set(module, [...(byModule.get(module) ?? []), name]);
  }
  const isCommon = !desk.source.statements.some(
    (node) =>
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isExportAssignment(node) || isExported(node),
  );
  const hasRequire = /\brequire\(|\bexports\b/.test(desk.text);
  return [...byModule]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([module, names]) => {
      const target = desk.quote + module + desk.quote;
      const list = names.sort().map((name) => ({ name, local: renderer.used.get(name) ?? name }));
      if (isCommon && hasRequire && !renderer.isTyped) {
        const parts = list.map(({ name, local }) => (name === local ? name : `${name}: ${local}`));
        return `const { ${parts.join(', ')} } = require(${target})${desk.semicolon}`;
      }
      const isAllTypes = list.every(({ name }) => TYPE_SUCCESSORS.includes(name));
      const parts = list.map(({ name, local }) => {
        const type = !isAllTypes && TYPE_SUCCESSORS.includes(name) ? 'type ' : '';
        return type + (name === local ? name : `${name} as ${local}`);
      });
      return `import ${isAllTypes ? 'type ' : ''}{ ${parts.join(', ')} } from ${target}${desk.semicolon}`;
    });
}

function isExported(node: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)
  );
}

function alreadyImported(source: ts.SourceFile): ReadonlySet<string> {
  const found = new Set<string>();
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node)) continue;
    const bindings = node.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    for (const { propertyName, name } of bindings.elements) {
      found.add(`${literalText(node.moduleSpecifier)}#${(propertyName ?? name).text}`);
    }
  }
  return found;
}
