import ts from 'typescript';
import { CODES, type Framework, SUCCESSORS } from './framework.js';
import { type Captures, type CompiledRewrite, Matcher, parsePatternText } from './pattern.js';
import { exportOf, type Func, isFunc } from './roles.js';
import { FRAMEWORKS, type KnownFunc, type Service } from './service.js';

/** A construct that was not rewritten. */
export interface Todo {
  readonly node: ts.Node;
  readonly text: string;
}

/** The function whose body is being rewritten. */
export interface Frame {
  readonly func: Func;
  readonly known: KnownFunc;
  /** True if the answers have headers of the variable `headers`, or the status of the variable `status`. */
  readonly sets: { headers: boolean; status: boolean };
  /** True once the variable `answer` is declared, in a middleware. */
  hasAnswer: boolean;
  isAsync: boolean;
}

/** Rewrites one kind of node; `undefined` if it does not apply, `''` for a statement that disappears. */
export type Step = (node: ts.Node, renderer: Renderer) => string | undefined;

function compiledOf({ compiled }: Service, framework: Framework): readonly CompiledRewrite[] {
  const there = compiled.get(framework);
  if (there) return there;
  const made = framework.rewrites.map(({ before, after, isAnswer = false }) => {
    return { pattern: parsePatternText(before), after, isAnswer };
  });
  compiled.set(framework, made);
  return made;
}

/** Writes the new text of one file. Only rewritten nodes change; everything between them is kept. */
export class Renderer {
  readonly service: Service;
  readonly source: ts.SourceFile;
  readonly isTyped: boolean;
  /** The successors that the new text uses, with their local names. */
  readonly used = new Map<string, string>();
  /** Constructs that were not rewritten. */
  readonly todos: Todo[] = [];
  /** Functions of the framework that the new text needs at the end of the file. */
  readonly helpers = new Set<'withHeaders'>();
  readonly #steps: readonly Step[];
  readonly #frames: Frame[] = [];
  readonly #matchers = new Map<KnownFunc, Matcher>();
  readonly #inner = new Set<ts.Node>();
  #pending: string[] = [];

  constructor(service: Service, source: ts.SourceFile, steps: readonly Step[]) {
    this.service = service;
    this.source = source;
    this.isTyped = /\.[mc]?tsx?$/.test(source.fileName);
    this.#steps = steps;
  }

  get frame(): Frame | undefined {
    return this.#frames.at(-1);
  }

  /** Runs `work` for the body of a function. */
  within<T>(frame: Frame, work: () => T): T {
    this.#frames.push(frame);
    try {
      return work();
    } finally {
      this.#frames.pop();
    }
  }

  textOf(node: ts.Node): string {
    return node.getText(this.source);
  }

  /** The new text of a node, without its leading comments. */
  render(node: ts.Node): string {
    for (const step of this.#steps) {
      const text = step(node, this);
      if (text !== undefined) return text;
    }
    return this.renderChildren(node);
  }

  /** The new text of a node without the steps that call {@link isInner}. */
  renderInner(node: ts.Node): string {
    this.#inner.add(node);
    try {
      return this.render(node);
    } finally {
      this.#inner.delete(node);
    }
  }

  /** True while a step that wraps a node renders the node itself. */
  isInner(node: ts.Node): boolean {
    return this.#inner.has(node);
  }

  /** The code of a node with the new code of its children. */
  renderChildren(node: ts.Node): string {
    let text = '';
    let at = node.getStart(this.source);
    ts.forEachChild(node, (child) => {
      if (child.end <= at && child.end !== child.pos) return;
      const start = child.getStart(this.source);
      if (start < at) return;
      const between = this.source.text.slice(at, start);
      const isStatement = ts.isStatement(child) && hasStatements(node);
      const rendered = isStatement ? this.#renderStatement(child) : this.render(child);
      text += isStatement && rendered === '' ? between.trimEnd() : between + rendered;
      at = child.end;
    });
    return text + this.source.text.slice(at, node.end);
  }

  /** A statement, below one line for each construct in it that was not rewritten. */
  #renderStatement(node: ts.Statement): string {
    const outer = this.#pending;
    this.#pending = [];
    const text = this.render(node);
    const leading = this.source.text.slice(node.pos, node.getStart(this.source));
    const lines = [...new Set(this.#pending)]
      .map((line) => `// TODO(sallyport): ${line}\n${this.indentOf(node)}`)
      .filter((line) => !leading.includes(line.trimEnd()));
    this.#pending = outer;
    return text === '' ? lines.join('').trimEnd() : lines.join('') + text;
  }

  /** The statement of a source file. */
  renderTop(node: ts.Statement): string {
    return this.#renderStatement(node);
  }

  indentOf(node: ts.Node): string {
    const start = node.getStart(this.source);
    const line = this.source.text.slice(this.source.text.lastIndexOf('\n', start - 1) + 1, start);
    return /^[ \t]*/.exec(line)?.[0] ?? '';
  }

  /** Leaves a line for the user above the statement of a node. */
  todo(node: ts.Node, text: string): void {
    this.todos.push({ node, text });
    this.#pending.push(text);
    const { frame } = this;
    if (frame) frame.known.left += 1;
  }

  /** The local name of a successor, which will be imported. */
  name(successor: string): string {
    const there = this.used.get(successor);
    if (there !== undefined) return there;
    const local = this.#isTaken(successor) ? `to${successor[0]?.toUpperCase()}${successor.slice(1)}` : successor;
    this.used.set(successor, local);
    return local;
  }

  /** True if the file has a declaration of the name; imports of old frameworks disappear. */
  #isTaken(name: string): boolean {
    let isTaken = false;
    const visit = (node: ts.Node): void => {
      const isName = ts.isIdentifier(node) && node.text === name;
      if (isName && (node.parent as { name?: ts.Node }).name === node && isBinding(node.parent)) isTaken = true;
      ts.forEachChild(node, visit);
    };
    visit(this.source);
    return isTaken;
  }

