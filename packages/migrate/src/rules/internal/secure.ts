import ts from 'typescript';
import { type ContainerUse, containerOf, declarationOf, importOf, makesOpen } from './containers.js';
import { ImportBook } from './import-book.js';
import { convertOptions } from './options.js';
import { closeRegistration } from './registrations.js';
import { type CodeRule, FileDesk, noFindings, visitAll } from './rule.js';

const OPEN_MODULE = '@sallyport/dispatch/app';

/** Closes open containers: each operation gets a placeholder for its posture, which the user has to replace. */
export const secureRule: CodeRule = (code, _mapping, sources) => {
  const findings = noFindings();
  const desks = sources.map((source) => new FileDesk(source, code.checker, findings));
  const usable = desks.filter((desk) => !importsSecure(desk));
  const closing = new Set(usable.flatMap((desk) => closeContainers(desk)));
  const makers = new Set([...closing].map((node) => node.getSourceFile()));
  for (const desk of desks) {
    const book = new ImportBook(desk);
    if (!importsSecure(desk)) closeFile(desk, book, closing, makers.has(desk.source));
    else remarkOpen(desk);
    book.write();
  }
  return findings;
};

/** True if a file creates an open container. It must be written last: its registrations are found through it. */
export function makesContainer(source: ts.SourceFile, checker: ts.TypeChecker): boolean {
  let isMade = false;
  visitAll(source, (node) => {
    isMade ||= makesOpen(node, checker);
  });
  return isMade;
}

function importsSecure({ source }: FileDesk): boolean {
  return source.statements.some(
    (node) =>
      ts.isImportDeclaration(node) &&
      ts.isStringLiteral(node.moduleSpecifier) &&
      node.moduleSpecifier.text === '@sallyport/secure' &&
      /\bSecureApp\b/.test(node.importClause?.getText() ?? ''),
  );
}

/** For a file that the user has begun to close. */
function remarkOpen(desk: FileDesk): void {
  visitAll(desk.source, (node) => {
    if (makesOpen(node, desk.checker))
      desk.remark(node, 'the file uses SecureApp already: close this container by hand');
  });
}

/** The containers of a file that can be closed. Changes the options and the creating expression of each. */
function closeContainers(desk: FileDesk): readonly ts.Node[] {
  const closing: ts.Node[] = [];
  visitAll(desk.source, (node) => {
    if (!makesOpen(node, desk.checker)) return;
    const reason = reasonToLeave(node, desk);
    if (reason !== undefined) desk.remark(node, `${reason}; the container is left open`);
    else if (convertOptions(desk, node.arguments?.[0])) closing.push(node);
  });
  return closing;
}

function reasonToLeave(node: ts.CallExpression | ts.NewExpression, { checker }: FileDesk): string | undefined {
  const found = importOf(node.expression, checker);
  if (found && ts.isBindingElement(found.declaration)) return 'the container comes from require()';
  if ((node.arguments?.length ?? 0) > 1) return 'more than one argument';
  const { parent } = node;
  const isTyped = ts.isVariableDeclaration(parent) && parent.type !== undefined;
  return isTyped ? `its variable has the type ${parent.type?.getText()}` : undefined;
}

function closeFile(desk: FileDesk, book: ImportBook, closing: ReadonlySet<ts.Node>, hasOwn: boolean): void {
  const isClosing = (use: ContainerUse | undefined) => use !== undefined && closing.has(use.origin);
  visitAll(desk.source, (node) => {
    if (closing.has(node)) closeContainer(desk, book, node as ts.CallExpression | ts.NewExpression);
    else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const use = containerOf(node.expression.expression, desk.checker);
      if (use && isClosing(use)) closeRegistration(desk, book, node, use);
      else if (use?.kind === 'typed') remarkTyped(desk, node, use);
    }
    if (ts.isIdentifier(node) && isClosing(containerIfEscaping(node, desk.checker))) {
      desk.remark(
        node,
        `the container leaves this file through ${desk.textOf(node.parent).split('\n', 1)[0]}: close what is registered there`,
      );
    }
    if (hasOwn && isOpenName(node, desk.checker, closing)) {
      desk.remark(node, `${desk.textOf(node)} is the open container: use SecureApp`);
    }
  });
}

function closeContainer(desk: FileDesk, book: ImportBook, node: ts.CallExpression | ts.NewExpression): void {
  desk.edit(node.getStart(desk.source), node.expression.end, `new ${book.use('@sallyport/secure', 'SecureApp')}`);
  const found = importOf(node.expression, desk.checker);
  if (found && ts.isImportSpecifier(found.declaration)) book.release(found.declaration);
}

const TYPED = /^(?:get|post|put|patch|delete|options|head|handle|webSocket|appSyncField|appSyncBatchField)$/;

/** A registration on a parameter: its container is unknown. */
function remarkTyped(desk: FileDesk, call: ts.CallExpression, { origin }: ContainerUse): void {
  const { name } = call.expression as ts.PropertyAccessExpression;
  const type = ts.isParameter(origin) || ts.isVariableDeclaration(origin) ? origin.type?.getText() : undefined;
  const [first] = call.arguments;
  if (type !== 'App' || !TYPED.test(name.text) || !first) return;
  desk.remark(
    name,
    `${name.text}(${desk.textOf(first)}) on a container from outside: take a SecureApp and choose a posture`,
  );
}

/**
 * The container of an identifier in a place where other code could register on it: an argument of a function of the service, a member
 * of an object, an element of a list.
 */
function containerIfEscaping(name: ts.Identifier, checker: ts.TypeChecker): ContainerUse | undefined {
  const { parent } = name;
  const isMember =
    (ts.isPropertyAssignment(parent) && parent.initializer === name) || ts.isShorthandPropertyAssignment(parent);
  const isStored =
    isMember || ts.isArrayLiteralExpression(parent) || (ts.isBinaryExpression(parent) && parent.right === name);
  const isPassed =
    ts.isCallExpression(parent) && parent.arguments.includes(name) && !isOfPackage(parent.expression, checker);
  return isStored || isPassed ? containerOf(name, checker) : undefined;
}

/** True if a function comes from a package: its use of a container is known, or irrelevant. */
function isOfPackage(callee: ts.Expression, checker: ts.TypeChecker): boolean {
  let root: ts.Node = callee;
  while (ts.isPropertyAccessExpression(root) || ts.isCallExpression(root) || ts.isAwaitExpression(root))
    root = root.expression;
  const found = importOf(root, checker);
  if (found)
    return (
      !found.module.startsWith('.') &&
      declarationOf(root as ts.Identifier, checker)?.kind !== ts.SyntaxKind.FunctionDeclaration
    );
  const declaration = ts.isIdentifier(root) ? declarationOf(root, checker) : undefined;
  if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.initializer) return false;
  const { initializer } = declaration;
  return ts.isCallExpression(initializer) && isOfPackage(initializer.expression, checker);
}

/** `createApp` and `App`, except in the creation of a container that is closed. */
function isOpenName(node: ts.Node, checker: ts.TypeChecker, closing: ReadonlySet<ts.Node>): boolean {
  if (!ts.isIdentifier(node) || ts.isImportSpecifier(node.parent) || closing.has(node.parent)) return false;
  const found = importOf(node, checker);
  return (
    found?.module === OPEN_MODULE &&
    ['App', 'AppOptions', 'createApp'].includes(found.name) &&
    !makesOpen(node.parent, checker)
  );
}
