import ts from 'typescript';
import { literalText } from '../../rules/internal/rule.js';
import type { MiddlewareRule } from './framework.js';
import { bare } from './pattern.js';
import type { Renderer } from './renderer.js';
import { exportOf, functionOf } from './roles.js';
import type { Application } from './service.js';

/** Rewrites one middleware. Options are recorded with the application. */
export function middlewareOf(
  given: ts.Expression,
  application: Pick<Application, 'framework' | 'options'>,
  renderer: Renderer,
): { readonly use?: readonly string[] } {
  const node = bare(given);
  const name = exportOf(ts.isCallExpression(node) ? node.expression : node, renderer.service.checker);
  const { middlewares } = application.framework;
  const rule = name !== undefined && Object.hasOwn(middlewares, name) ? middlewares[name] : undefined;
  if (rule) {
    applyRule(rule, node, application, renderer);
    return {};
  }
  const func = functionOf(node, renderer.service.checker);
  if (func && renderer.service.functions.has(func)) return { use: [renderer.render(given)] };
  renderer.todo(
    given,
    `${renderer.textOf(given).split('\n', 1)[0]}: a middleware (ctx, next), or a posture and a principalResolver if it identifies the caller`,
  );
  return {};
}

function applyRule(
  rule: MiddlewareRule,
  node: ts.Expression,
  { options }: Pick<Application, 'options'>,
  renderer: Renderer,
): void {
  if ('drop' in rule) return;
  if ('todo' in rule) renderer.todo(node, `${renderer.textOf(node).split('\n', 1)[0]}: ${rule.todo}`);
  else if ('option' in rule) {
    const [, successor = ''] = /^(\w+)/.exec(rule.value) ?? [];
    options.set(rule.option, rule.value.replace(successor, renderer.name(successor)));
  } else options.set('cors', corsText(node, rule.cors, renderer));
}

/** The options of the old middleware under the names of the container's option. */
function corsText(node: ts.Expression, names: Readonly<Record<string, string>>, renderer: Renderer): string {
  const [given] = ts.isCallExpression(node) ? node.arguments : [];
  if (!given) return '{}';
  if (!ts.isObjectLiteralExpression(given)) {
    renderer.todo(
      node,
      `the options of cors: ${Object.values(names)
        .filter((name) => name !== '')
        .join(', ')}`,
    );
    return `{ allowedOrigins: [] }`;
  }
  const members = given.properties.flatMap((property) => {
    const name = property.name?.getText() ?? '';
    const renamed = Object.hasOwn(names, name) ? names[name] : undefined;
    const value = ts.isPropertyAssignment(property) ? property.initializer : property.name;
    if (renamed === undefined || !value) {
      renderer.todo(node, `the option ${name} of cors`);
      return [];
    }
    if (renamed === '') return [];
    return corsMember(renamed, value as ts.Expression, renderer);
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function corsMember(name: string, value: ts.Expression, renderer: Renderer): readonly string[] {
  const text = renderer.render(value);
  const isList = name === 'allowedOrigins' || name === 'allowHeaders' || name === 'exposeHeaders';
  if (!isList || ts.isArrayLiteralExpression(value)) return [`${name}: ${text}`];
  const literal = literalText(value);
  if (literal !== undefined)
    return [
      `${name}: [${literal
        .split(',')
        .map((one) => `'${one.trim()}'`)
        .join(', ')}]`,
    ];
  if (ts.isIdentifier(value) || ts.isPropertyAccessExpression(value)) return [`${name}: [${text}].flat()`];
  renderer.todo(value, `the option ${name} of cors is a list`);
  return name === 'allowedOrigins' ? [`${name}: []`] : [];
}
