import ts from 'typescript';
import { literalText } from '../../rules/internal/rule.js';
import { containerText } from './applications.js';
import { middlewareOf } from './middlewares.js';
import { MIDDY } from './middy.js';
import { bare } from './pattern.js';
import { type HandlerPlace, patternOf } from './registrations.js';
import type { Renderer, Step } from './renderer.js';
import { exportOf, type Func, functionOf, isFunc } from './roles.js';
import type { Service } from './service.js';

/** A chain of Middy: its middlewares, and its handler. */
interface MiddyChain {
  readonly uses: readonly ts.Expression[];
  readonly handler: ts.Expression;
}

/** Reads `middy(handler).use(a).use([b])` and `middy().use(a).handler(handler)`. */
function chainOf(given: ts.Expression, checker: ts.TypeChecker): MiddyChain | undefined {
  const uses: ts.Expression[] = [];
  let handler: ts.Expression | undefined;
  let node = bare(given);
  while (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    const [first] = node.arguments;
    if (name.text === 'use' && first) uses.unshift(...(ts.isArrayLiteralExpression(first) ? first.elements : [first]));
    else if (name.text === 'handler' && first) handler = first;
    else return undefined;
    node = bare(expression);
  }
  if (!ts.isCallExpression(node)) return undefined;
  const name = exportOf(node.expression, checker);
  if (name !== '@middy/core#default' && name !== '@middy/core#middy') return undefined;
  handler ??= node.arguments[0];
  return handler && { uses, handler };
}

/** One route of a chain. */
interface MiddyRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: ts.Expression;
  readonly node: ts.Node;
}

/** The routes of `httpRouterHandler([…])`, even if the list is a constant. */
function routesOf(handler: ts.Expression, checker: ts.TypeChecker): readonly MiddyRoute[] | undefined {
  const node = bare(handler);
  if (!ts.isCallExpression(node) || exportOf(node.expression, checker) !== '@middy/http-router#default')
    return undefined;
  const [first] = node.arguments;
  const given = first && ts.isObjectLiteralExpression(first) ? memberOf(first, 'routes') : first;
  const list = given && (ts.isIdentifier(given) ? constantOf(given, checker)?.initializer : given);
  const elements = list && withoutType(list);
  if (!elements || !ts.isArrayLiteralExpression(elements)) return undefined;
  return elements.elements.flatMap((element) => {
    if (!ts.isObjectLiteralExpression(element)) return [];
    const [method, path] = [constantText(memberOf(element, 'method')), constantText(memberOf(element, 'path'))];
    const own = memberOf(element, 'handler');
    return method !== undefined && path !== undefined && own ? [{ method, path, handler: own, node: element }] : [];
  });
}

function withoutType(node: ts.Expression): ts.Expression {
  const inner = bare(node);
  return ts.isAsExpression(inner) || ts.isSatisfiesExpression(inner) ? withoutType(inner.expression) : inner;
}

/** `'GET' as const`. */
function constantText(node: ts.Expression | undefined): string | undefined {
  return node && literalText(withoutType(node));
}

function constantOf(name: ts.Identifier, checker: ts.TypeChecker): ts.VariableDeclaration | undefined {
  const declaration = checker.getSymbolAtLocation(name)?.valueDeclaration;
  return declaration && ts.isVariableDeclaration(declaration) ? declaration : undefined;
}

function memberOf(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const member = node.properties.find((one) => one.name?.getText() === name);
  if (member && ts.isPropertyAssignment(member)) return member.initializer;
  return member && ts.isShorthandPropertyAssignment(member) ? member.name : undefined;
}

/** Records the functions that a chain runs. They can be in another file. */
export function readChain(node: ts.Node, service: Service, deployment: Deployment): void {
  if (!ts.isCallExpression(node)) return;
  const chain = chainOf(node, service.checker);
  if (!chain || isInner(node, service.checker) || queueFunc(chain, service)) return;
  const routes = routesOf(chain.handler, service.checker);
  // Without a route the chain is left unchanged.
  if (!routes && !deployment.get(keyOf(node, node.getSourceFile()))?.routes.length) return;
  for (const handler of routes?.map((route) => route.handler) ?? [chain.handler]) {
    const inner = chainOf(resolve(handler, service.checker), service.checker)?.handler ?? handler;
    const func = functionOf(inner, service.checker);
    if (func) service.know(func, MIDDY, 'handler');
  }
}

