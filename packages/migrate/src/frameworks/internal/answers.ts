import { STATUS_CODES } from 'node:http';
import ts from 'typescript';
import { bare } from './pattern.js';
import type { Frame, Renderer, Step } from './renderer.js';
import { isFunc } from './roles.js';

/** One call of a chain: `status(201)` of `res.status(201).json(x)`. */
interface Link {
  readonly method: string;
  readonly args: readonly ts.Expression[];
}

/** The effects of a chain of calls on the old answer. */
interface Chain {
  readonly status: string | undefined;
  /** Members of an object of headers, as text. */
  readonly headers: readonly string[];
  /** The code of the answer; `undefined` if the chain only sets status and headers. */
  readonly sent: string | undefined;
}

/** The objects on which status and headers are set. */
const ROOTS: readonly string[] = ['res', 'c', 'r.res.headers', 'c.res.headers'];
const SETTERS: readonly string[] = [
  'status',
  'set',
  'header',
  'setHeader',
  'append',
  'type',
  'contentType',
  'location',
];
const SENDERS: readonly string[] = ['json', 'send', 'sendStatus', 'end', 'redirect'];
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xml: 'application/xml',
  csv: 'text/csv; charset=utf-8',
};

function linksOf(node: ts.Expression, renderer: Renderer): { root: string; links: readonly Link[] } | undefined {
  const links: Link[] = [];
  let at = bare(node);
  while (ts.isCallExpression(at) && ts.isPropertyAccessExpression(at.expression)) {
    links.unshift({ method: at.expression.name.text, args: [...at.arguments] });
    at = bare(at.expression.expression);
    const root = renderer.pathOf(at)?.join('.');
    if (root !== undefined && ROOTS.includes(root)) return { root, links };
  }
  return undefined;
}

/** True if every call of a chain is known. */
function isKnown(root: string, links: readonly Link[]): boolean {
  if (root === 'res') {
    return links.every(({ method }, at) =>
      (at < links.length - 1 ? SETTERS : [...SETTERS, ...SENDERS]).includes(method),
    );
  }
  const names = root === 'c' ? ['status', 'header'] : ['set', 'append'];
  return links.length === 1 && names.includes(links[0]?.method ?? '');
}

