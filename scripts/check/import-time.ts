import ts from 'typescript';

/** Names of calls that read a clock or draw a random number, as functions and as methods of any object. */
const FORBIDDEN = new Set([
  'now',
  'monotonicMs',
  'hrtime',
  'bigint',
  'uptime',
  'random',
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
  'randomFraction',
  'newId',
]);
/** Methods that call their argument immediately. */
const CALLS_AT_ONCE = new Set(['map', 'flatMap', 'forEach', 'filter', 'reduce', 'some', 'every', 'find', 'from']);

type Declared = ReadonlyMap<string, ts.Node>;

/**
 * Calls in one source file that read a clock or draw a random number while the module is imported: at its top level, in
 * static members, in functions that are called there. Calls in other modules are found when those modules are checked.
 */
export function findImportTimeReads(file: string, text: string): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const declared = declarationsOf(source);
  const findings = new Set<string>();
  const entered = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isClassLike(node)) {
      visitClass(node);
      return;
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const read = nameOfRead(node);
      if (read !== undefined) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        findings.add(`${file}:${line + 1}: ${read} runs when the module is imported`);
      }
      for (const called of calledBy(node, declared)) enter(called);
    }
    ts.forEachChild(node, visit);
  };
  /** The code that runs when a class is declared: static members, computed names, and the base class. */
  const visitClass = (node: ts.ClassLikeDeclaration): void => {
    for (const clause of node.heritageClauses ?? []) visit(clause);
    for (const member of node.members) {
      if (member.name && ts.isComputedPropertyName(member.name)) visit(member.name.expression);
      if (ts.isClassStaticBlockDeclaration(member)) visit(member.body);
      else if (ts.isPropertyDeclaration(member) && isStatic(member) && member.initializer) visit(member.initializer);
    }
  };
  /** The body of a called function, or the code that runs when an object of a class is created. */
  const enter = (node: ts.Node): void => {
    if (entered.has(node)) return;
    entered.add(node);
    if (ts.isClassLike(node)) {
      for (const member of node.members) {
        if (ts.isConstructorDeclaration(member) && member.body) visit(member.body);
        else if (ts.isPropertyDeclaration(member) && !isStatic(member) && member.initializer) visit(member.initializer);
      }
    } else if (ts.isFunctionLike(node) && 'body' in node && node.body) visit(node.body);
  };
  visit(source);
  return [...findings];
}

/** Functions and classes that the top level of a module declares. */
function declarationsOf(source: ts.SourceFile): Declared {
  const declared = new Map<string, ts.Node>();
  for (const statement of source.statements) {
    if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name) {
      declared.set(statement.name.text, statement);
    }
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer) declared.set(name.text, bare(initializer));
    }
  }
  return declared;
}

/** Functions and classes of this file that a call runs: the called function, and functions that are passed to `map` and similar methods. */
function calledBy(node: ts.CallExpression | ts.NewExpression, declared: Declared): readonly ts.Node[] {
  const callee = bare(node.expression);
  const target = ts.isIdentifier(callee) ? declared.get(callee.text) : callee;
  const atOnce = ts.isPropertyAccessExpression(callee) && CALLS_AT_ONCE.has(callee.name.text);
  const given = atOnce ? (node.arguments ?? []).map((argument) => bare(argument)) : [];
  return [
    target,
    ...given.map((argument) => (ts.isIdentifier(argument) ? declared.get(argument.text) : argument)),
  ].filter(
    (called): called is ts.Node => called !== undefined && (ts.isFunctionLike(called) || ts.isClassLike(called)),
  );
}

/** The source of a call that reads a clock or draws a random number; `undefined` for all others. */
function nameOfRead(node: ts.CallExpression | ts.NewExpression): string | undefined {
  const callee = bare(node.expression);
  const name = lastName(callee);
  if (name === 'Date') {
    if (ts.isCallExpression(node)) return 'Date()';
    return (node.arguments?.length ?? 0) === 0 ? 'new Date()' : undefined;
  }
  return name !== undefined && FORBIDDEN.has(name) ? `${callee.getText()}()` : undefined;
}

function lastName(callee: ts.Expression): string | undefined {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text;
  const isText = ts.isElementAccessExpression(callee) && ts.isStringLiteral(callee.argumentExpression);
  return isText ? (callee.argumentExpression as ts.StringLiteral).text : undefined;
}

/** The expression without parentheses and type assertions. */
function bare(node: ts.Expression): ts.Expression {
  let inner = node;
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner) ||
    ts.isNonNullExpression(inner)
  ) {
    inner = inner.expression;
  }
  return inner;
}

function isStatic(member: ts.PropertyDeclaration): boolean {
  return member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
}
