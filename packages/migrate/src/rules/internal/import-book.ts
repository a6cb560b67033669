import ts from 'typescript';
import { type FileDesk, literalText, visitAll } from './rule.js';

/** The imports of one file that a rule adds and removes, written together at the end. */
export class ImportBook {
  readonly #desk: FileDesk;
  /** Names to import, by module. */
  readonly #wanted = new Map<string, Set<string>>();
  /** The remaining uses of each import of the file, after the removed uses. */
  readonly #released = new Map<ts.ImportSpecifier, number>();

  constructor(desk: FileDesk) {
    this.#desk = desk;
  }

  /** Returns the local name of an export, and imports it if necessary. */
  use(module: string, name: string): string {
    const there = this.#importsOf(module)
      .flatMap((one) => namesOf(one))
      .find(({ imported }) => imported === name);
    if (there) return there.local;
    this.#wanted.set(module, (this.#wanted.get(module) ?? new Set()).add(name));
    return name;
  }

  /** Records that one use of an import was removed. */
  release(specifier: ts.ImportSpecifier): void {
    this.#released.set(specifier, (this.#released.get(specifier) ?? 0) + 1);
  }

  /** Writes the imports: new imports after the removed import, or after the last import. */
  write(): void {
    const free = [...this.#released]
      .filter(([specifier, count]) => this.#usesOf(specifier) === count)
      .map(([one]) => one);
    const missing: string[] = [];
    for (const [module, names] of this.#wanted) {
      const [into] = this.#importsOf(module).filter((one) => namesOf(one).length > 0 && !isTypeOnly(one));
      const last = into?.importClause?.namedBindings;
      if (last && ts.isNamedImports(last))
        this.#desk.edit(last.elements.end, last.elements.end, [...names].map((name) => `, ${name}`).join(''));
      else missing.push(this.#line(module, names));
    }
    const [gone] = free.map((specifier) => ts.findAncestor(specifier, ts.isImportDeclaration));
    const isWhole = gone !== undefined && namesOf(gone).length === free.length && !gone.importClause?.name;
    if (isWhole && missing.length > 0) this.#desk.replace(gone, missing.sort().join(this.#desk.newLine));
    else if (isWhole) this.#desk.removeStatement(gone);
    else {
      for (const specifier of free) this.#removeElement(specifier);
      if (missing.length > 0) this.#insert(missing, gone);
    }
  }

  #importsOf(module: string): readonly ts.ImportDeclaration[] {
    return this.#desk.source.statements
      .filter((node) => ts.isImportDeclaration(node))
      .filter((node) => literalText(node.moduleSpecifier) === module);
  }

  #line(module: string, names: ReadonlySet<string>): string {
    const { quote, semicolon } = this.#desk;
    return `import { ${[...names].join(', ')} } from ${quote}${module}${quote}${semicolon}`;
  }

  #insert(lines: readonly string[], behind: ts.ImportDeclaration | undefined): void {
    const { newLine, source } = this.#desk;
    const last = behind ?? source.statements.filter((node) => ts.isImportDeclaration(node)).at(-1);
    const text = [...lines].sort().join(newLine);
    if (last) this.#desk.edit(last.end, last.end, newLine + text);
    else {
      const start = source.statements[0]?.getStart(source) ?? 0;
      this.#desk.edit(start, start, text + newLine);
    }
  }

  /** The maximum number of uses of a name: a member or another variable of the same name only keeps an import. */
  #usesOf({ name, propertyName }: ts.ImportSpecifier): number {
    let count = 0;
    visitAll(this.#desk.source, (node) => {
      if (!ts.isIdentifier(node) || node === name || node === propertyName || node.text !== name.text) return;
      if (!(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node)) count += 1;
    });
    return count;
  }

  /** Removes a name from the braces, with the following comma, or with the preceding comma for the last name. */
  #removeElement(specifier: ts.ImportSpecifier): void {
    const { elements } = specifier.parent;
    const at = elements.indexOf(specifier);
    const next = elements[at + 1];
    const before = elements[at - 1];
    if (next) this.#desk.edit(specifier.getStart(), next.getStart(), '');
    else if (before) this.#desk.edit(before.end, specifier.end, '');
  }
}

function namesOf({ importClause }: ts.ImportDeclaration): readonly { imported: string; local: string }[] {
  const bindings = importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map(({ propertyName, name }) => ({
    imported: (propertyName ?? name).text,
    local: name.text,
  }));
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  return importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}
