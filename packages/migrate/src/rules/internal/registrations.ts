import ts from 'typescript';
import type { ContainerUse } from './containers.js';
import type { ImportBook } from './import-book.js';
import { nameOf } from './options.js';
import { type FileDesk, literalText } from './rule.js';

const VERBS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'getStrict'];

/** The position of the handler among the arguments, and the name of the operation in messages. */
interface Shape {
  readonly handler: number;
  readonly place: (args: readonly string[], prefix: string) => string;
}

const route = (method: string, prefix: string, pattern: string) =>
  `${method} ${prefix === '' || pattern !== '/' ? prefix + pattern : prefix}`;

function shapeOf(method: string): Shape | undefined {
  if (VERBS.includes(method)) {
    const verb = method === 'getStrict' ? 'GET' : method.toUpperCase();
    return { handler: 1, place: ([pattern = ''], prefix) => route(verb, prefix, pattern) };
  }
  if (method === 'handle' || method === 'handleStrict') {
    return { handler: 2, place: ([verb = '', pattern = ''], prefix) => route(verb, prefix, pattern) };
  }
  if (method === 'webSocket') return { handler: 1, place: ([key = '']) => key };
  const isField = method === 'appSyncField' || method === 'appSyncBatchField';
  return isField ? { handler: 2, place: ([parent = '', field = '']) => `${parent}.${field}` } : undefined;
}

/** Adds a placeholder for the posture after the handler of a registration. Event registrations have no posture. */
export function closeRegistration(desk: FileDesk, book: ImportBook, call: ts.CallExpression, use: ContainerUse): void {
  const { name } = call.expression as ts.PropertyAccessExpression;
  if (name.text === 'group') {
    closeGroup(desk, call);
    return;
  }
  const shape = shapeOf(name.text);
  if (shape === undefined) return;
  const handler = call.arguments[shape.handler];
  if (handler === undefined || call.arguments.some(ts.isSpreadElement)) {
    desk.remark(name, `${name.text} whose arguments are not written out: choose its posture by hand`);
    return;
  }
  const options = call.arguments[shape.handler + 1];
  if (options && ts.isCallExpression(options) && /^choosePosture$/.test(desk.textOf(options.expression))) return;
  const args = call.arguments.slice(0, shape.handler).map((one) => literalText(one) ?? desk.textOf(one));
  const place = shape.place(args, use.prefix).replaceAll(/\s+/g, ' ');
  const posture = `${book.use('@sallyport/secure/migrate', 'choosePosture')}(${quote(place, desk)})`;
  desk.edit(handler.end, handler.end, `, ${posture}${options ? withoutFlag(desk, handler, options) : ''}`);
}

function quote(text: string, { quote: mark }: FileDesk): string {
  return mark + text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`) + mark;
}

/** The options of a group must not contain the flag; its routes get separate placeholders. */
function closeGroup(desk: FileDesk, call: ts.CallExpression): void {
  const [prefix, options, define] = call.arguments;
  if (options && prefix) withoutFlag(desk, prefix, options, true);
  if (define && !ts.isArrowFunction(define) && !ts.isFunctionExpression(define)) {
    desk.remark(define, 'a group that is defined elsewhere: choose a posture for it, or for each of its routes');
  }
}

/**
 * Removes `authRequired` from the options: the closed container has no such flag. It is kept in a comment without effect.
 *
 * @returns the comment, for the place after the placeholder
 */
function withoutFlag(desk: FileDesk, before: ts.Node, options: ts.Expression, keepsBraces = false): string {
  if (!ts.isObjectLiteralExpression(options)) {
    const isPlain = keepsBraces || ts.isIdentifier(options);
    if (isPlain) desk.remark(options, 'options that are not written here: remove authRequired from them');
    return '';
  }
  const flag = options.properties.find((property) => nameOf(property) === 'authRequired');
  if (flag === undefined) return '';
  const comment = ` /* ${desk.textOf(flag).replaceAll('*/', '* /')} */`;
  const { properties } = options;
  const at = properties.indexOf(flag);
  const [previous, next] = [properties[at - 1], properties[at + 1]];
  if (next) desk.edit(flag.getStart(), next.getStart(), '');
  else if (previous) desk.edit(previous.end, flag.end, '');
  else if (keepsBraces) desk.edit(options.getStart(), options.end, `{}${comment}`);
  else desk.edit(before.end, options.end, '');
  if (keepsBraces && (next || previous)) desk.edit(options.end, options.end, comment);
  return comment;
}
