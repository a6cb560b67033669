import ts from 'typescript';
import { declarationOf } from '../../rules/internal/containers.js';
import { literalText } from '../../rules/internal/rule.js';
import { bare } from './pattern.js';

/** A function of the service, as a handler has it. */
export type Func = ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration | ts.MethodDeclaration;

export function isFunc(node: ts.Node | undefined): node is Func {
  return (
    node !== undefined &&
    (ts.isArrowFunction(node) ||
      ts.isFunctionExpression(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node))
  );
}

/** The parameters and variables that stand for a part of the old framework: `id` of `{ params: { id } }` is `r.params.id`. */
export class Roles {
  readonly #checker: ts.TypeChecker;
  readonly #aliases: Readonly<Record<string, string>>;
  readonly #paths = new Map<ts.Symbol, readonly string[]>();
  /** Variables whose declaration disappears, because their uses are rewritten. */
  readonly vanished = new Set<ts.VariableDeclaration>();

  constructor(checker: ts.TypeChecker, aliases: Readonly<Record<string, string>>) {
    this.#checker = checker;
    this.#aliases = aliases;
  }

  /** Names the parameters of a function. */
  give(func: Func, roles: readonly string[]): void {
    func.parameters.forEach((parameter, at) => {
      const role = roles[at];
      if (role !== undefined && role !== '') this.#bind(parameter.name, [role]);
    });
  }

  /** `const { params, query } = req` names its variables too. */
  followDestructuring(func: ts.Node): void {
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.initializer && ts.isObjectBindingPattern(node.name)) {
        const path = this.pathOf(node.initializer);
        if (path?.length === 1 && node.name.elements.every((one) => !one.initializer && !one.dotDotDotToken)) {
          this.#bind(node.name, path);
          this.vanished.add(node);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(func);
  }

  #bind(name: ts.BindingName, path: readonly string[]): void {
    if (ts.isIdentifier(name)) {
      const symbol = this.#checker.getSymbolAtLocation(name);
      if (symbol) this.#paths.set(symbol, this.#canonical(path));
      return;
    }
    if (!ts.isObjectBindingPattern(name)) return;
    for (const element of name.elements) {
      const key = element.propertyName ?? element.name;
      const text = ts.isIdentifier(key) ? key.text : literalText(key);
      if (text !== undefined && !element.dotDotDotToken) this.#bind(element.name, [...this.#canonical(path), text]);
    }
  }

  #canonical(path: readonly string[]): readonly string[] {
    const alias = this.#aliases[path.slice(0, 2).join('.')];
    return alias === undefined ? path : [alias, ...path.slice(2)];
  }

  /** The path of an expression from a role. */
  pathOf(given: ts.Expression): readonly string[] | undefined {
    const node = bare(given);
    if (ts.isIdentifier(node)) {
      const symbol = ts.isShorthandPropertyAssignment(node.parent)
        ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
        : this.#checker.getSymbolAtLocation(node);
      return symbol && this.#paths.get(symbol);
    }
    if (ts.isAsExpression(node)) return this.pathOf(node.expression);
    if (ts.isPropertyAccessExpression(node)) {
      const path = this.pathOf(node.expression);
      return path && this.#canonical([...path, node.name.text]);
    }
    const key = ts.isElementAccessExpression(node) ? literalText(node.argumentExpression) : undefined;
    if (key === undefined || !ts.isElementAccessExpression(node)) return undefined;
    const path = this.pathOf(node.expression);
    return path && this.#canonical([...path, key]);
  }
}

/** The function of an expression: itself, or the function that a name of the service stands for. */
export function functionOf(given: ts.Expression, checker: ts.TypeChecker): Func | undefined {
  const node = bare(given);
  if (isFunc(node)) return node;
  if (ts.isPropertyAccessExpression(node)) {
    const declaration = checker.getSymbolAtLocation(node.name)?.declarations?.[0];
    const file = ts.isIdentifier(node.expression) ? requiredFile(node.expression, checker) : undefined;
    return functionOfDeclaration(declaration) ?? (file && exportedFunction(file, node.name.text, checker));
  }
  if (!ts.isIdentifier(node)) return undefined;
  const declaration = declarationOf(node, checker);
  if (declaration && ts.isBindingElement(declaration)) return requiredFunction(declaration, checker);
  return functionOfDeclaration(declaration);
}

/** The file of `const controller = require('./controller')`. */
function requiredFile(name: ts.Identifier, checker: ts.TypeChecker): ts.SourceFile | undefined {
  const [declaration] = checker.getSymbolAtLocation(name)?.declarations ?? [];
  return declaration && ts.isVariableDeclaration(declaration) ? fileOf(declaration.initializer, checker) : undefined;
}

