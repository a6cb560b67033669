import ts from 'typescript';

/** The expressions and names that a pattern has matched, by `$name`. */
export type Captures = ReadonlyMap<string, ts.Expression | string>;

/** A rule whose `before` is parsed. */
export interface CompiledRewrite {
  readonly pattern: ts.Expression;
  readonly after: string;
  readonly isAnswer: boolean;
}

/** Parses the `before` of a rule. */
export function parsePatternText(before: string): ts.Expression {
  const source = ts.createSourceFile('pattern.ts', `async () => (${before})`, ts.ScriptTarget.ESNext, true);
  const [statement] = source.statements;
  const arrow = statement && ts.isExpressionStatement(statement) ? statement.expression : undefined;
  if (arrow && ts.isArrowFunction(arrow) && ts.isParenthesizedExpression(arrow.body)) return arrow.body.expression;
  throw new Error(`not an expression: ${before}`);
}

/** The path of an expression from a role, as `['req', 'params', 'id']`. */
export type PathOf = (node: ts.Expression) => readonly string[] | undefined;

/** The expression without brackets and `!`. */
export function bare(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) ? bare(node.expression) : node;
}

/**
 * Compares code with patterns. `?.` is the same as `.`, and any spelling of a path from a role is the same: `id` of
 * `({ params: { id } })` matches `r.params.$name`.
 */
export class Matcher {
  readonly #roles: ReadonlySet<string>;
  readonly #pathOf: PathOf;
  readonly #isForeign: (name: ts.Identifier) => boolean;

  /** @param isForeign true if a name that is not a role belongs to the old framework, or to the language */
  constructor(roles: ReadonlySet<string>, pathOf: PathOf, isForeign: (name: ts.Identifier) => boolean) {
    this.#roles = roles;
    this.#pathOf = pathOf;
    this.#isForeign = isForeign;
  }

  match(pattern: ts.Expression, node: ts.Expression): Captures | undefined {
    const captures = new Map<string, ts.Expression | string>();
    return this.#matches(pattern, node, captures) ? captures : undefined;
  }

  #matches(pattern: ts.Expression, given: ts.Expression, captures: Map<string, ts.Expression | string>): boolean {
    if (ts.isIdentifier(pattern) && pattern.text.startsWith('$')) {
      // An object in place of a status is another form of the call.
      if (pattern.text === '$status' && ts.isObjectLiteralExpression(bare(given))) return false;
      captures.set(pattern.text, given);
      return true;
    }
    const node = bare(given);
    const path = this.#rolePath(pattern);
    if (path) return this.#matchesPath(path, this.#pathOf(node), captures);
    if (ts.isAwaitExpression(pattern)) {
      return ts.isAwaitExpression(node) && this.#matches(pattern.expression, node.expression, captures);
    }
    if (ts.isCallExpression(pattern)) return ts.isCallExpression(node) && this.#matchesCall(pattern, node, captures);
    if (ts.isNewExpression(pattern)) return ts.isNewExpression(node) && this.#matchesCall(pattern, node, captures);
    if (ts.isPropertyAccessExpression(pattern)) {
      const isSame = ts.isPropertyAccessExpression(node) && node.name.text === pattern.name.text;
      return isSame && this.#matches(pattern.expression, node.expression, captures);
    }
    if (ts.isElementAccessExpression(pattern)) {
      if (!ts.isElementAccessExpression(node) || ts.isStringLiteralLike(node.argumentExpression)) return false;
      return (
        this.#matches(pattern.expression, node.expression, captures) &&
        this.#matches(pattern.argumentExpression, node.argumentExpression, captures)
      );
    }
    if (ts.isBinaryExpression(pattern)) {
      if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== pattern.operatorToken.kind) return false;
      return this.#matches(pattern.left, node.left, captures) && this.#matches(pattern.right, node.right, captures);
    }
    if (ts.isObjectLiteralExpression(pattern))
      return ts.isObjectLiteralExpression(node) && this.#matchesObject(pattern, node, captures);
    if (ts.isIdentifier(pattern)) return ts.isIdentifier(node) && node.text === pattern.text && this.#isForeign(node);
    return node.kind === pattern.kind && node.getText() === pattern.getText();
  }

  /** The path of a pattern from a role; its last name may be `$name`. */
  #rolePath(pattern: ts.Expression): readonly string[] | undefined {
    if (ts.isIdentifier(pattern)) return this.#roles.has(pattern.text) ? [pattern.text] : undefined;
    if (!ts.isPropertyAccessExpression(pattern)) return undefined;
    const path = this.#rolePath(pattern.expression);
    return path && [...path, pattern.name.text];
  }

  #matchesPath(
    pattern: readonly string[],
    path: readonly string[] | undefined,
    captures: Map<string, ts.Expression | string>,
  ): boolean {
    if (path?.length !== pattern.length) return false;
    return pattern.every((name, at) => {
      const found = path[at] ?? '';
      if (!name.startsWith('$')) return name === found;
      captures.set(name, found);
      return true;
    });
  }

  #matchesCall(
    pattern: ts.CallExpression | ts.NewExpression,
    node: ts.CallExpression | ts.NewExpression,
    captures: Map<string, ts.Expression | string>,
  ): boolean {
    const [wanted, found] = [pattern.arguments ?? [], node.arguments ?? []];
    if (wanted.length !== found.length || !this.#matches(pattern.expression, node.expression, captures)) return false;
    const types = node.typeArguments;
    captures.set('$T', types ? `<${types.map((type) => type.getText()).join(', ')}>` : '');
    return wanted.every((argument, at) => {
      const given = found[at];
      return given !== undefined && !ts.isSpreadElement(given) && this.#matches(argument, given, captures);
    });
  }

  #matchesObject(
    pattern: ts.ObjectLiteralExpression,
    node: ts.ObjectLiteralExpression,
    captures: Map<string, ts.Expression | string>,
  ): boolean {
    if (pattern.properties.length !== node.properties.length) return false;
    return pattern.properties.every((wanted) => {
      const found = node.properties.find((one) => one.name?.getText() === wanted.name?.getText());
      if (!found || !ts.isPropertyAssignment(wanted)) return false;
      if (ts.isShorthandPropertyAssignment(found)) return this.#matches(wanted.initializer, found.name, captures);
      return ts.isPropertyAssignment(found) && this.#matches(wanted.initializer, found.initializer, captures);
    });
  }
}
