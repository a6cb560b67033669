import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { readWorkspace, sourceEntries } from '../check/workspace.js';

/** Declarations as text without comments, by `@sallyport/http/openapi toOpenApi`, or by `@sallyport/http ~Name` for a type that only they name. */
export type Signatures = Readonly<Record<string, string>>;

/** Reads the built declarations (`dist/*.d.ts`) of every published package. No type checker is needed, because they have no inferred types. */
export function readSignatures(root: string): Signatures {
  const found = new Map<string, string>();
  for (const { folder, manifest } of readWorkspace(root, ['packages'])) {
    if (manifest.private === true) continue;
    const reader = new Reader(join(root, folder));
    const entries = [...sourceEntries(manifest)].map(
      ([subpath, file]) => [`${manifest.name}${subpath.slice(1)}`, reader.exportsOf(toBuilt(file))] as const,
    );
    const exported = new Set(entries.flatMap(([, places]) => [...places.values()].map(keyOf)));
    for (const [entry, places] of entries)
      for (const [name, place] of places) found.set(`${entry} ${name}`, reader.textOf(place));
    const hidden = reader.hiddenBelow([...new Set(entries.flatMap(([, places]) => [...places.values()]))], exported);
    for (const place of hidden) {
      const key = `${manifest.name} ~${place.name}`;
      found.set(key, [found.get(key), reader.textOf(place)].filter((text) => text !== undefined).join('; '));
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `src/a.ts` is built as `dist/a.d.ts`. */
function toBuilt(source: string): string {
  return source.replace(/^src\//, 'dist/').replace(/\.ts$/, '.d.ts');
}

/** The place of a declaration: a file of the package, or the specifier of another package. */
interface Place {
  readonly file: string;
  readonly name: string;
}

const keyOf = ({ file, name }: Place) => `${file} ${name}`;

interface Module {
  readonly source: ts.SourceFile;
  /** By local name. */
  readonly declared: ReadonlyMap<string, readonly ts.Node[]>;
  readonly imported: ReadonlyMap<string, Place>;
}

const PRINTER = ts.createPrinter({ removeComments: true });

/** Reads the declarations of one package. */
class Reader {
  readonly #modules = new Map<string, Module>();

  constructor(private readonly folder: string) {}

  /** The declarations of the exported names of a file. */
  exportsOf(file: string): ReadonlyMap<string, Place> {
    const found = new Map<string, Place>();
    const { source, declared, imported } = this.#read(file);
    for (const [name, nodes] of declared) if (nodes.some(isExported)) found.set(name, { file, name });
    for (const statement of source.statements) {
      if (!ts.isExportDeclaration(statement)) continue;
      const from = statement.moduleSpecifier && this.#resolve(file, textOf(statement.moduleSpecifier));
      const clause = statement.exportClause;
      if (clause && ts.isNamedExports(clause)) {
        for (const { name, propertyName = name } of clause.elements) {
          const local = textOf(propertyName);
          const place = from ? { file: from, name: local } : (imported.get(local) ?? { file, name: local });
          found.set(textOf(name), this.#origin(place));
        }
      } else if (from) for (const [name, place] of this.exportsOf(from)) found.set(name, place);
    }
    return found;
  }

  /** All declarations of a name, with their members in order of the alphabet. */
  textOf({ file, name }: Place): string {
    if (!isOwn(file)) return `from ${file} ${name}`;
    const { source, declared } = this.#read(file);
    return (declared.get(name) ?? []).map((node) => print(node, source)).join('; ');
  }

  /** The declarations that some declarations name and that are not among the exported ones, with the declarations that these name. */
  hiddenBelow(places: readonly Place[], exported: ReadonlySet<string>): readonly Place[] {
    const found = new Map<string, Place>();
    const visit = (place: Place) => {
      for (const one of this.#namedBy(place)) {
        if (exported.has(keyOf(one)) || found.has(keyOf(one))) continue;
        found.set(keyOf(one), one);
        visit(one);
      }
    };
    for (const place of places) visit(place);
    return [...found.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  #namedBy({ file, name }: Place): readonly Place[] {
    if (!isOwn(file)) return [];
    const { declared, imported } = this.#read(file);
    const names = new Set<string>();
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) names.add(node.text);
      ts.forEachChild(node, visit);
    };
    for (const node of declared.get(name) ?? []) visit(node);
    names.delete(name);
    return [...names].flatMap((one) => {
      if (declared.has(one)) return [{ file, name: one }];
      const place = imported.get(one);
      return place && isOwn(place.file) ? [this.#origin(place)] : [];
    });
  }

  /** The declaration of a name that a file exports. */
  #origin(place: Place): Place {
    if (!isOwn(place.file) || this.#read(place.file).declared.has(place.name)) return place;
    return this.exportsOf(place.file).get(place.name) ?? place;
  }

  #read(file: string): Module {
    const known = this.#modules.get(file);
    if (known) return known;
    const path = join(this.folder, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const declared = new Map<string, ts.Node[]>();
    const imported = new Map<string, Place>();
    for (const statement of source.statements) {
      for (const [name, node] of declarationsOf(statement)) declared.set(name, [...(declared.get(name) ?? []), node]);
      if (!ts.isImportDeclaration(statement)) continue;
      const from = this.#resolve(file, textOf(statement.moduleSpecifier));
      const bindings = statement.importClause?.namedBindings;
      if (!bindings || !ts.isNamedImports(bindings)) continue;
      for (const { name, propertyName = name } of bindings.elements)
        imported.set(name.text, { file: from, name: textOf(propertyName) });
    }
    const module = { source, declared, imported };
    this.#modules.set(file, module);
    return module;
  }

  /** A file of the package, or the specifier of another package. */
  #resolve(from: string, specifier: string): string {
    if (specifier.startsWith('#')) return this.#resolve('', this.#ownImport(specifier));
    return specifier.startsWith('.') ? join(dirname(from), specifier).replace(/\.js$/, '.d.ts') : specifier;
  }

  /** The built file of `#cors`, which bundles can leave out. */
  #ownImport(specifier: string): string {
    const { imports = {} } = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')) as {
      readonly imports?: Readonly<Record<string, { readonly default: string }>>;
    };
    return imports[specifier]?.default ?? specifier.slice(1);
  }
}

const isOwn = (file: string) => file.endsWith('.d.ts');

function textOf(node: ts.Node): string {
  return ts.isStringLiteral(node) || ts.isIdentifier(node) ? node.text : node.getText();
}

function isExported(node: ts.Node): boolean {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function declarationsOf(statement: ts.Statement): readonly (readonly [name: string, node: ts.Node])[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((one) => [one.name.getText(), one]);
  const { name } = statement as ts.DeclarationStatement;
  return name ? [[textOf(name), statement]] : [];
}

/** A declaration on one line, without comments and without `export declare`. */
function print(node: ts.Node, source: ts.SourceFile): string {
  const sorted = ts.transform(node, [sortMembers(source)]).transformed[0] ?? node;
  const text = PRINTER.printNode(ts.EmitHint.Unspecified, sorted, source).replaceAll(/\s+/g, ' ');
  return text.replace(/^(?:export |default |declare )+/, '').replace(/;$/, '');
}

/** The order of members and of a union is of no meaning, and the compiler selects that of an inferred union. Overloads keep theirs. */
function sortMembers(source: ts.SourceFile): ts.TransformerFactory<ts.Node> {
  const nameOf = ({ name }: ts.TypeElement | ts.ClassElement) => name?.getText(source) ?? '';
  const order = <T extends ts.Node>(nodes: readonly T[], keyOf: (node: T) => string) =>
    nodes
      .map((node) => [keyOf(node), node] as const)
      .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
      .map(([, node]) => node);
  return (context) => {
    const { factory } = context;
    const visit = (given: ts.Node): ts.Node => {
      if (ts.isInterfaceDeclaration(given) || ts.isClassDeclaration(given)) {
        // The names are read before the members are replaced.
        const names = new Map<ts.Node, string>();
        const members = [...given.members].map((member: ts.TypeElement | ts.ClassElement) => {
          const visited = ts.visitEachChild(member, visit, context);
          names.set(visited, nameOf(member));
          return visited;
        });
        const sorted = order<ts.TypeElement | ts.ClassElement>(members, (member) => names.get(member) ?? '');
        const { modifiers, name, typeParameters, heritageClauses } = given;
        return ts.isClassDeclaration(given)
          ? factory.updateClassDeclaration(
              given,
              modifiers,
              name,
              typeParameters,
              heritageClauses,
              sorted as ts.ClassElement[],
            )
          : factory.updateInterfaceDeclaration(
              given,
              modifiers,
              given.name,
              typeParameters,
              heritageClauses,
              sorted as ts.TypeElement[],
            );
      }
      const node = ts.visitEachChild(given, visit, context);
      if (!ts.isUnionTypeNode(node)) return node;
      const print = (one: ts.Node) => PRINTER.printNode(ts.EmitHint.Unspecified, one, source);
      return factory.updateUnionTypeNode(node, factory.createNodeArray(order([...node.types], print)));
    };
    return visit;
  };
}