/** A part of a longer chain. */
function isInner(node: ts.CallExpression, checker: ts.TypeChecker): boolean {
  const { parent } = node;
  return (
    ts.isPropertyAccessExpression(parent) &&
    ts.isCallExpression(parent.parent) &&
    chainOf(parent.parent, checker) !== undefined
  );
}

function resolve(node: ts.Expression, checker: ts.TypeChecker): ts.Expression {
  const constant = ts.isIdentifier(node) ? constantOf(node, checker) : undefined;
  return constant?.initializer ?? node;
}

/** The function of one record, of a handler that returns `Promise.allSettled(event.Records.map(…))`. */
function queueFunc({ uses, handler }: MiddyChain, { checker }: Service): Func | undefined {
  const isBatch = uses.some((use) => {
    const node = bare(use);
    return (
      ts.isCallExpression(node) && exportOf(node.expression, checker) === '@middy/sqs-partial-batch-failure#default'
    );
  });
  const func = isBatch ? functionOf(handler, checker) : undefined;
  const [event] = func?.parameters ?? [];
  if (!func?.body || !event) return undefined;
  let found: Func | undefined;
  const visit = (node: ts.Node): void => {
    const isMap =
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'map';
    const [first] = isMap ? node.arguments : [];
    if (first && isMap && /\bRecords$/.test(node.expression.expression.getText())) found ??= functionOf(first, checker);
    ts.forEachChild(node, visit);
  };
  visit(func.body);
  const isWhole = !ts.isBlock(func.body) || func.body.statements.length <= 2;
  return isWhole ? found : undefined;
}

/** The routes and queues of a function in the template of the deployment, by `src/create.handler`. */
export type Deployment = ReadonlyMap<
  string,
  { readonly routes: readonly string[]; readonly queues: readonly string[] }
>;

/** A chain becomes a separate container. */
export function chainStep(places: HandlerPlace[], deployment: Deployment): Step {
  return (node, renderer) => {
    const { checker } = renderer.service;
    if (ts.isVariableStatement(node)) return vanished(node, renderer);
    if (!ts.isCallExpression(node) || isInner(node, checker)) return undefined;
    const chain = chainOf(node, checker);
    if (!chain) return undefined;
    const record = queueFunc(chain, renderer.service);
    const exported = deployment.get(keyOf(node, renderer.source));
    const routes = routesOf(chain.handler, checker) ?? plannedRoutes(chain, node, exported?.routes ?? []);
    if (!record && routes.length === 0) {
      renderer.todo(
        node,
        'the method and the path of this function are in its deployment: app.post(path, handler, posture)',
      );
      places.push({ node, name: keyOf(node, renderer.source), application: undefined, func: undefined, isLeft: true });
      return renderer.textOf(node);
    }
    const options = new Map<string, string>();
    const before = renderer.todos.length;
    const uses = chain.uses.flatMap((use) => middlewareOf(use, { framework: MIDDY, options }, renderer).use ?? []);
    const isLeft = renderer.todos.length > before;
    if (record) return queueText(node, record, exported?.queues[0], places, renderer);
    const lines = routes.map((route) => routeText(route, options, places, isLeft, renderer));
    const indent = `\n${renderer.indentOf(node)}  `;
    const container = containerText({ framework: MIDDY, options }, renderer);
    const calls = [...uses.map((use) => `.use(${use})`), ...lines].map((line) => indent + line).join('');
    return `${container}${calls}${indent}.handleLambda`;
  };
}

function plannedRoutes({ handler }: MiddyChain, node: ts.Node, routes: readonly string[]): readonly MiddyRoute[] {
  return routes.map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { method: method.toUpperCase(), path, handler, node };
  });
}

