import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { readWorkspace, sourceEntries } from './workspace.js';

/** The source files of one package, as the rules of its anatomy need them. */
export interface SourcePackage {
  /** `core`. */
  readonly name: string;
  /** Paths relative to the package's `src`. */
  readonly entries: readonly string[];
  readonly files: ReadonlyMap<string, SourceFile>;
}

export interface SourceFile {
  /** Files of the same package that it imports or re-exports, types too. */
  readonly imports: readonly string[];
  /** Names that it re-exports, by the file that they come from; `*` for all. */
  readonly reexports: ReadonlyMap<string, readonly string[]>;
  /** Names that it declares and exports. */
  readonly exports: readonly string[];
  /** True if it contains only imports and re-exports. */
  readonly isBarrel: boolean;
}

/** The packages of a workspace, with every source file that git tracks. */
export function readSources(root: string, tracked: readonly string[]): readonly SourcePackage[] {
  return readWorkspace(root, ['packages']).map(({ folder, manifest }) => {
    const source = `${folder}/src/`;
    const paths = tracked.filter((file) => file.startsWith(source) && file.endsWith('.ts'));
    const files = new Map(
      paths.map((file) => [
        file.slice(source.length),
        parse(file.slice(source.length), readFileSync(join(root, file), 'utf8')),
      ]),
    );
    const entries = [...sourceEntries(manifest).values()].map((file) => file.replace(/^src\//, ''));
    return { name: posix.basename(folder), entries, files };
  });
}

/** Reads one file. */
export function parse(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const imports: string[] = [];
  const reexports = new Map<string, string[]>();
  const exported: string[] = [];
  let isBarrel = true;
  for (const statement of tree.statements) {
    const from = targetOf(path, statement);
    if (from !== undefined) imports.push(from);
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      const names =
        clause && ts.isNamedExports(clause) ? clause.elements.map((e) => (e.propertyName ?? e.name).text) : ['*'];
      if (from !== undefined) reexports.set(from, [...(reexports.get(from) ?? []), ...names]);
      else if (statement.moduleSpecifier === undefined) exported.push(...names);
    } else if (!ts.isImportDeclaration(statement)) {
      isBarrel = false;
      if (isExported(statement)) exported.push(...namesOf(statement));
    }
  }
  for (const match of text.matchAll(/import\('(\.{1,2}\/[^']+)'\)/g)) imports.push(resolve(path, match[1] ?? ''));
  return { imports: [...new Set(imports)], reexports, exports: exported, isBarrel };
}

function targetOf(path: string, statement: ts.Statement): string | undefined {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return undefined;
  const specifier = statement.moduleSpecifier;
  if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return undefined;
  return resolve(path, specifier.text);
}

function resolve(path: string, specifier: string): string {
  return posix.normalize(posix.join(dirname(path), specifier)).replace(/\.js$/, '.ts');
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some((m) => m.kind === ts.SyntaxKind.ExportKeyword)
  );
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const name =
    ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement) || isNamed(statement)
      ? statement.name
      : undefined;
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

function isNamed(node: ts.Statement): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.EnumDeclaration {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node);
}

/** The violations of the rules, one entry for each. */
export function judgeAnatomy({ entries, files }: SourcePackage): readonly string[] {
  const published = publishedNames(entries, files);
  return [
    ...entries.filter((entry) => !isEntry(files.get(entry))).map((entry) => `${entry} is an entry and no barrel`),
    ...[...files].flatMap(([path, file]) => {
      if (entries.includes(path) || isInternal(path) || isCatalogued(path)) return [];
      const names = published.get(path) ?? [];
      return file.exports.some((name) => names.includes(name) || names.includes('*'))
        ? []
        : [`${path} is exported by no entry and belongs under internal/`];
    }),
    ...circles(files).map((circle) => `circle of imports: ${circle.join(' → ')}`),
  ];
}

/** A barrel, or data without imports: the schema of a table must not load other code. */
function isEntry(file: SourceFile | undefined): boolean {
  return file !== undefined && (file.isBarrel || file.imports.length === 0);
}

function isInternal(path: string): boolean {
  return path.split('/').includes('internal') || path.endsWith('/internal.ts');
}

/** An entry of a catalogue, which one published table holds. */
function isCatalogued(path: string): boolean {
  return path.startsWith('catalogue/');
}

/** The names of each file that entries re-export, also through other barrels. */
function publishedNames(
  entries: readonly string[],
  files: SourcePackage['files'],
): ReadonlyMap<string, readonly string[]> {
  const published = new Map<string, string[]>();
  const visit = (path: string, wanted: readonly string[]) => {
    published.set(path, [...(published.get(path) ?? []), ...wanted]);
    for (const [from, names] of files.get(path)?.reexports ?? []) {
      const passed = wanted.includes('*') ? names : names.filter((name) => name === '*' || wanted.includes(name));
      if (passed.length > 0) visit(from, passed.includes('*') ? wanted : passed);
    }
  };
  for (const entry of entries) visit(entry, ['*']);
  return published;
}

/** Circles of imports, each once, by its smallest path. */
function circles(files: SourcePackage['files']): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]) => {
    const from = above.indexOf(path);
    if (from >= 0) {
      const circle = above.slice(from);
      found.set([...circle].sort().join(' '), circle);
      return;
    }
    if (done.has(path)) return;
    for (const next of files.get(path)?.imports ?? []) visit(next, [...above, path]);
    done.add(path);
  };
  for (const path of files.keys()) visit(path, []);
  return [...found.values()];
}
