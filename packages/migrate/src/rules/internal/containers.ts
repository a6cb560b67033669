import ts from 'typescript';
import { literalText } from './rule.js';

/** A container or a group on which handlers are registered. */
export interface ContainerUse {
  /** `open` and `secure` by the creating call, `group` inside `group(…)`, `typed` if only its type is known. */
  readonly kind: 'open' | 'secure' | 'group' | 'typed';
  /** The call or `new` that creates the container (for a group, its container); for a typed container, its declaration. */
  readonly origin: ts.Node;
  /** The prefixes of the enclosing groups, if they are literals. */
  readonly prefix: string;
}

const OPEN_MODULE = '@sallyport/dispatch/app';
const SECURE_MODULE = '@sallyport/secure';

/** Methods that return their receiver. */
const CHAINABLE = new Set([
  ...['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'handle', 'getStrict', 'handleStrict', 'group'],
  ...['use', 'useEvents', 'queue', 'tableStream', 'kinesis', 'topic', 'eventBus'],
  ...['webSocket', 'appSyncField', 'appSyncBatchField'],
]);

/** The module and name from which an identifier is imported. */
export function importOf(
  name: ts.Node,
  checker: ts.TypeChecker,
): { readonly module: string; readonly name: string; readonly declaration: ts.Node } | undefined {
  if (!ts.isIdentifier(name)) return undefined;
  const declaration = checker.getSymbolAtLocation(name)?.declarations?.[0];
  if (declaration === undefined) return undefined;
  if (ts.isBindingElement(declaration)) return requiredName(declaration);
  if (!ts.isImportSpecifier(declaration)) return undefined;
  const module = literalText(ts.findAncestor(declaration, ts.isImportDeclaration)?.moduleSpecifier);
  return module === undefined
    ? undefined
    : { module, name: (declaration.propertyName ?? declaration.name).text, declaration };
}

/** `const { createApp } = require('…')`. */
function requiredName(declaration: ts.BindingElement): ReturnType<typeof importOf> {
  const value = ts.isVariableDeclaration(declaration.parent.parent) ? declaration.parent.parent.initializer : undefined;
  if (!value || !ts.isCallExpression(value) || value.expression.getText() !== 'require') return undefined;
  const module = literalText(value.arguments[0]);
  const key = declaration.propertyName ?? declaration.name;
  return module !== undefined && ts.isIdentifier(key) ? { module, name: key.text, declaration } : undefined;
}

/** True if an expression makes the open container. */
export function makesOpen(node: ts.Node, checker: ts.TypeChecker): node is ts.CallExpression | ts.NewExpression {
  const [wanted, callee] = ts.isCallExpression(node)
    ? ['createApp', node.expression]
    : ts.isNewExpression(node)
      ? ['App', node.expression]
      : ['', undefined];
  const found = callee && importOf(callee, checker);
  return found?.module === OPEN_MODULE && found.name === wanted;
}

/** Finds the container of an expression, through constants, chains of registrations, imports within the service and groups. */
export function containerOf(node: ts.Expression, checker: ts.TypeChecker): ContainerUse | undefined {
  const expression = withoutBrackets(node);
  if (makesOpen(expression, checker)) return { kind: 'open', origin: expression, prefix: '' };
  if (ts.isNewExpression(expression)) {
    const found = importOf(expression.expression, checker);
    const isSecure = found?.module === SECURE_MODULE && found.name === 'SecureApp';
    return isSecure ? { kind: 'secure', origin: expression, prefix: '' } : undefined;
  }
  if (ts.isCallExpression(expression) && ts.isPropertyAccessExpression(expression.expression)) {
    const { expression: receiver, name } = expression.expression;
    return CHAINABLE.has(name.text) ? containerOf(receiver, checker) : undefined;
  }
  return ts.isIdentifier(expression) ? containerNamed(expression, checker) : undefined;
}

function withoutBrackets(node: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node);
  return isWrapped ? withoutBrackets(node.expression) : node;
}

function containerNamed(name: ts.Identifier, checker: ts.TypeChecker): ContainerUse | undefined {
  const declaration = declarationOf(name, checker);
  if (declaration === undefined) return undefined;
  if (ts.isParameter(declaration)) return groupOf(declaration, checker) ?? typedContainer(declaration, checker);
  if (ts.isExportAssignment(declaration)) return containerOf(declaration.expression, checker);
  if (!ts.isVariableDeclaration(declaration)) return undefined;
  const isConstant = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  const made = isConstant && declaration.initializer ? containerOf(declaration.initializer, checker) : undefined;
  return made ?? typedContainer(declaration, checker);
}

/** The declaration of a name, even in another file of the service. */
export function declarationOf(name: ts.Identifier, checker: ts.TypeChecker): ts.Declaration | undefined {
  let symbol = ts.isShorthandPropertyAssignment(name.parent)
    ? checker.getShorthandAssignmentValueSymbol(name.parent)
    : checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol?.valueDeclaration ?? symbol?.declarations?.[0];
}

/** `(routes) => …` of `app.group('/orders', {}, (routes) => …)`. */
function groupOf(parameter: ts.ParameterDeclaration, checker: ts.TypeChecker): ContainerUse | undefined {
  const { parent: define } = parameter;
  const call = define.parent;
  const isDefine =
    (ts.isArrowFunction(define) || ts.isFunctionExpression(define)) && define.parameters[0] === parameter;
  if (!isDefine || !ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return undefined;
  if (call.expression.name.text !== 'group' || call.arguments[2] !== define) return undefined;
  const around = containerOf(call.expression.expression, checker);
  const prefix = literalText(call.arguments[0]) ?? '';
  return around && { ...around, kind: 'group', prefix: around.prefix + (prefix === '/' ? '' : prefix) };
}

/** A name that only its type annotation identifies as a container. */
function typedContainer(
  declaration: ts.VariableDeclaration | ts.ParameterDeclaration,
  checker: ts.TypeChecker,
): ContainerUse | undefined {
  const { type } = declaration;
  if (!type || !ts.isTypeReferenceNode(type)) return undefined;
  const found = importOf(type.typeName, checker);
  const isOurs = `${found?.module}#${found?.name}`;
  const known = [
    `${OPEN_MODULE}#App`,
    `${SECURE_MODULE}#SecureApp`,
    '@sallyport/http#HttpRouter',
    '@sallyport/http#RouteGroup',
  ];
  return known.includes(isOurs) ? { kind: 'typed', origin: declaration, prefix: '' } : undefined;
}
