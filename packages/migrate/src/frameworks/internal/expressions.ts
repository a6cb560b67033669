import ts from 'typescript';
import { literalText } from '../../rules/internal/rule.js';
import { bare } from './pattern.js';
import type { Renderer, Step } from './renderer.js';
import { isFunc } from './roles.js';

/** Expressions that a rule of the framework matches. */
export const rewriteStep: Step = (node, renderer) => {
  if (!isPlainExpression(node) || isFunc(node)) return undefined;
  const found = renderer.match(node);
  if (!found) return undefined;
  const text = renderer.expand(found.rule.after, found.captures);
  return found.rule.isAnswer ? renderer.answer(text) : text;
};

/** `const { page, limit = '10' } = req.query;` */
export const bagStep: Step = (node, renderer) => {
  const { frame } = renderer;
  if (!frame || !ts.isVariableDeclaration(node) || !node.initializer || !ts.isObjectBindingPattern(node.name))
    return undefined;
  const path = renderer.pathOf(withoutDefault(node.initializer))?.join('.') ?? '';
  const { bags } = frame.known.framework;
  const bag = Object.hasOwn(bags, path) ? bags[path] : undefined;
  const { elements } = node.name;
  if (bag === undefined || elements.length === 0 || elements.some((one) => one.dotDotDotToken)) return undefined;
  const parts = elements.map((element) => {
    const key = element.propertyName ?? element.name;
    const name = ts.isIdentifier(key) ? key.text : (literalText(key) ?? '');
    const standard = element.initializer ? ` ?? ${renderer.render(element.initializer)}` : '';
    return `${renderer.textOf(element.name)} = ${bag.replace('$name', name)}${standard}`;
  });
  return parts.join(', ');
};

/** `event.queryStringParameters ?? {}`. */
function withoutDefault(node: ts.Expression): ts.Expression {
  const inner = bare(node);
  const isDefault =
    ts.isBinaryExpression(inner) &&
    (inner.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken ||
      inner.operatorToken.kind === ts.SyntaxKind.BarBarToken) &&
    ts.isObjectLiteralExpression(bare(inner.right));
  return isDefault ? inner.left : inner;
}

/** `const { params, query } = req;` disappears: its variables are rewritten where they are used. */
export const vanishedStep: Step = (node, renderer) => {
  const { frame } = renderer;
  if (!frame || !ts.isVariableStatement(node)) return undefined;
  const { declarations } = node.declarationList;
  return declarations.every((one) => frame.known.roles.vanished.has(one)) ? '' : undefined;
};

/** `res.locals.user = x`, `req.user = x`. */
export const assignmentStep: Step = (node, renderer) => {
  if (!renderer.frame || !ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken)
    return undefined;
  const path = renderer.pathOf(node.left);
  const [root, name, last] = path ?? [];
  const key = path?.length === 2 && root === 'req' ? name : path?.length === 3 && name === 'locals' ? last : undefined;
  return key === undefined ? undefined : `ctx.set('${key}', ${renderer.render(node.right)})`;
};

/** A body of JSON that the handler parses itself: `JSON.parse(event.body ?? '{}')`. */
export const parsedBodyStep: Step = (node, renderer) => {
  if (!renderer.frame || !ts.isCallExpression(node) || renderer.textOf(node.expression) !== 'JSON.parse')
    return undefined;
  const [argument] = node.arguments;
  if (!argument) return undefined;
  const inner = bare(argument);
  const value = ts.isBinaryExpression(inner) ? inner.left : ts.isAsExpression(inner) ? inner.expression : inner;
  if (renderer.pathOf(value)?.join('.') !== 'event.body') return undefined;
  return `ctx.bodyJson${renderer.isTyped ? '<any>' : ''}()`;
};

/** An expression that no rule has matched leaves a line. */
export const unknownStep: Step = (node, renderer) => {
  const { frame } = renderer;
  if (!frame || !isPlainExpression(node)) return undefined;
  const path = renderer.pathOf(node);
  if (path === undefined || path[0] === 'err' || hasKnownPart(node, renderer)) return undefined;
  const { todos, name } = frame.known.framework;
  for (let length = path.length; length > 0; length -= 1) {
    const known = path.slice(0, length).join('.');
    if (Object.hasOwn(todos, known)) {
      renderer.todo(node, `${renderer.textOf(node).split('\n', 1)[0]}: ${todos[known]}`);
      return renderer.textOf(node);
    }
  }
  renderer.todo(
    node,
    `${renderer.textOf(node).split('\n', 1)[0]}: no rule of ${name}, see docs/migrating.md of Sallyport`,
  );
  return renderer.textOf(node);
};

/** True if the left part of a path has a rule: `req.body` of `req.body.name`. */
function hasKnownPart(given: ts.Expression, renderer: Renderer): boolean {
  const node = bare(given);
  if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return false;
  return renderer.match(node.expression) !== undefined || hasKnownPart(node.expression, renderer);
}

function isPlainExpression(node: ts.Node): node is ts.Expression {
  if (!ts.isExpression(node)) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (ts.isBindingElement(parent) && (parent.propertyName === node || parent.name === node)) return false;
  return (
    !(ts.isVariableDeclaration(parent) && parent.name === node) && !(ts.isParameter(parent) && parent.name === node)
  );
}