/** `const { list } = require('./controller')`. */
function requiredFunction(element: ts.BindingElement, checker: ts.TypeChecker): Func | undefined {
  const variable = element.parent.parent;
  const file = ts.isVariableDeclaration(variable) ? fileOf(variable.initializer, checker) : undefined;
  const key = element.propertyName ?? element.name;
  return file && ts.isIdentifier(key) ? exportedFunction(file, key.text, checker) : undefined;
}

/** The file of `require('./controller')`. */
export function fileOf(node: ts.Expression | undefined, checker: ts.TypeChecker): ts.SourceFile | undefined {
  if (!node || !ts.isCallExpression(node) || node.expression.getText() !== 'require' || !node.arguments[0])
    return undefined;
  return checker.getSymbolAtLocation(node.arguments[0])?.declarations?.find(ts.isSourceFile);
}

/** `exports.list = …` and `module.exports = { list }`. */
function exportedFunction(file: ts.SourceFile, name: string, checker: ts.TypeChecker): Func | undefined {
  for (const statement of file.statements) {
    if (!ts.isExpressionStatement(statement) || !ts.isBinaryExpression(statement.expression)) continue;
    const { left, right } = statement.expression;
    if (/^(?:module\.)?exports\.(\w+)$/.exec(left.getText())?.[1] === name) return functionOf(right, checker);
    if (left.getText() !== 'module.exports' || !ts.isObjectLiteralExpression(right)) continue;
    const member = right.properties.find((one) => one.name?.getText() === name);
    if (member && ts.isPropertyAssignment(member)) return functionOf(member.initializer, checker);
    if (member && ts.isShorthandPropertyAssignment(member)) {
      const symbol = checker.getShorthandAssignmentValueSymbol(member);
      return functionOfDeclaration(symbol?.valueDeclaration);
    }
    return isFunc(member) ? member : undefined;
  }
  return undefined;
}

function functionOfDeclaration(declaration: ts.Declaration | undefined): Func | undefined {
  if (isFunc(declaration)) return declaration;
  const value =
    declaration && (ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration))
      ? declaration.initializer
      : undefined;
  const found = value && bare(value);
  return isFunc(found) ? found : undefined;
}

/** `module#export` of an expression: `express#default`, `express#default.Router`, `hono/cors#cors`. */
export function exportOf(given: ts.Expression, checker: ts.TypeChecker): string | undefined {
  const node = bare(given);
  if (ts.isPropertyAccessExpression(node)) {
    const left = exportOf(node.expression, checker);
    if (left === undefined) return undefined;
    return left.endsWith('#*') ? `${left.slice(0, -1)}${node.name.text}` : `${left}.${node.name.text}`;
  }
  if (!ts.isIdentifier(node)) return undefined;
  const [declaration] = checker.getSymbolAtLocation(node)?.declarations ?? [];
  if (declaration === undefined) return undefined;
  if (ts.isBindingElement(declaration)) {
    const list = declaration.parent.parent;
    const module = ts.isVariableDeclaration(list) ? requiredModule(list.initializer) : undefined;
    const key = declaration.propertyName ?? declaration.name;
    return module !== undefined && ts.isIdentifier(key) ? `${module}#${key.text}` : undefined;
  }
  if (ts.isVariableDeclaration(declaration)) {
    const { initializer } = declaration;
    const module = requiredModule(initializer);
    if (module !== undefined) return `${module}#default`;
    // `const { Router } = express;` and `const Router = express.Router;`
    const isAccess = initializer && ts.isPropertyAccessExpression(initializer);
    if (!isAccess) return undefined;
    const whole = requiredModule(initializer.expression);
    return whole === undefined ? exportOf(initializer, checker) : `${whole}#${initializer.name.text}`;
  }
  const module = literalText(ts.findAncestor(declaration, ts.isImportDeclaration)?.moduleSpecifier);
  if (module === undefined) return undefined;
  if (ts.isImportSpecifier(declaration)) return `${module}#${(declaration.propertyName ?? declaration.name).text}`;
  if (ts.isImportClause(declaration)) return `${module}#default`;
  return ts.isNamespaceImport(declaration) ? `${module}#*` : undefined;
}

function requiredModule(node: ts.Expression | undefined): string | undefined {
  if (!node || !ts.isCallExpression(node) || node.expression.getText() !== 'require') return undefined;
  return literalText(node.arguments[0]);
}
