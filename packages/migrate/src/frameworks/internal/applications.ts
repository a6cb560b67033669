import ts from 'typescript';
import { HONO } from './hono.js';
import type { Renderer, Step } from './renderer.js';
import { exportOf, isFunc } from './roles.js';
import { type Application, VERBS } from './service.js';

/** `express()`, `new Hono()` and `new Router()` become the container. */
export const makerStep: Step = (node, renderer) => {
  const application =
    ts.isCallExpression(node) || ts.isNewExpression(node) ? renderer.service.applications.get(node) : undefined;
  if (!application || application.unsafe !== undefined || application.kind === 'router') return undefined;
  return containerText(application, renderer);
};

/** `new SecureApp({ … })` with the preset and the options that middlewares became. */
export function containerText(
  { framework, options }: Pick<Application, 'framework' | 'options'>,
  renderer: Renderer,
): string {
  const preset = renderer.name(framework.preset);
  const hooks = [...options].filter(([name]) => name.startsWith('error:') || name === 'onError');
  const members = [`...${preset}`];
  for (const [name, value] of options) if (!hooks.some(([hook]) => hook === name)) members.push(`${name}: ${value}`);
  if (hooks.length > 0) members.push(errorHook(framework.presetAnswers, preset, hooks, renderer));
  return `new ${renderer.name('SecureApp')}({ ${members.join(', ')} })`;
}

/** The service's own error handlers answer its own errors; those of the framework have the preset's answers. */
function errorHook(
  condition: string,
  preset: string,
  hooks: readonly (readonly [string, string])[],
  renderer: Renderer,
): string {
  if (condition.includes('isFrameworkError')) renderer.name('isFrameworkError');
  const own = hooks.reduceRight((rest, [name, value]) => {
    const call = `${/^[\w.]+$/.test(value) ? value : `(${value})`}(ctx, err)`;
    const [, type] = name.split(':');
    return type === undefined || type === 'Error' ? call : `err instanceof ${type} ? ${call} : ${rest}`;
  }, `${preset}.onError(ctx, err)`);
  const types = renderer.isTyped ? { err: ': any' } : { err: '' };
  const head =
    hooks.some(([name]) => name === 'onError' || name === 'error:Error') || condition === 'ctx.route === null';
  const text = head ? `${condition} ? ${preset}.onError(ctx, err) : ${own}` : own;
  return `onError: (ctx, err${types.err}) => (${text})`;
}

/** Hooks are recorded as options; their calls disappear. */
export const hookStep: Step = (node, renderer) => {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression } = node.expression;
  const application = renderer.service.applicationOf(expression);
  if (!application || application.unsafe !== undefined) return undefined;
  const { framework, options } = application;
  const hook = Object.hasOwn(framework.hooks, name.text) ? framework.hooks[name.text] : undefined;
  const [first, second] = node.arguments;
  if (hook !== undefined && first) options.set(hook, renderer.render(first));
  if (name.text === 'errorHandler' && first && second) {
    const classes = ts.isArrayLiteralExpression(first) ? [...first.elements] : [first];
    for (const one of classes) options.set(`error:${renderer.textOf(one)}`, renderer.render(second));
  }
  if (name.text === 'use') {
    for (const argument of node.arguments) {
      const kind = renderer.service.useKind(argument, framework);
      if (kind === 'errorHandler') options.set('onError', renderer.render(argument));
      if (kind === 'notFound') options.set('notFound', renderer.render(argument));
    }
  }
  return undefined;
};

/** `serverless(app)` and `handle(app)`. */
export const adapterStep: Step = (node, renderer) => {
  if (!ts.isCallExpression(node)) return undefined;
  const name = exportOf(node.expression, renderer.service.checker) ?? '';
  const [first] = node.arguments;
  const application = first && renderer.service.applicationOf(first);
  if (!first || !application || application.unsafe !== undefined) return undefined;
  return application.framework.adapters.includes(name) ? `${renderer.render(first)}.handleLambda` : undefined;
};

