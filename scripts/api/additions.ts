import ts from 'typescript';

/**
 * True if a declaration has all its earlier parts, and no others except additions: optional members, members of a class, overloads,
 * optional parameters at the end.
 *
 * @param before a declaration on one line, as {@link readSignatures} of `signatures.ts` writes it
 */
export function isAddition(before: string, after: string): boolean {
  const [old, now] = [parse(before), parse(after)];
  if (old === undefined || now === undefined || old.rest !== now.rest) return false;
  const had = new Set(old.parts.map(({ text }) => text));
  const has = new Set(now.parts.flatMap(({ text, shorter }) => [text, ...shorter]));
  return [...had].every((text) => has.has(text)) && now.parts.every((part) => part.isOptional || had.has(part.text));
}

interface Parsed {
  /** The declaration without its members. */
  readonly rest: string;
  readonly parts: readonly Part[];
}

interface Part {
  readonly text: string;
  readonly isOptional: boolean;
  /** The same without its last optional parameters. */
  readonly shorter: readonly string[];
}

/** The members of an interface or a class, or the overloads of a function; `undefined` for other declarations. */
function parse(declaration: string): Parsed | undefined {
  const text = `declare ${declaration.replaceAll('; function ', '; declare function ')}`;
  const { statements } = ts.createSourceFile('a.d.ts', text, ts.ScriptTarget.Latest, true);
  const [first] = statements;
  if (first && statements.length === 1 && (ts.isInterfaceDeclaration(first) || ts.isClassDeclaration(first))) {
    const members: readonly (ts.TypeElement | ts.ClassElement)[] = first.members;
    const isClass = ts.isClassDeclaration(first);
    return { rest: text.slice(0, first.members.pos), parts: members.map((member) => toPart(member, isClass)) };
  }
  const functions = statements.filter(ts.isFunctionDeclaration);
  if (functions.length < statements.length) return undefined;
  return { rest: '', parts: functions.map((one) => toPart(one, true)) };
}

function toPart(node: ts.TypeElement | ts.ClassElement | ts.FunctionDeclaration, mayBeNew: boolean): Part {
  const isOptional = mayBeNew || ('questionToken' in node && node.questionToken !== undefined);
  return { text: clean(node.getText()), isOptional, shorter: ts.isFunctionLike(node) ? shorterOf(node) : [] };
}

function shorterOf(node: ts.SignatureDeclaration): readonly string[] {
  const { parameters } = node;
  const last = parameters.findLastIndex((one) => one.questionToken === undefined && one.dotDotDotToken === undefined);
  const text = node.getText();
  const [start, end] = [parameters.pos, parameters.end].map((place) => place - node.getStart());
  return parameters.slice(last + 1).map((_, index) => {
    const kept = parameters.slice(0, last + 1 + index).map((one) => one.getText());
    return clean(`${text.slice(0, start)}${kept.join(', ')}${text.slice(end)}`);
  });
}

const clean = (text: string) => text.replace(/;$/, '');
