import ts from 'typescript';
import { effectsOf } from './answers.js';
import type { Renderer, Step } from './renderer.js';
import { type Func, isFunc } from './roles.js';
import type { KnownFunc } from './service.js';

/** Functions with parts of an old framework as parameters get a context. */
export const functionStep: Step = (node, renderer) => {
  if (!isFunc(node)) return undefined;
  const known = renderer.service.functions.get(node);
  return known && renderFunction(node, known, renderer);
};

/** `const getUser: RequestHandler = (req, res) => …` loses its type. */
export const typedVariableStep: Step = (node, renderer) => {
  if (!ts.isVariableDeclaration(node) || !node.type || !node.initializer) return undefined;
  if (!isFunc(node.initializer) || !renderer.service.functions.has(node.initializer)) {
    const text = renderer.render(node.initializer);
    // `const handler: SQSHandler = …` has the type of the container's handler.
    return text.endsWith('.handleLambda') ? `${renderer.textOf(node.name)} = ${text}` : undefined;
  }
  return `${renderer.textOf(node.name)} = ${renderer.render(node.initializer)}`;
};

function renderFunction(func: Func, known: KnownFunc, renderer: Renderer): string {
  const isAsync = ts.getModifiers(func)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
  const frame = { func, known, sets: { headers: false, status: false }, hasAnswer: false, isAsync };
  return renderer.within(frame, () => {
    const { body } = func;
    if (!body) return renderer.textOf(func);
    Object.assign(frame.sets, effectsOf(body, renderer));
    let text = renderer.render(body);
    if (ts.isBlock(body)) text = withVariables(text, frame, renderer, body);
    else if (known.framework.returnsValues) text = text.startsWith('{') ? `(${text})` : text;
    return `${headOf(func, frame.isAsync, text, known, renderer)}${text}`;
  });
}

/** The body with the variables of headers and status, and with the answer of a middleware. */
function withVariables(
  text: string,
  { sets, hasAnswer }: { readonly sets: { headers: boolean; status: boolean }; readonly hasAnswer: boolean },
  renderer: Renderer,
  body: ts.Block,
): string {
  const [first] = body.statements;
  const indent = first ? renderer.indentOf(first) : '  ';
  const type = renderer.isTyped ? ': Record<string, string>' : '';
  const lines = [
    ...(sets.headers ? [`const headers${type} = {};`] : []),
    ...(sets.status ? ['let status = 200;'] : []),
  ].map((line) => `\n${indent}${line}`);
  const end = hasAnswer ? `${indent.slice(0, -2)}${'  '}return answer;\n${renderer.indentOf(body)}}` : '';
  const opened = `{${lines.join('')}${text.slice(1)}`;
  return hasAnswer ? `${opened.slice(0, -1).trimEnd()}\n${end}` : opened;
}

function headOf(func: Func, isAsync: boolean, body: string, known: KnownFunc, renderer: Renderer): string {
  const params = paramsOf(func, body, known, renderer);
  const async = isAsync ? 'async ' : '';
  if (ts.isArrowFunction(func)) return `${async}(${params}) => `;
  const modifiers = (ts.getModifiers(func) ?? [])
    .filter(({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword)
    .map((one) => `${renderer.textOf(one)} `)
    .join('');
  const name = func.name ? renderer.textOf(func.name) : '';
  if (ts.isMethodDeclaration(func)) return `${modifiers}${async}${name}(${params}) `;
  return `${modifiers}${async}function${name === '' ? '' : ` ${name}`}(${params}) `;
}

/** The parameters: typed unless the function is an argument, whose types are known. */
function paramsOf(func: Func, body: string, { kind, framework }: KnownFunc, renderer: Renderer): string {
  const isArgument = ts.isCallExpression(func.parent) || ts.isArrayLiteralExpression(func.parent);
  const isTyped = renderer.isTyped && (!isArgument || kind === 'errorHandler');
  const typed = (name: string, type: string) => (isTyped ? `${name}: ${type}` : name);
  const context = () => typed('ctx', isTyped ? renderer.name('Context') : '');
  if (kind === 'middleware') {
    const rest = typed('next', isTyped ? renderer.name('Next') : '');
    return `${context()}${/\bnext\b/.test(body) ? `, ${rest}` : ''}`;
  }
  if (kind === 'errorHandler') {
    const at = framework.errorHandler.indexOf('err');
    const given = func.parameters[at]?.name;
    const name = given && ts.isIdentifier(given) ? given.text : 'err';
    return `${context()}, ${renderer.isTyped ? `${name}: any` : name}`;
  }
  return /\bctx\b/.test(body) ? context() : '';
}