/** `(event, context) => app.resolve(event, context)`. */
export const resolverStep: Step = (node, renderer) => {
  if (ts.isFunctionDeclaration(node) && node.name && resolvedBy(node, renderer)) {
    const modifiers = (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      ? 'export '
      : '';
    return `${modifiers}const ${node.name.text} = ${resolvedBy(node, renderer)}.handleLambda;`;
  }
  if (ts.isCallExpression(node)) return resolvedCall(node, renderer);
  if (!ts.isExpression(node) || !isFunc(node)) return undefined;
  const resolved = resolvedBy(node, renderer);
  return resolved === undefined ? undefined : `${resolved}.handleLambda`;
};

/** `app.resolve(event, context)` in a method, whose decorators are kept, or in a function that does more. */
function resolvedCall(node: ts.CallExpression, renderer: Renderer): string | undefined {
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  const application = renderer.service.applicationOf(expression);
  if (!application || application.unsafe !== undefined) return undefined;
  if (name.text === 'resolveStream')
    renderer.todo(node, 'resolveStream: export createLambdaFunctionURLStreamingHandler(app) of @sallyport/http');
  if (!application.framework.resolvers.includes(name.text)) return undefined;
  const given = node.arguments.slice(0, 2).map((argument) => renderer.render(argument));
  return `${renderer.render(expression)}.handleLambda(${given.join(', ')})`;
}

function resolvedBy(func: ts.Node, renderer: Renderer): string | undefined {
  if (!isFunc(func) || !func.body) return undefined;
  let value: ts.Expression | undefined = ts.isBlock(func.body) ? undefined : func.body;
  if (ts.isBlock(func.body)) {
    const last = func.body.statements.at(-1);
    if (func.body.statements.length === 1 && last && ts.isReturnStatement(last)) value = last.expression;
  }
  while (value && (ts.isAwaitExpression(value) || ts.isAsExpression(value))) value = value.expression;
  if (!value || !ts.isCallExpression(value) || !ts.isPropertyAccessExpression(value.expression)) return undefined;
  const { expression, name } = value.expression;
  const application = renderer.service.applicationOf(expression);
  const isResolver = application?.framework.resolvers.includes(name.text) && application.unsafe === undefined;
  return isResolver ? renderer.textOf(expression) : undefined;
}

/** The statement that makes the Lambda handler of an application that is not rewritten. */
export const unsafeStep: Step = (node, renderer) => {
  if (!ts.isVariableStatement(node) && !ts.isExpressionStatement(node) && !ts.isExportAssignment(node))
    return undefined;
  const found = adapted(node, renderer);
  if (!found) return undefined;
  const { call, argument, application } = found;
  const reason = application.unsafe ?? '';
  const { framework } = application;
  if (framework !== HONO) {
    renderer.todo(node, `${reason}: keep this application in a separate function, and move its routes step by step`);
    return renderer.textOf(node);
  }
  const mounted = renderer.textOf(argument);
  const lines = [
    `const mounted = new ${renderer.name('SecureApp')}();`,
    `// The application of ${framework.name} is mounted unchanged: ${reason.replaceAll(/\s+/g, ' ')}.`,
    `${renderer.name('mountHandler')}(mounted, '/{rest+}', { fetch: (request) => ${mounted}.fetch(request) }, { posture: ${renderer.name('choosePosture')}('/{rest+}') });`,
  ];
  const text = renderer.textOf(node);
  const start = call.getStart(renderer.source) - node.getStart(renderer.source);
  const made = `${text.slice(0, start)}mounted.handleLambda${text.slice(start + renderer.textOf(call).length)}`;
  return `${lines.join('\n')}\n${made}`;
};

function adapted(node: ts.Node, renderer: Renderer) {
  let found: { call: ts.CallExpression; argument: ts.Expression; application: Application } | undefined;
  const visit = (one: ts.Node): void => {
    if (ts.isCallExpression(one)) {
      const [first] = one.arguments;
      const name = exportOf(one.expression, renderer.service.checker) ?? '';
      const isResolve = ts.isPropertyAccessExpression(one.expression) && one.expression.name.text === 'resolve';
      const value = isResolve && ts.isPropertyAccessExpression(one.expression) ? one.expression.expression : first;
      const application = value && renderer.service.applicationOf(value);
      const isAdapter = application && (application.framework.adapters.includes(name) || isResolve);
      if (value && application?.unsafe !== undefined && isAdapter) found = { call: one, argument: value, application };
    }
    ts.forEachChild(one, visit);
  };
  visit(node);
  return found;
}

/** A separate router becomes `defineRoutes`: its first and last registration are the ends of the function. */
export const routerStep: Step = (node, renderer) => {
  if (ts.isVariableStatement(node)) {
    const [one] = node.declarationList.declarations;
    const made = one?.initializer && renderer.service.applications.get(one.initializer);
    const isRouter = made?.kind === 'router' && made.unsafe === undefined;
    return isRouter && node.declarationList.declarations.length === 1 ? '' : undefined;
  }
  if (!ts.isExpressionStatement(node) || renderer.isInner(node)) return undefined;
  if (!(ts.isSourceFile(node.parent) || ts.isBlock(node.parent))) return undefined;
  const router = routerOf(node, renderer);
  if (!router) return undefined;
  const calls = node.parent.statements.filter(
    (one) => ts.isExpressionStatement(one) && routerOf(one, renderer) === router,
  );
  const written = calls.filter((one) => isRoute(one));
  const text = renderer.renderInner(node);
  if (written.length === 0) return text;
  const name = nameOf(router, renderer);
  const types = renderer.isTyped ? `<${renderer.name('StatedPosture')}>` : '';
  const isExported = router.maker.parent.parent.parent.getText().startsWith('export ');
  const open = `${isExported ? 'export ' : ''}const ${name} = ${renderer.name('defineRoutes')}${types}((${name}) => {\n`;
  const indent = text === '' ? '' : '  ';
  const head = written[0] === node ? open : '';
  const tail = written.at(-1) === node ? '\n});' : '';
  return `${head}${indent}${text}${tail}`;
};

function routerOf(node: ts.Statement, renderer: Renderer): Application | undefined {
  if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return undefined;
  const { expression } = node.expression;
  const found = ts.isPropertyAccessExpression(expression)
    ? renderer.service.applicationOf(expression.expression)
    : undefined;
  return found?.kind === 'router' && found.unsafe === undefined ? found : undefined;
}

function isRoute(node: ts.Statement): boolean {
  if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return false;
  const { expression } = node.expression;
  return ts.isPropertyAccessExpression(expression) && [...VERBS, 'all', 'on', 'route'].includes(expression.name.text);
}

function nameOf({ maker }: Application, renderer: Renderer): string {
  const { parent } = maker;
  return ts.isVariableDeclaration(parent) ? renderer.textOf(parent.name) : 'routes';
}
