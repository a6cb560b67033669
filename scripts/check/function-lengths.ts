import ts from 'typescript';

/** One function, by its lines. */
export interface FunctionLength {
  readonly lines: number;
  /** True if it has a name to read: all but callbacks and other functions that are passed where they are written. */
  readonly isNamed: boolean;
}

/**
 * The length of each function of a file, in lines from its first modifier or parameter to its closing brace, both included.
 *
 * Functions are all nodes with a body: declarations, methods, constructors, accessors, function expressions and arrow
 * functions, including functions that are passed as arguments (a callback of one line counts 1). Nodes without a body, such as an overload or
 * an abstract method, do not count, and comments above a function do not either. A nested function counts
 * twice: alone, and as lines of the outer function.
 */
export function functionLengths(path: string, text: string): readonly FunctionLength[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lengths: FunctionLength[] = [];
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && (node as ts.FunctionLikeDeclaration).body !== undefined) {
      lengths.push({ lines: lineOf(node.end) - lineOf(node.getStart(file)) + 1, isNamed: isNamed(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lengths;
}

function isNamed(node: ts.Node): boolean {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return true;
  const { parent } = node;
  return (
    (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) || ts.isPropertyAssignment(parent)) &&
    parent.initializer === node
  );
}

/** The value below which a `share` of the values are: `percentile([1, 2, 3, 4], 0.5)` is 3. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
