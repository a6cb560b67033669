import ts from 'typescript';
import { literalText } from '../../rules/internal/rule.js';
import { middlewareOf } from './middlewares.js';
import type { Renderer, Step } from './renderer.js';
import { type Func, functionOf } from './roles.js';
import { type Application, elementsOf, SETTINGS, VERBS } from './service.js';

/** A registered handler of the old framework, and its outcome. */
export interface HandlerPlace {
  readonly node: ts.Node;
  /** `GET /orders/{id}`. */
  readonly name: string;
  readonly application: Application | undefined;
  readonly func: Func | undefined;
  /** True if the registration itself leaves a line. */
  isLeft: boolean;
}

/** The path pattern of the new framework, and a line for the user if it means something else. */
export function patternOf(path: string): { readonly pattern: string; readonly todo?: string } {
  let todo: string | undefined;
  const segments = path.split('/').map((segment, at, all) => {
    const isLast = at === all.length - 1;
    const [, name, rule, mark] = /^:([A-Za-z_]\w*)(\{[^}]*\}|\([^)]*\))?([?+*])?$/.exec(segment) ?? [];
    if (name !== undefined) {
      if (mark === '?') todo = `:${name}? is optional: register both paths with one handler`;
      if (rule !== undefined && rule !== '(.*)' && rule !== '{.+}') todo = `check the value of ${name} in the handler`;
      const isRest = mark === '+' || mark === '*' || rule === '(.*)' || rule === '{.+}';
      return isRest && isLast ? `{${name}+}` : `{${name}}`;
    }
    const [, splat] = /^\{?\*([A-Za-z_]\w*)?\}?$/.exec(segment) ?? [];
    if (isLast && /^\{?\*\w*\}?$/.test(segment)) return `{${splat ?? 'rest'}+}`;
    if (/[*():?]/.test(segment)) todo = `${segment} is not a segment of a pattern: see docs/routes.md of Sallyport`;
    return segment;
  });
  const pattern = segments.join('/') || '/';
  return todo === undefined ? { pattern } : { pattern, todo };
}

/** Calls of an application: routes, middlewares, hooks and routers. */
export function registrationStep(places: HandlerPlace[]): Step {
  return (node, renderer) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
    const { expression: receiver, name } = node.expression;
    const application = renderer.service.applicationOf(receiver);
    if (!application) return undefined;
    const method = name.text;
    if (application.unsafe !== undefined) {
      const [path] = node.arguments;
      if (!VERBS.includes(method) || !path || node.arguments.length < 2) return undefined;
      const text = `${method.toUpperCase()} ${literalText(path) ?? renderer.textOf(path)}`;
      places.push({ node, name: text, application, func: undefined, isLeft: true });
      return undefined;
    }
    if (VERBS.includes(method) && node.arguments.length > 1) {
      return `${renderer.render(receiver)}${route(node, method.toUpperCase(), application, renderer, places)}`;
    }
    if (method === 'use') return use(node, receiver, application, renderer);
    if (Object.hasOwn(application.framework.mounts, method)) return mount(node, receiver, application, renderer);
    if (Object.hasOwn(application.framework.hooks, method)) return gone(receiver, node, renderer);
    if (method === 'errorHandler') return gone(receiver, node, renderer);
    if (SETTINGS.includes(method)) return gone(receiver, node, renderer);
    if (method === 'all' || method === 'on') {
      const place = { node, name: `${method} ${literalText(node.arguments[0]) ?? ''}`, application, func: undefined };
      places.push({ ...place, isLeft: true });
      renderer.todo(
        node,
        `${method}(${renderer.textOf(node.arguments[0] ?? node)}): register each method with app.handle(method, path, handler, posture)`,
      );
    }
    return undefined;
  };
}

/** A call in a chain disappears, and so does its statement. */
function gone(receiver: ts.Expression, node: ts.CallExpression, renderer: Renderer): string {
  return ts.isExpressionStatement(node.parent) && ts.isIdentifier(receiver) ? '' : renderer.render(receiver);
}

/** `app.use(cors());` disappears as a whole. */
export const goneStatementStep: Step = (node, renderer) => {
  if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return undefined;
  const call = node.expression;
  if (!ts.isPropertyAccessExpression(call.expression)) return undefined;
  const application = renderer.service.applicationOf(call.expression.expression);
  if (!application || application.unsafe !== undefined) return undefined;
  const text = renderer.render(call);
  return text === '' ? '' : `${text};`;
};

