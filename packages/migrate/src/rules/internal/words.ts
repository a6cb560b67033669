import ts from 'typescript';
import type { Mapping } from '../../mapping/mapping.js';
import { type FileDesk, isGlobal, literalText } from './rule.js';

const CONTEXTS = ['ctx', 'context'];

/** Renames environment variables in their reads, and the keys of `ctx.get` and `ctx.set`. Other strings are unchanged. */
export function rewriteWords(desk: FileDesk, mapping: Mapping, node: ts.Node): void {
  const variables = mapping.environment ?? {};
  if (ts.isPropertyAccessExpression(node) && isEnvironment(node.expression, desk)) {
    const name = own(variables, node.name.text);
    if (name !== undefined) desk.replace(node.name, name);
  } else if (ts.isElementAccessExpression(node) && isEnvironment(node.expression, desk)) {
    const name = own(variables, literalText(node.argumentExpression));
    if (name !== undefined) desk.renameModule(node.argumentExpression, name);
  } else if (
    ts.isVariableDeclaration(node) &&
    ts.isObjectBindingPattern(node.name) &&
    isEnvironment(node.initializer, desk)
  ) {
    for (const { propertyName, name } of node.name.elements) {
      const key = propertyName ?? name;
      const renamed = ts.isIdentifier(key) ? own(variables, key.text) : undefined;
      if (renamed !== undefined)
        desk.edit(key.getStart(), key.end, propertyName ? renamed : `${renamed}: ${key.getText()}`);
    }
  } else if (ts.isCallExpression(node)) rewriteKey(desk, mapping.metadataPrefix ?? {}, node);
}

function own(names: Readonly<Record<string, string>>, name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
}

function isEnvironment(node: ts.Node | undefined, { checker }: FileDesk): boolean {
  return (
    node !== undefined &&
    ts.isPropertyAccessExpression(node) &&
    node.name.text === 'env' &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'process' &&
    isProcess(node.expression, checker)
  );
}

/** The global, or Node's module. */
function isProcess(name: ts.Identifier, checker: ts.TypeChecker): boolean {
  const [declaration] = checker.getSymbolAtLocation(name)?.declarations ?? [];
  const from = declaration && ts.findAncestor(declaration, ts.isImportDeclaration);
  return isGlobal(name, checker) || /^(?:node:)?process$/.test(literalText(from?.moduleSpecifier) ?? '');
}

function rewriteKey(desk: FileDesk, prefixes: Readonly<Record<string, string>>, call: ts.CallExpression): void {
  const { expression } = call;
  if (!ts.isPropertyAccessExpression(expression) || !['get', 'set'].includes(expression.name.text)) return;
  if (!ts.isIdentifier(expression.expression) || !CONTEXTS.includes(expression.expression.text)) return;
  const [key] = call.arguments;
  const text = literalText(key);
  const prefix = Object.keys(prefixes).find((one) => text?.startsWith(one));
  if (key === undefined || prefix === undefined) return;
  const start = key.getStart(desk.source) + 1;
  desk.edit(start, start + prefix.length, prefixes[prefix] ?? '');
}
