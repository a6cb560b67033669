import ts from 'typescript';
import { findModule, type MappedModule } from '../../mapping/internal/lookup.js';
import type { Mapping } from '../../mapping/mapping.js';
import { rewriteDestructuring } from './destructuring.js';
import { rewriteExports, rewriteImport } from './import-statements.js';
import { type CodeRule, FileDesk, isGlobal, literalText, noFindings, visitAll } from './rule.js';
import { rewriteWords } from './words.js';

/** Functions of test runners whose first argument is a module. */
const MOCKS =
  /^(?:(?:un|do|dont|deep(?:un)?)?(?:un)?mock|setMock|requireActual|requireMock|importActual|importMock|doUnmock)$/i;

/** Moves imports, and renames variables and keys, according to the mapping. */
export const importsRule: CodeRule = ({ checker }, mapping, sources) => {
  const findings = noFindings();
  for (const source of sources) {
    const desk = new FileDesk(source, checker, findings);
    rewriteReferences(desk, mapping);
    visitAll(source, (node) => {
      rewriteNode(desk, mapping, node);
      rewriteWords(desk, mapping, node);
    });
  }
  return findings;
};

function rewriteNode(desk: FileDesk, mapping: Mapping, node: ts.Node): void {
  if (ts.isImportDeclaration(node)) {
    const module = moduleOf(node.moduleSpecifier, mapping);
    if (module) rewriteImport(desk, node, module, mapping);
  } else if (ts.isExportDeclaration(node)) {
    const module = moduleOf(node.moduleSpecifier, mapping);
    if (module) rewriteExports(desk, node, module);
  } else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
    rewriteWhole(desk, node.moduleReference.expression, mapping, 'import = require');
  } else if (ts.isImportTypeNode(node)) rewriteImportType(desk, node, mapping);
  else if (ts.isJSDocImportTag(node)) rewriteWhole(desk, node.moduleSpecifier, mapping, '@import');
  else if (ts.isCallExpression(node)) rewriteCall(desk, node, mapping);
}

function moduleOf(specifier: ts.Node | undefined, mapping: Mapping): MappedModule | undefined {
  const name = literalText(specifier);
  return name === undefined ? undefined : findModule(mapping, name);
}

/** A use of the whole module: only its name changes. */
function rewriteWhole(desk: FileDesk, specifier: ts.Node | undefined, mapping: Mapping, use: string): void {
  const module = moduleOf(specifier, mapping);
  if (module === undefined || specifier === undefined) return;
  const found = module.wholeDestination(use);
  if ('module' in found) desk.renameModule(specifier, found.module);
  else desk.remark(specifier, found.manual);
}

/** `require('…')`, `import('…')`, `jest.mock('…')`. */
function rewriteCall(desk: FileDesk, call: ts.CallExpression, mapping: Mapping): void {
  const use = useOfCall(call, desk.checker);
  const [specifier] = call.arguments;
  if (use === undefined || specifier === undefined) return;
  if (literalText(specifier) === undefined) {
    const named = Object.keys(mapping.modules ?? {}).find((name) => desk.textOf(specifier).includes(name));
    if (named !== undefined) desk.remark(specifier, `${use} with a computed name that holds '${named}'`);
    return;
  }
  const module = moduleOf(specifier, mapping);
  if (module && rewriteDestructuring(desk, call, specifier, module)) return;
  rewriteWhole(desk, specifier, mapping, use);
}

function useOfCall({ expression }: ts.CallExpression, checker: ts.TypeChecker): string | undefined {
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return 'import()';
  if (ts.isIdentifier(expression)) {
    return expression.text === 'require' && isGlobal(expression, checker) ? 'require()' : undefined;
  }
  if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression)) return undefined;
  const runner = expression.expression.text;
  const isResolve = runner === 'require' && expression.name.text === 'resolve';
  if (isResolve) return 'require.resolve()';
  return /^(?:jest|vi)$/.test(runner) && MOCKS.test(expression.name.text)
    ? `${runner}.${expression.name.text}()`
    : undefined;
}

/** `import('…').Name` in a type, of TypeScript or of a JSDoc comment. */
function rewriteImportType(desk: FileDesk, node: ts.ImportTypeNode, mapping: Mapping): void {
  const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  const module = moduleOf(literal, mapping);
  if (module === undefined || literal === undefined) return;
  const name = leftmost(node.qualifier);
  if (name === undefined) {
    rewriteWhole(desk, literal, mapping, 'import type of all');
    return;
  }
  const found = module.destinationOf(name.text);
  if ('manual' in found) {
    desk.remark(literal, found.manual);
    return;
  }
  desk.renameModule(literal, found.module);
  if (found.name !== name.text) desk.replace(name, found.name);
}

function leftmost(name: ts.EntityName | undefined): ts.Identifier | undefined {
  return name === undefined || ts.isIdentifier(name) ? name : leftmost(name.left);
}

/** `/// <reference types="…" />`. */
function rewriteReferences(desk: FileDesk, mapping: Mapping): void {
  for (const { fileName, pos, end } of desk.source.typeReferenceDirectives) {
    const module = findModule(mapping, fileName);
    if (module === undefined) continue;
    const found = module.wholeDestination('a reference to the types');
    if ('module' in found) desk.edit(pos, end, found.module);
    else desk.remark(desk.source, found.manual);
  }
}