/** `{ id }` of a variable that is rewritten: `{ id: ctx.param('id') }`. */
export const shorthandStep: Step = (node, renderer) => {
  if (!renderer.frame || !ts.isShorthandPropertyAssignment(node)) return undefined;
  if (!renderer.pathOf(node.name)) return undefined;
  return `${node.name.text}: ${renderer.render(node.name)}`;
};

/** Answers of API Gateway: `{ statusCode: 201, body: JSON.stringify(x) }`. */
export const proxyResultStep: Step = (node, renderer) => {
  if (!ts.isObjectLiteralExpression(node) || !renderer.service.hasProxyResults(renderer.source)) return undefined;
  const member = (name: string) => node.properties.find((one) => one.name?.getText() === name);
  const status = member('statusCode');
  if (!status) return undefined;
  const code = valueText(status, renderer);
  const body = member('body');
  const kind = renderer.frame?.known.kind;
  // The value of an error handler of Powertools is the body, with the status as a member.
  if (!body && renderer.frame?.known.framework.returnsValues && (kind === 'errorHandler' || kind === 'notFound')) {
    return `${renderer.name('json')}(${code}, ${renderer.renderChildren(node)})`;
  }
  const value = body && ts.isPropertyAssignment(body) ? bare(body.initializer) : undefined;
  const isJson = value && ts.isCallExpression(value) && renderer.textOf(value.expression) === 'JSON.stringify';
  const [argument] = isJson ? value.arguments : [];
  const isWhole = node.properties.every((one) => ['statusCode', 'body'].includes(one.name?.getText() ?? ''));
  const isEmpty = !body || (value !== undefined && literalText(value) === '');
  if (isWhole && isEmpty) return code === '204' ? `${renderer.name('noContent')}()` : `{ status: ${code} }`;
  if (argument && isWhole) return `${renderer.name('json')}(${code}, ${renderer.render(argument)})`;
  const headers = member('headers');
  const isPlain = node.properties.every((one) => ['statusCode', 'body', 'headers'].includes(one.name?.getText() ?? ''));
  if (argument && isPlain && headers) {
    renderer.helpers.add('withHeaders');
    const answer = `${renderer.name('json')}(${code}, ${renderer.render(argument)})`;
    return `withHeaders(${answer}, ${valueText(headers, renderer)})`;
  }
  const names: Readonly<Record<string, string>> = { statusCode: 'status', isBase64Encoded: 'isBase64' };
  const members = node.properties.map((one) => {
    const name = one.name?.getText() ?? '';
    const renamed = Object.hasOwn(names, name) ? names[name] : undefined;
    return renamed === undefined ? renderer.render(one) : `${renamed}: ${valueText(one, renderer)}`;
  });
  return `{ ${members.join(', ')} }`;
};

function valueText(property: ts.ObjectLiteralElementLike, renderer: Renderer): string {
  if (ts.isPropertyAssignment(property)) return renderer.render(property.initializer);
  return ts.isShorthandPropertyAssignment(property) ? renderer.render(property.name) : renderer.render(property);
}

const RESULT_TYPES = /^(?:APIGatewayProxy(?:Structured)?Result(?:V2)?|ALBResult|LambdaFunctionURLResult)$/;

/** The types of API Gateway's answers. */
export const resultTypeStep: Step = (node, renderer) => {
  if (!ts.isTypeReferenceNode(node) || !RESULT_TYPES.test(renderer.textOf(node.typeName))) return undefined;
  return renderer.service.hasProxyResults(renderer.source) ? renderer.name('ResponseInput') : undefined;
};

/** Powertools: the value that a handler returns becomes JSON. */
export const valueStep: Step = (node, renderer) => {
  const { frame } = renderer;
  if (!frame?.known.framework.returnsValues || frame.known.kind === 'middleware' || renderer.isInner(node))
    return undefined;
  const isBody = ts.isExpression(node) && ts.isArrowFunction(node.parent) && node.parent.body === node;
  if (isBody && node.parent === frame.func) return wrapped(node, renderer);
  if (!ts.isReturnStatement(node) || !node.expression) return undefined;
  return ts.findAncestor(node, isFunc) === frame.func ? `return ${wrapped(node.expression, renderer)};` : undefined;
};

function wrapped(node: ts.Expression, renderer: Renderer): string {
  const value = bare(node);
  const text = renderer.renderInner(value);
  const isAnswer =
    (ts.isObjectLiteralExpression(value) && value.properties.some((one) => one.name?.getText() === 'statusCode')) ||
    (ts.isNewExpression(value) && renderer.textOf(value.expression) === 'Response') ||
    /^Response\.(?:json|redirect)\(/.test(text);
  if (isAnswer) return renderer.answer(text);
  const isMade =
    ts.isObjectLiteralExpression(value) || ts.isArrayLiteralExpression(value) || ts.isAwaitExpression(value);
  const awaited =
    renderer.frame?.isAsync === true && !isMade && !ts.isStringLiteralLike(value) ? `await ${text}` : text;
  return renderer.answer(`${renderer.name('json')}(200, ${awaited})`);
}
