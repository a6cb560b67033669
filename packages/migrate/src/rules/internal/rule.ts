import ts from 'typescript';
import type { Edit } from '../../internal/edits.js';
import { type CodeProgram, pathOf } from '../../internal/program.js';
import type { Mapping } from '../../mapping/mapping.js';

/** A manual step that a rule has found. */
export interface Remark {
  readonly path: string;
  /** The offset in the source of the rule. */
  readonly place: number;
  readonly text: string;
}

/** A handler of an old framework, and its outcome. */
export interface FoundHandler {
  readonly path: string;
  /** The offset in the source of the rule. */
  readonly place: number;
  /** `GET /orders/{id}`, `queue orders`. */
  readonly name: string;
  readonly outcome: 'rewritten' | 'mounted' | 'left';
}

/** The findings of a rule in all files. */
export interface Findings {
  /** By path. */
  readonly edits: Map<string, Edit[]>;
  readonly remarks: Remark[];
  readonly handlers: FoundHandler[];
}

/** A rule for code: reads the program and returns its edits. */
export type CodeRule = (code: CodeProgram, mapping: Mapping, sources: readonly ts.SourceFile[]) => Findings;

/** The rule's view of one file: its properties, edits and manual steps. */
export class FileDesk {
  readonly source: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  /** The most common quote of the file's imports. */
  readonly quote: "'" | '"';
  readonly semicolon: '' | ';';
  readonly newLine: '\n' | '\r\n';
  readonly #findings: Findings;

  constructor(source: ts.SourceFile, checker: ts.TypeChecker, findings: Findings) {
    this.source = source;
    this.checker = checker;
    this.#findings = findings;
    const imports = source.statements.filter((node) => ts.isImportDeclaration(node));
    const [first] = imports;
    this.quote = first?.moduleSpecifier.getText(source).startsWith('"') ? '"' : "'";
    this.semicolon = first === undefined || first.getText(source).endsWith(';') ? ';' : '';
    this.newLine = source.text.includes('\r\n') ? '\r\n' : '\n';
  }

  get text(): string {
    return this.source.text;
  }

  /** The source of a node without leading comments. */
  textOf(node: ts.Node): string {
    return node.getText(this.source);
  }

  edit(start: number, end: number, text: string): void {
    const path = pathOf(this.source);
    const edits = this.#findings.edits.get(path);
    if (edits) edits.push({ start, end, text });
    else this.#findings.edits.set(path, [{ start, end, text }]);
  }

  replace(node: ts.Node, text: string): void {
    this.edit(node.getStart(this.source), node.end, text);
  }

  /** Replaces a module name and keeps its quotes. */
  renameModule(literal: ts.Node, name: string): void {
    this.edit(literal.getStart(this.source) + 1, literal.end - 1, name);
  }

  /** Removes a statement with the following line break; comments before it are kept. */
  removeStatement(node: ts.Statement): void {
    const rest = /^[ \t]*\r?\n?/.exec(this.text.slice(node.end))?.[0] ?? '';
    this.edit(node.getStart(this.source), node.end + rest.length, '');
  }

  remark(node: ts.Node, text: string): void {
    this.#findings.remarks.push({ path: pathOf(this.source), place: node.getStart(this.source), text });
  }
}

export function noFindings(): Findings {
  return { edits: new Map(), remarks: [], handlers: [] };
}

/** Visits every node of a file in source order, including JSDoc comments. */
export function visitAll(root: ts.Node, visit: (node: ts.Node) => void): void {
  visit(root);
  for (const comment of (root as { readonly jsDoc?: readonly ts.Node[] }).jsDoc ?? []) visitAll(comment, visit);
  ts.forEachChild(root, (child) => visitAll(child, visit));
}

/** The value of a literal that is a module name or a key. */
export function literalText(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** True if a name has no declaration: `require`, `process`, `jest`. */
export function isGlobal(name: ts.Identifier, checker: ts.TypeChecker): boolean {
  return (checker.getSymbolAtLocation(name)?.declarations ?? []).length === 0;
}