function routeText(
  { method, path, handler, node }: MiddyRoute,
  options: Map<string, string>,
  places: HandlerPlace[],
  isChainLeft: boolean,
  renderer: Renderer,
): string {
  const { checker } = renderer.service;
  const before = renderer.todos.length;
  const own = chainOf(resolve(handler, checker), checker);
  const uses = own?.uses.flatMap((use) => middlewareOf(use, { framework: MIDDY, options }, renderer).use ?? []) ?? [];
  const inner = own?.handler ?? handler;
  const { pattern, todo } = patternOf(path);
  if (todo !== undefined) renderer.todo(node, todo);
  const name = `${method} ${pattern}`;
  const func = functionOf(inner, checker);
  const text = renderer.render(inner);
  places.push({ node, name, application: undefined, func, isLeft: isChainLeft || renderer.todos.length > before });
  const use = uses.length > 0 ? `, use: [${uses.join(', ')}]` : '';
  return `.${method.toLowerCase()}('${pattern}', ${text}, ${renderer.name('choosePosture')}('${name}'), { trailingSlash: true${use} })`;
}

function queueText(
  node: ts.CallExpression,
  record: Func,
  queue: string | undefined,
  places: HandlerPlace[],
  renderer: Renderer,
): string {
  if (queue === undefined) renderer.todo(node, "write the queue's name in place of 'queue': the last part of its ARN");
  const name = queue ?? 'queue';
  places.push({ node, name: `queue ${name}`, application: undefined, func: undefined, isLeft: queue === undefined });
  const [first] = record.parameters;
  const parameter = first ? renderer.textOf(first.name) : 'record';
  const async = ts.getModifiers(record)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ? 'async ' : '';
  const body = record.body ? renderer.textOf(record.body) : '{}';
  return `new ${renderer.name('SecureApp')}().queue('${name}', ${async}(_ctx, ${parameter}) => ${body}).handleLambda`;
}

/** The handler and the routes of a chain that are constants and are used only by it. */
function vanished(node: ts.VariableStatement, renderer: Renderer): string | undefined {
  const [one, ...rest] = node.declarationList.declarations;
  if (!one?.initializer || rest.length > 0 || !ts.isIdentifier(one.name)) return undefined;
  const value = withoutType(one.initializer);
  const isList = ts.isArrayLiteralExpression(value);
  const isBatch = isFunc(value) && /\bRecords\b/.test(value.getText());
  const isChain = ts.isCallExpression(value) && chainOf(value, renderer.service.checker) !== undefined;
  if (!isList && !isBatch && !isChain) return undefined;
  const uses: ts.Identifier[] = [];
  const visit = (found: ts.Node): void => {
    if (ts.isIdentifier(found) && found.text === one.name.getText() && found !== one.name) uses.push(found);
    ts.forEachChild(found, visit);
  };
  visit(renderer.source);
  const { checker } = renderer.service;
  const isConsumed = (use: ts.Identifier): boolean => {
    const call = use.parent;
    if (isList) return ts.isCallExpression(call) && exportOf(call.expression, checker) === '@middy/http-router#default';
    const member = ts.isPropertyAssignment(call) && call.name.getText() === 'handler';
    if (isChain) return member;
    let chain: MiddyChain | undefined;
    for (let up: ts.Node = use.parent; !ts.isStatement(up); up = up.parent) {
      if (ts.isCallExpression(up)) chain = chainOf(up, checker) ?? chain;
    }
    return chain !== undefined && queueFunc(chain, renderer.service) !== undefined;
  };
  return uses.length > 0 && uses.every(isConsumed) ? '' : undefined;
}

/** `src/create.handler` of `export const handler = …` in `src/create.ts`. */
export function keyOf(node: ts.Node, source: ts.SourceFile): string {
  const variable = ts.findAncestor(node, ts.isVariableDeclaration);
  const assigned = ts.findAncestor(node, ts.isBinaryExpression);
  const name = variable?.name.getText() ?? assigned?.left.getText().replace(/^(?:module\.)?exports\./, '') ?? 'handler';
  return `${source.fileName.replace(/^\/service\//, '').replace(/\.[cm]?[jt]sx?$/, '')}.${name}`;
}
