import ts from 'typescript';

/** A change of one expression or statement that a test should detect. */
export interface Mutant {
  /** The kind of change, such as `boolean` or `remove`. */
  readonly operator: string;
  /** The range of the original text, as offsets in the file. */
  readonly start: number;
  readonly end: number;
  /** The replacement in its place; `''` for a removed statement. */
  readonly replacement: string;
  /** 1-based. */
  readonly line: number;
  /** The line of the source in which the range starts, without indentation. */
  readonly source: string;
}

/** A mutant with the id that turns it on. */
export interface Switched extends Mutant {
  readonly id: string;
}

/** The environment variable with the id of the mutant that is on. */
export const MUTANT_VARIABLE = 'SALLYPORT_MUTANT';

/** Replacements of a binary operator. A function builds the whole expression from its two sides. */
const BINARY: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};

/** Every mutant of a source file, in source order. */
export function findMutants(fileName: string, text: string): readonly Mutant[] {
  const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found: Mutant[] = [];
  const add = (operator: string, node: ts.Node, replacement: string) => {
    const start = node.getStart(file);
    const { line } = file.getLineAndCharacterOfPosition(start);
    found.push({
      operator,
      start,
      end: node.getEnd(),
      replacement,
      line: line + 1,
      source: (lines[line] ?? '').trim(),
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    mutantsOf(node, add);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

type Add = (operator: string, node: ts.Node, replacement: string) => void;

function mutantsOf(node: ts.Node, add: Add): void {
  if (ts.isBinaryExpression(node)) addBinary(node, add);
  else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    add('not', node, node.operand.getText());
  else if (node.kind === ts.SyntaxKind.TrueKeyword) add('boolean', node, 'false');
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add('boolean', node, 'true');
  else if (ts.isIfStatement(node)) addCondition(node.expression, add);
  else if (ts.isConditionalExpression(node)) addCondition(node.condition, add);
  else if (ts.isExpressionStatement(node) && isEffect(node.expression)) add('remove', node, '');
}

function addBinary({ left, operatorToken, right }: ts.BinaryExpression, add: Add): void {
  const node = left.parent;
  const operator = operatorToken.getText();
  if (operator === '??') add('fallback', node, left.getText());
  for (const other of BINARY[operator] ?? []) {
    add(operator, node, `${left.getText()} ${other} ${right.getText()}`);
  }
}

function addCondition(condition: ts.Expression, add: Add): void {
  add('condition', condition, 'true');
  add('condition', condition, 'false');
}

/** Calls and assignments. A call of `super` cannot be left out. */
function isEffect(expression: ts.Expression): boolean {
  const inner =
    ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
  if (ts.isCallExpression(inner)) return inner.expression.kind !== ts.SyntaxKind.SuperKeyword;
  if (!ts.isBinaryExpression(inner)) return false;
  const { kind } = inner.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

const SWITCH = '__mutant';

/** The source of a file with all given mutants, each guarded by a switch. */
export function instrument(text: string, mutants: readonly Switched[]): string {
  const render = (start: number, end: number, inside: readonly Switched[]): string => {
    let out = '';
    let at = start;
    let rest = inside;
    while (rest.length > 0) {
      const [first] = rest;
      if (first === undefined) break;
      const same = rest.filter((mutant) => mutant.start === first.start && mutant.end === first.end);
      const within = rest.filter((mutant) => !same.includes(mutant) && mutant.end <= first.end);
      const original = render(first.start, first.end, within);
      out += text.slice(at, first.start) + switched(same, original);
      at = first.end;
      rest = rest.filter((mutant) => mutant.start >= first.end);
    }
    return out + text.slice(at, end);
  };
  const sorted = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end);
  return `${render(0, text.length, sorted)}\n${PRELUDE}\n`;
}

function switched(same: readonly Switched[], original: string): string {
  const statement = same.find(({ operator }) => operator === 'remove');
  if (statement) return `if (${SWITCH}(${JSON.stringify(statement.id)})) {} else { ${original} }`;
  const choices = same.map(({ id, replacement }) => `${SWITCH}(${JSON.stringify(id)}) ? (${replacement}) : `);
  return `(${choices.join('')}(${original}))`;
}

/** Appended to every file: function declarations are available before the first statement runs. */
const PRELUDE = `function ${SWITCH}(id: string): boolean {
  const all = globalThis as any;
  if (all.__reachedMutants) all.__reachedMutants.add(id);
  else if (all.process?.env?.SALLYPORT_REACHED) {
    all.__reachedInChild ??= new Set();
    if (!all.__reachedInChild.has(id)) {
      all.__reachedInChild.add(id);
      all.process.getBuiltinModule?.('node:fs').appendFileSync(all.process.env.SALLYPORT_REACHED + '/children', (all.process.env.SALLYPORT_TEST_FILE ?? '') + '\\t' + id + '\\n');
    }
  }
  return all.process?.env?.${MUTANT_VARIABLE} === id;
}`;