function route(
  node: ts.CallExpression,
  verb: string,
  application: Application,
  renderer: Renderer,
  places: HandlerPlace[],
): string {
  const [path, ...rest] = node.arguments;
  const before = renderer.todos.length;
  const given = path && literalText(path);
  const { pattern, todo } =
    given === undefined ? { pattern: renderer.textOf(path ?? node), todo: undefined } : patternOf(given);
  if (todo !== undefined) renderer.todo(path ?? node, todo);
  const args = rest.flatMap(elementsOf);
  const handler = args.at(-1);
  const uses = [
    ...application.uses,
    ...args.slice(0, -1).flatMap((one) => middlewareOf(one, application, renderer).use ?? []),
  ];
  const { prefix } = application;
  const name = `${verb} ${prefix === '' || pattern !== '/' ? prefix + pattern : prefix}`;
  const posture = `${renderer.name('choosePosture')}('${name.replaceAll("'", "\\'")}')`;
  const own = application.framework.routeOptions;
  const members = [
    ...(own === '' ? [] : [own.slice(2, -2)]),
    ...(uses.length > 0 ? [`use: [${uses.join(', ')}]`] : []),
  ];
  const options = members.length > 0 ? `, { ${members.join(', ')} }` : '';
  const text = handler ? renderer.render(handler) : '';
  const func = handler && functionOf(handler, renderer.service.checker);
  if (handler && (!func || !renderer.service.functions.has(func))) {
    renderer.todo(
      handler,
      `${renderer.textOf(handler).split('\n', 1)[0]} is not a function of this service: write a handler (ctx) that returns an answer`,
    );
  }
  places.push({ node, name, application, func, isLeft: renderer.todos.length > before });
  const shown = given === undefined ? (path ? renderer.render(path) : '') : `'${pattern}'`;
  return `.${verb.toLowerCase()}(${shown}, ${text}, ${posture}${options})`;
}

function use(node: ts.CallExpression, receiver: ts.Expression, application: Application, renderer: Renderer): string {
  const [first] = node.arguments;
  const path = first && literalText(first);
  const args = (path === undefined ? node.arguments : node.arguments.slice(1)).flatMap(elementsOf);
  const routers = args.filter((one) => renderer.service.applicationOf(one) !== undefined);
  if (routers.length > 0) return mount(node, receiver, application, renderer);
  const isEverywhere = path === undefined || path === '*' || path === '/*' || path === '/';
  const texts: string[] = [];
  for (const argument of args) {
    const kind = renderer.service.useKind(argument, application.framework);
    if (kind !== 'middleware') continue;
    const { use: middleware = [] } = middlewareOf(argument, application, renderer);
    if (!isEverywhere && middleware.length > 0) {
      renderer.todo(node, `a middleware of ${path}: the option use of a group or of its routes`);
    }
    texts.push(...middleware);
  }
  if (application.kind === 'router') {
    application.uses.push(...texts);
    return gone(receiver, node, renderer);
  }
  const calls = texts.map((text) => `.use(${text})`).join('');
  return calls === '' ? gone(receiver, node, renderer) : `${renderer.render(receiver)}${calls}`;
}

/** `app.use('/users', users)` becomes a group. */
function mount(node: ts.CallExpression, receiver: ts.Expression, application: Application, renderer: Renderer): string {
  const { mounts } = application.framework;
  const method = (node.expression as ts.PropertyAccessExpression).name.text;
  const [first, second] = node.arguments;
  const isRouterFirst = mounts[method] === 'router first';
  const args = [...node.arguments];
  const router = args.find((one) => renderer.service.applicationOf(one) !== undefined);
  const given = isRouterFirst ? prefixOf(second) : first && literalText(first);
  const prefix = given === undefined || given === '' ? '/' : patternOf(given).pattern;
  if (!router) {
    renderer.todo(node, 'a router of another place: app.group(prefix, options, defineRoutes(…))');
    return renderer.renderChildren(node);
  }
  const part = renderer.service.applicationOf(router);
  if (part) part.prefix = application.prefix + (prefix === '/' ? '' : prefix);
  return `${renderer.render(receiver)}.group('${prefix}', {}, ${renderer.textOf(router)})`;
}

/** `{ prefix: '/users' }`. */
function prefixOf(options: ts.Expression | undefined): string | undefined {
  if (!options || !ts.isObjectLiteralExpression(options)) return undefined;
  const member = options.properties.find((one) => one.name?.getText() === 'prefix');
  return member && ts.isPropertyAssignment(member) ? literalText(member.initializer) : undefined;
}
