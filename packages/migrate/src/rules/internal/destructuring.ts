import ts from 'typescript';
import type { MappedModule } from '../../mapping/internal/lookup.js';
import type { FileDesk } from './rule.js';

/**
 * Moves `const { a, b } = require('…')` and `const { a } = await import('…')` name by name.
 *
 * @returns true if the call is one of these; otherwise its whole module has to move
 */
export function rewriteDestructuring(
  desk: FileDesk,
  call: ts.CallExpression,
  specifier: ts.Expression,
  module: MappedModule,
): boolean {
  const value = ts.isAwaitExpression(call.parent) ? call.parent : call;
  const declaration = value.parent;
  if (!ts.isVariableDeclaration(declaration) || declaration.initializer !== value) return false;
  const { name: pattern } = declaration;
  if (!ts.isObjectBindingPattern(pattern) || !pattern.elements.every(isSimple)) return false;
  const groups = new Map<string, string[]>();
  for (const element of pattern.elements) {
    const key = (element.propertyName ?? element.name) as ts.Identifier;
    const found = module.destinationOf(key.text);
    if ('manual' in found) {
      desk.remark(element, found.manual);
      return true;
    }
    groups.set(found.module, [...(groups.get(found.module) ?? []), renamed(desk, element, found.name)]);
  }
  const list = declaration.parent;
  const statement = list.parent;
  const [only] = groups.keys();
  if (groups.size === 1 && only !== undefined) {
    desk.renameModule(specifier, only);
    const after = `{ ${groups.get(only)?.join(', ')} }`;
    const isSame = pattern.elements.every((element, at) => desk.textOf(element) === groups.get(only)?.[at]);
    if (!isSame) desk.replace(pattern, after);
    return true;
  }
  const isAlone = ts.isVariableStatement(statement) && (list as ts.VariableDeclarationList).declarations.length === 1;
  if (!isAlone) {
    desk.remark(specifier, `names of '${module.specifier}' come from several modules now`);
    return true;
  }
  const head = desk.text.slice(statement.getStart(desk.source), pattern.getStart(desk.source));
  const end = desk.textOf(statement).endsWith(';') ? ';' : '';
  const [before, after] = desk.textOf(value).split(desk.textOf(specifier));
  const quote = desk.textOf(specifier).slice(0, 1);
  const lines = [...groups].map(
    ([name, parts]) => `${head}{ ${parts.join(', ')} } = ${before}${quote}${name}${quote}${after}${end}`,
  );
  desk.replace(statement, lines.join(desk.newLine));
  return true;
}

function isSimple({ dotDotDotToken, propertyName, name }: ts.BindingElement): boolean {
  return !dotDotDotToken && ts.isIdentifier(propertyName ?? name);
}

function renamed(desk: FileDesk, element: ts.BindingElement, name: string): string {
  const { propertyName, name: local } = element;
  const key = propertyName ?? local;
  if (desk.textOf(key) === name) return desk.textOf(element);
  const rest = desk.text.slice(local.getStart(desk.source), element.end);
  return propertyName || desk.textOf(local) !== name ? `${name}: ${rest}` : rest;
}