/** Finds whether a body sets headers or a status before it answers. */
export function effectsOf(body: ts.Node, renderer: Renderer): { headers: boolean; status: boolean } {
  const found = { headers: false, status: false };
  let isAfterNext = false;
  const visit = (node: ts.Node): void => {
    if (isFunc(node) && renderer.service.functions.has(node)) return;
    if (ts.isAwaitExpression(node) && renderer.pathOf(callee(node.expression))?.join('.') === 'next')
      isAfterNext = true;
    if (ts.isExpressionStatement(node)) {
      const chain = linksOf(node.expression, renderer);
      const last = chain?.links.at(-1)?.method ?? '';
      if (chain && isKnown(chain.root, chain.links) && !SENDERS.includes(last)) {
        for (const { method } of chain.links) {
          if (method === 'status') found.status = true;
          else if (!isAfterNext) found.headers = true;
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

/** The function of a call, else the expression. */
function callee(node: ts.Expression): ts.Expression {
  return ts.isCallExpression(node) ? node.expression : node;
}

function readChain(node: ts.Expression, renderer: Renderer): Chain | undefined {
  const found = linksOf(node, renderer);
  if (!found || !isKnown(found.root, found.links)) return undefined;
  const { links } = found;
  const given = links.findLast(({ method }) => method === 'status')?.args[0];
  const status = given && renderer.render(given);
  const headers = links
    .flatMap((link) => headerOf(link, renderer) ?? [])
    .map((text) => text.replace(/^\.\.\.\{ (.*) \}$/s, '$1'));
  const last = links.at(-1);
  const sent = last && SENDERS.includes(last.method) ? sendText(last, status, node, renderer) : undefined;
  return { status, headers, sent };
}

function headerOf({ method, args }: Link, renderer: Renderer): string | undefined {
  const [name, value] = args;
  if (!name || method === 'status') return undefined;
  if (method === 'location') return `location: ${headerValue(name, renderer)}`;
  if (method === 'type' || method === 'contentType') {
    const known = ts.isStringLiteralLike(name) ? TYPES[name.text] : undefined;
    return `'content-type': ${known === undefined ? renderer.render(name) : `'${known}'`}`;
  }
  if (!SETTERS.includes(method)) return undefined;
  if (!value) return `...${renderer.render(name)}`;
  return `${keyOf(name, renderer)}: ${headerValue(value, renderer)}`;
}

function keyOf(name: ts.Expression, renderer: Renderer): string {
  if (!ts.isStringLiteralLike(name)) return `[${renderer.render(name)}]`;
  const text = name.text.toLowerCase();
  return /^[a-z]+$/.test(text) ? text : `'${text}'`;
}

/** Values of headers are text. */
function headerValue(value: ts.Expression, renderer: Renderer): string {
  const text = renderer.render(value);
  const isText =
    ts.isStringLiteralLike(value) ||
    ts.isTemplateExpression(value) ||
    (ts.isCallExpression(value) &&
      /^String$|\.toString$|\.join$|\.toISOString$/.test(renderer.textOf(value.expression)));
  return isText ? text : `String(${text})`;
}

function sendText({ method, args }: Link, given: string | undefined, node: ts.Node, renderer: Renderer): string {
  const [value, second] = args;
  const status = given ?? (renderer.frame?.sets.status ? 'status' : '200');
  if (method === 'sendStatus' && value) {
    const code = renderer.render(value);
    return `${renderer.name('text')}(${code}, ${quotedText(STATUS_CODES[code] ?? '')})`;
  }
  if (method === 'redirect' && value) {
    if (second) return `${renderer.name('redirect')}(${renderer.render(second)}, ${renderer.render(value)})`;
    return `${renderer.name('redirect')}(${renderer.render(value)})`;
  }
  if (!value) return status === '204' ? `${renderer.name('noContent')}()` : `{ status: ${status} }`;
  const text = renderer.render(value);
  if (method === 'json') return `${renderer.name('json')}(${status}, ${text})`;
  if (method === 'end') return `${renderer.name('text')}(${status}, ${text})`;
  if (ts.isStringLiteralLike(value) || ts.isTemplateExpression(value))
    return `${renderer.name('html')}(${status}, ${text})`;
  if (!ts.isObjectLiteralExpression(value) && !ts.isArrayLiteralExpression(value))
    renderer.todo(node, 'send of a value: json, html or binary of @sallyport/http, as its type is');
  return `${renderer.name('json')}(${status}, ${text})`;
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}

/** Answers are returned; status and headers wait in variables. */
export const answerStep: Step = (node, renderer) => {
  const { frame } = renderer;
  if (!frame) return undefined;
  if (ts.isExpressionStatement(node)) return answerStatement(node, renderer);
  if (ts.isReturnStatement(node)) return returnStatement(node, renderer);
  // An error handler is never called after an answer.
  if (ts.isIfStatement(node) && renderer.pathOf(node.expression)?.join('.') === 'res.headersSent') return '';
  if (ts.isArrowFunction(node) || !ts.isExpression(node)) return undefined;
  const chain = ts.isCallExpression(node) ? readSending(node, renderer) : undefined;
  return chain && renderer.answer(chain.sent ?? '', chain.headers.join(', ') || undefined);
};

function readSending(node: ts.CallExpression, renderer: Renderer): Chain | undefined {
  const found = linksOf(node, renderer);
  return found && SENDERS.includes(found.links.at(-1)?.method ?? '') && found.root === 'res'
    ? readChain(node, renderer)
    : undefined;
}

function answerStatement(node: ts.ExpressionStatement, renderer: Renderer): string | undefined {
  const expression = bare(node.expression);
  const inner = ts.isAwaitExpression(expression) ? bare(expression.expression) : expression;
  const next = nextCall(inner, renderer);
  if (next !== undefined) return nextStatement(node, next, expression !== inner, renderer);
  const found = linksOf(inner, renderer);
  if (found && isKnown(found.root, found.links)) {
    const isSending = SENDERS.includes(found.links.at(-1)?.method ?? '');
    const chain = readChain(inner, renderer);
    if (!chain) return undefined;
    if (!isSending) return setText(node, chain, renderer);
    if (!isTail(node)) renderer.todo(node, 'code follows the answer: return the answer at the end');
    else if (isCalledLater(node, renderer.frame))
      renderer.todo(node, 'code that is called later answers: return a promise of the answer');
    return `return ${renderer.answer(chain.sent ?? '', chain.headers.join(', ') || undefined)};`;
  }
  return promiseStatement(node, inner, renderer);
}

/** True in a function that is neither the handler nor a step of a promise. */
function isCalledLater(node: ts.Node, frame: Pick<Frame, 'func'> | undefined): boolean {
  const func = ts.findAncestor(node, isFunc);
  if (func === undefined || func === frame?.func) return false;
  const { parent } = func;
  const isStep =
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    ['then', 'catch', 'finally'].includes(parent.expression.name.text);
  return !isStep || isCalledLater(parent, frame);
}

/** `find(id).then((user) => res.json(user)).catch(next);` becomes a returned promise. */
function promiseStatement(node: ts.ExpressionStatement, inner: ts.Expression, renderer: Renderer): string | undefined {
  if (!ts.isCallExpression(inner) || !ts.isPropertyAccessExpression(inner.expression)) return undefined;
  if (!['then', 'catch', 'finally'].includes(inner.expression.name.text)) return undefined;
  const [first] = inner.arguments;
  const isCatchNext = inner.expression.name.text === 'catch' && first && renderer.pathOf(first)?.join('.') === 'next';
  const chain = isCatchNext ? inner.expression.expression : inner;
  return isTail(node) ? `return ${renderer.render(chain)};` : undefined;
}

/** The argument of `next(…)`: `null` without an argument. */
function nextCall(node: ts.Expression, renderer: Renderer): ts.Expression | null | undefined {
  if (!ts.isCallExpression(node) || renderer.pathOf(node.expression)?.join('.') !== 'next') return undefined;
  return node.arguments[0] ?? null;
}

function nextStatement(
  node: ts.ExpressionStatement,
  error: ts.Expression | null,
  isAwaited: boolean,
  renderer: Renderer,
): string {
  const { frame } = renderer;
  if (error) return `throw ${renderer.render(error)};`;
  if (isAwaited && frame && !isTail(node)) {
    frame.hasAnswer = true;
    const set = frame.sets.headers ? `${renderer.answer('await next(ctx)')}` : 'await next(ctx)';
    return `const answer = ${set};`;
  }
  if (!isTail(node))
    renderer.todo(node, 'code follows next(): const answer = await next(ctx), and return answer at the end');
  return `return ${nextText(renderer)};`;
}

/** The rest of the chain, with the headers that were set before. */
function nextText(renderer: Renderer): string {
  const { frame } = renderer;
  if (!frame?.sets.headers) return 'next(ctx)';
  frame.isAsync = true;
  return renderer.answer('await next(ctx)');
}

function setText(node: ts.Node, { status, headers }: Chain, renderer: Renderer): string {
  const lines = status === undefined ? [] : [`status = ${status};`];
  for (const header of headers) {
    const at = header.indexOf(':');
    const key = header.slice(0, at);
    const value = header.slice(at + 2);
    if (header.startsWith('...')) lines.push(`Object.assign(headers, ${header.slice(3)});`);
    else if (renderer.frame?.hasAnswer) lines.push(`answer.headers${memberOf(key)} = [${value}];`);
    else lines.push(`headers${memberOf(key)} = ${value};`);
  }
  return lines.join(`\n${renderer.indentOf(node)}`);
}

function memberOf(key: string): string {
  if (key.startsWith('[')) return key;
  return key.startsWith("'") ? `[${key}]` : `.${key}`;
}

function returnStatement(node: ts.ReturnStatement, renderer: Renderer): string | undefined {
  if (!node.expression) return followsAnswer(node, renderer) ? '' : undefined;
  const next = nextCall(bare(node.expression), renderer);
  if (next === null) return `return ${nextText(renderer)};`;
  if (next) return `throw ${renderer.render(next)};`;
  return undefined;
}

/** `return;` after an answer. */
function followsAnswer(node: ts.ReturnStatement, renderer: Renderer): boolean {
  const { parent } = node;
  if (!ts.isBlock(parent)) return false;
  const before = parent.statements[parent.statements.indexOf(node) - 1];
  if (!before || !ts.isExpressionStatement(before)) return false;
  const found = linksOf(before.expression, renderer);
  const isAnswer = found !== undefined && SENDERS.includes(found.links.at(-1)?.method ?? '');
  return isAnswer || nextCall(bare(before.expression), renderer) !== undefined;
}

/** True if nothing runs after a statement in its function, except `return;`. */
function isTail(node: ts.Statement): boolean {
  let at: ts.Node = node;
  while (!isFunc(at.parent)) {
    const { parent } = at;
    if (ts.isBlock(parent) || ts.isCaseOrDefaultClause(parent)) {
      const rest = parent.statements.slice(parent.statements.indexOf(at as ts.Statement) + 1);
      const [first] = rest;
      const ends = first && ((ts.isReturnStatement(first) && !first.expression) || ts.isBreakStatement(first));
      if (ends && ts.isReturnStatement(first)) return true;
      if (rest.length > 0 && !ends) return false;
    }
    if (ts.isIterationStatement(parent, false) || ts.isSourceFile(parent)) return false;
    at = parent;
  }
  return true;
}
