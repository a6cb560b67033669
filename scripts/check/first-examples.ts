import ts from 'typescript';
import type { CodeBlock } from './readme-blocks.js';

/**
 * The rule: in the first example of a README or page, the address of a record in a shared store must not consist of a client's input
 * alone, and a tenant or identity must never come from it. Readers copy that example, and another tenant's record is then one guess
 * away. An address is safe if it, its object or the store itself also has the tenant or the identity of the caller.
 */

/** Methods of the context that return a client's input. */
const INPUT = /^(?:param|query|header|cookie|bodyJson|bodyText)$/;
/** Members that name a record. */
const ADDRESS = /^(?:key|keys|ref|prefix|sessionId|pk|sk)$/;
/** Members that name an owner. They must not come from input at all. */
const OWNER = /^(?:tenant|tenantId|identity|namespace|authSubject|principal)$/;
/** Methods of stores whose first argument names a record. */
const METHODS = /^(?:get|put|set|delete|remove|update|deleteText|deleteByPrefix)$/;
/** Verified values of a caller. */
const PROVED = /\b(?:tenantId|authIdentity|securePrincipal|principal|callerKey|toMicrovmCaller)\b/;

/** Places of a block that break the rule, as sentences. */
export function plainIdentities({ file, line, code }: CodeBlock): readonly string[] {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true);
  const names = readNames(source);
  const found = new Set<string>();
  const report = (node: ts.Node, what: string) => {
    const at = line + source.getLineAndCharacterOfPosition(node.getStart()).line;
    found.add(`${file}:${at} ${what}: ${node.getText().replaceAll(/\s+/g, ' ').slice(0, 80)}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) {
      const name = node.name.getText();
      const value = ts.isPropertyAssignment(node) ? node.initializer : node.name;
      if (OWNER.test(name) && names.isInput(value) && !PROVED.test(value.getText())) {
        report(node, 'an owner is taken from a client');
      }
      if (ADDRESS.test(name) && names.isInput(value) && !isOwned(node, names)) {
        report(node, 'a record of a shared store is named by a client alone');
      }
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: receiver, name } = node.expression;
      const [address] = node.arguments;
      const isStore =
        METHODS.test(name.text) && !names.isLocal(receiver) && !/^(?:ctx|app|router)$/.test(receiver.getText());
      if (
        isStore &&
        address &&
        isPlain(address) &&
        !isHandler(node) &&
        names.isInput(address) &&
        !isOwned(address, names)
      ) {
        report(node, 'a record of a shared store is named by a client alone');
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

/** Members of objects and lists are checked separately. */
function isPlain(address: ts.Expression): boolean {
  return !ts.isObjectLiteralExpression(address) && !ts.isArrayLiteralExpression(address);
}

/** Registrations have a handler after their path. */
function isHandler({ arguments: given }: ts.CallExpression): boolean {
  return given.some((one) => ts.isArrowFunction(one) || ts.isFunctionExpression(one));
}

/** True if the address, an object around it, or the store of the call has a verified value of the caller. */
function isOwned(node: ts.Node, names: Names): boolean {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at) || ts.isBlock(at)) return false;
    if ((ts.isExpression(at) || ts.isPropertyAssignment(at)) && names.isProved(at)) return true;
  }
  return false;
}

interface Names {
  /** True if an expression contains a client's input, itself or through a name. */
  isInput(node: ts.Node): boolean;
  /** True if it contains a verified value, itself or through a name. */
  isProved(node: ts.Node): boolean;
  /** True if a name is a collection that the example makes in memory. */
  isLocal(node: ts.Node): boolean;
}

function readNames(source: ts.SourceFile): Names {
  const inputs = new Set<string>();
  const proved = new Set<string>();
  const local = new Set<string>();
  const contains = (node: ts.Node, known: ReadonlySet<string>, isOne: (one: ts.Node) => boolean): boolean =>
    isOne(node) ||
    (ts.isIdentifier(node) && !isMemberName(node) && known.has(node.text)) ||
    ts.forEachChild(node, (child) => contains(child, known, isOne) || undefined) === true;
  const isProved = (node: ts.Node) => contains(node, proved, (one) => ts.isIdentifier(one) && PROVED.test(one.text));
  const isInput = (node: ts.Node) => contains(node, inputs, isInputCall);
  const declare = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer) {
      const own = namesOf(node.name);
      const isFunction = ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer);
      if (!isFunction && isInput(node.initializer)) for (const name of own) inputs.add(name);
      if (isProved(node.initializer)) for (const name of own) proved.add(name);
      if (/^new (?:Map|Set|URL)\b/.test(node.initializer.getText())) for (const name of own) local.add(name);
    }
    if (ts.isFunctionDeclaration(node) && node.name && node.body && isProved(node.body)) proved.add(node.name.text);
    ts.forEachChild(node, declare);
  };
  // Twice: a name may be used before its dependencies are declared.
  declare(source);
  declare(source);
  return { isInput, isProved, isLocal: (node) => local.has(node.getText()) };
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node)
  );
}

/** A call that returns a client's input, or the body of a message. */
function isInputCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  if (node.expression.getText() === 'JSON.parse') return true;
  return (
    ts.isPropertyAccessExpression(node.expression) &&
    INPUT.test(node.expression.name.text) &&
    isContext(node.expression.expression)
  );
}

/** `store.query(…)` of another object is not input. */
function isContext(node: ts.Expression): boolean {
  return /^(?:ctx|context|http|request|req)$/.test(node.getText());
}

function namesOf(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesOf(element.name) : []));
}
