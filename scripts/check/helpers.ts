import ts from 'typescript';

/** A name that a module declares at its outermost level. */
export interface Declaration {
  readonly name: string;
  /** The package's folder: `core`. */
  readonly package: string;
  readonly file: string;
  readonly line: number;
  readonly isExported: boolean;
  /**
   * Equal for declarations of one name that could be one: `function` for functions, its value for a constant. `undefined` for a
   * declaration of one package only: a class, a long function, and any function or constant that uses other parts of the package.
   */
  readonly helper: string | undefined;
}

/** Helpers of one name that several packages keep for a reason. */
export interface RepeatedHelper {
  readonly name: string;
  readonly why: string;
}

/** The folder whose names have one meaning in all packages. */
const BASE = 'packages/core/src/values/';
/** Longer functions have the topic of their package. */
const MAX_LINES = 15;
/** The number of packages in which one name is a helper that is missing in the base. */
const MAX_PACKAGES = 3;
/** Modules that are below every package. */
const BELOW = /^(?:node:|@sallyport\/core(?:$|\/))/;

/** The declarations of a file of `packages/<name>/src`. */
export function findDeclarations(file: string, text: string): readonly Declaration[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const own = namesOfPackage(tree);
  const line = (node: ts.Node) => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
  return tree.statements.flatMap((statement): readonly Declaration[] => {
    const isExported =
      ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.[0]?.kind === ts.SyntaxKind.ExportKeyword;
    const place = { package: file.split('/')[1] ?? '', file, line: line(statement), isExported };
    if (ts.isClassDeclaration(statement) && statement.name) {
      return [{ name: statement.name.text, ...place, helper: undefined }];
    }
    if (ts.isFunctionDeclaration(statement) && statement.name && statement.body) {
      const helper = isHelper(statement, statement, own) ? 'function' : undefined;
      return [{ name: statement.name.text, ...place, helper }];
    }
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }): readonly Declaration[] => {
      if (!ts.isIdentifier(name) || !initializer) return [];
      const isFunction = ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer);
      const value = isFunction ? 'function' : `= ${initializer.getText(tree).replaceAll(/[\s_]+/g, '')}`;
      const helper = isHelper(statement, initializer, own) ? value : undefined;
      return [{ name: name.text, ...place, helper }];
    });
  });
}

/** Names that a module declares, or imports from a package that is not below all others. */
function namesOfPackage(tree: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const bind = (name: ts.BindingName | undefined) => {
    if (name && ts.isIdentifier(name)) names.add(name.text);
    else for (const element of name?.elements ?? []) if (ts.isBindingElement(element)) bind(element.name);
  };
  for (const statement of tree.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { importClause, moduleSpecifier } = statement;
      if (ts.isStringLiteral(moduleSpecifier) && BELOW.test(moduleSpecifier.text)) continue;
      const bindings = importClause?.namedBindings;
      bind(importClause?.name);
      if (bindings && ts.isNamespaceImport(bindings)) bind(bindings.name);
      if (bindings && ts.isNamedImports(bindings)) for (const { name } of bindings.elements) bind(name);
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) bind(name);
    } else if (isNamed(statement)) bind(statement.name);
  }
  return names;
}

function isNamed(node: ts.Node): node is ts.DeclarationStatement & { readonly name: ts.Identifier } {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node)
  );
}

/** True for a short statement that uses no other part of its package. Types within a function, and the type that it returns, do not count. */
function isHelper(statement: ts.Statement, value: ts.Node, own: ReadonlySet<string>): boolean {
  const tree = statement.getSourceFile();
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  if (lineOf(statement.end) - lineOf(statement.getStart(tree)) >= MAX_LINES) return false;
  const declared = new Set<string>();
  const used = new Set<string>();
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) && isDeclaredBy(node.parent, node)) declared.add(node.text);
    else if (ts.isIdentifier(node) && !isMember(node.parent, node)) used.add(node.text);
    if (!ts.isTypeNode(node)) ts.forEachChild(node, visit);
  };
  const visitType = (node: ts.Node) => {
    if (ts.isTypeReferenceNode(node)) used.add(node.typeName.getText(tree));
    ts.forEachChild(node, visitType);
  };
  visit(value);
  if (ts.isFunctionLike(value)) for (const { type } of value.parameters) if (type) visitType(type);
  return ![...used].some((name) => own.has(name) && !declared.has(name));
}

function isDeclaredBy(parent: ts.Node, node: ts.Identifier): boolean {
  const declares =
    ts.isParameter(parent) ||
    ts.isVariableDeclaration(parent) ||
    ts.isBindingElement(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isTypeParameterDeclaration(parent);
  return declares && parent.name === node;
}

function isMember(parent: ts.Node, node: ts.Identifier): boolean {
  const names =
    ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent);
  return names && parent.name === node;
}

/** The names of the base that others declare too, helpers of one name in three packages, and unnecessary explanations. */
export function judgeHelpers(
  declarations: readonly Declaration[],
  explained: readonly RepeatedHelper[],
): readonly string[] {
  const base = new Map(
    declarations
      .filter(({ file, isExported }) => isExported && file.startsWith(BASE))
      .map(({ name, file }) => [name, file]),
  );
  const repeated = new Map<string, Declaration[]>();
  for (const one of declarations) {
    if (one.helper === undefined || base.has(one.name)) continue;
    const key = `${one.name} ${one.helper}`;
    repeated.set(key, [...(repeated.get(key) ?? []), one]);
  }
  const missing = [...repeated.values()].filter(
    (places) => new Set(places.map((place) => place.package)).size >= MAX_PACKAGES,
  );
  const isExplained = (name: string) => explained.some((one) => one.name === name);
  const placeOf = ({ file, line }: Declaration) => `${file}:${line}`;
  return [
    ...declarations
      .filter(({ name, file }) => base.has(name) && !file.startsWith(BASE))
      .map(
        (one) =>
          `${placeOf(one)}: ${one.name} is declared in ${base.get(one.name)}; import it from @sallyport/core/internal, or rename it after its meaning`,
      ),
    ...missing
      .filter(([one]) => !isExplained(one?.name ?? ''))
      .map(
        (places) =>
          `${places[0]?.name} is declared in ${places.map(placeOf).join(', ')}; move one to ${BASE} and import it, rename declarations with another meaning, or explain it in duplicates-policy.ts (REPEATED)`,
      ),
    ...explained
      .filter(({ name }) => !missing.some(([one]) => one?.name === name))
      .map(({ name }) => `explained, but fewer than ${MAX_PACKAGES} packages declare ${name}`),
  ];
}