  /** The path of an expression from a role of the current function. */
  pathOf(node: ts.Expression): readonly string[] | undefined {
    for (const { known } of [...this.#frames].reverse()) {
      const path = known.roles.pathOf(node);
      if (path) return path;
    }
    return undefined;
  }

  /** The first rule that matches an expression. */
  match(node: ts.Expression): { readonly rule: CompiledRewrite; readonly captures: Captures } | undefined {
    const { frame } = this;
    const frameworks = frame ? [frame.known.framework] : FRAMEWORKS;
    for (const framework of frameworks) {
      const matcher = this.#matcherOf(framework, frame?.known);
      for (const rule of compiledOf(this.service, framework)) {
        const captures = matcher.match(rule.pattern, node);
        if (captures) return { rule, captures };
      }
    }
    return undefined;
  }

  #matcherOf(framework: Framework, known: KnownFunc | undefined): Matcher {
    const there = known && this.#matchers.get(known);
    if (there) return there;
    const roles = new Set(['req', 'res', 'c', 'r', 'event', 'context', 'next', 'err']);
    const isForeign = (name: ts.Identifier) => {
      const from = exportOf(name, this.service.checker);
      if (from === undefined) return /^[A-Z]/.test(name.text) && !/Error$|Exception$/.test(name.text);
      return framework.modules.some((module) => from.startsWith(module));
    };
    const matcher = new Matcher(roles, (node) => this.pathOf(node), isForeign);
    if (known) this.#matchers.set(known, matcher);
    return matcher;
  }

  /** The code of a rule's result. */
  expand(after: string, captures: Captures): string {
    const types = captures.get('$T');
    const status = this.frame?.sets.status ? 'status' : '200';
    const typed = after
      .replace('$T', typeof types === 'string' && types !== '' ? types : '<any>')
      .replace('<any>', this.isTyped ? '<any>' : '')
      .replace(' as any)', this.isTyped ? ' as any)' : ')')
      .replace('$STATUS', status);
    const named = typed.replaceAll(/(?<![.\w$'])([A-Za-z]\w*)(?=[(.])/g, (word) =>
      Object.hasOwn(SUCCESSORS, word) ? this.name(word) : word,
    );
    const withErrors = named.replace(/#error\((\$\w+|\d+), ('[^']*'|\$\w+)\)/, (_, code: string, message: string) =>
      this.#errorText(code, message, captures),
    );
    const withHeaders = withErrors.replace(/#with\((.*), (\$\w+)\)$/, (_, answer: string, headers: string) => {
      this.helpers.add('withHeaders');
      return `withHeaders(${answer}, ${headers})`;
    });
    return withHeaders.replaceAll(/\$[a-z]\w*/g, (name) => {
      const found = captures.get(name);
      if (found === undefined) return name;
      return typeof found === 'string' ? found.replaceAll("'", "\\'") : this.render(found);
    });
  }

  #errorText(code: string, message: string, captures: Captures): string {
    const found = captures.get(code);
    const text = found === undefined || typeof found === 'string' ? code : this.render(found);
    const known = Object.hasOwn(CODES, text) ? CODES[text] : undefined;
    const error = `new ${this.name('FrameworkError')}`;
    if (known !== undefined) return `${error}('${known}', ${message})`;
    return `${error}('app.http_error', ${message}, { statusCode: ${text} })`;
  }

  /** An answer of the current function, with the headers that were set before. */
  answer(text: string, headers?: string): string {
    const sets = this.frame?.sets.headers === true;
    if (!sets && headers === undefined) return text;
    this.helpers.add('withHeaders');
    const all = sets && headers !== undefined ? `{ ...headers, ${headers} }` : sets ? 'headers' : `{ ${headers} }`;
    return `withHeaders(${text}, ${all})`;
  }
}

function hasStatements(node: ts.Node): boolean {
  return ts.isBlock(node) || ts.isSourceFile(node) || ts.isCaseOrDefaultClause(node) || ts.isModuleBlock(node);
}

function isBinding(node: ts.Node): boolean {
  if (ts.isImportSpecifier(node) || ts.isImportClause(node) || ts.isNamespaceImport(node)) {
    const module = ts.findAncestor(node, ts.isImportDeclaration)?.moduleSpecifier.getText().slice(1, -1) ?? '';
    const replaced = ['aws-lambda', ...FRAMEWORKS.flatMap(({ modules }) => modules)];
    return !replaced.some((old) => module === old || module.startsWith(`${old}/`));
  }
  return ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node) || isFunc(node);
}
