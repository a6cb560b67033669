import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const SOURCE = '@sallyport/source';

/** One name that an entry of a package exports. */
export interface PublicName {
  /** The specifier of an import: `@sallyport/http/openapi`. */
  readonly entry: string;
  readonly name: string;
  /** False for a value, which is often a type too. */
  readonly isType: boolean;
}

/** Every name that the published packages export, by entry. Entries are lists of exports, so that no type checker is needed. */
export function publicNames(root: string): readonly PublicName[] {
  return readdirSync(join(root, 'packages'))
    .sort()
    .flatMap((folder) => {
      const { name, exports = {}, ...manifest } = readManifest(join(root, 'packages', folder));
      if (manifest.private) return [];
      return Object.entries(exports).flatMap(([entry, target]) => {
        const file = typeof target === 'string' ? undefined : target[SOURCE];
        if (file === undefined) return [];
        return exportsOf(join(root, 'packages', folder, file)).map((one) => ({
          entry: `${name}${entry.slice(1)}`,
          ...one,
        }));
      });
    });
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function exportsOf(path: string): readonly Omit<PublicName, 'entry'>[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false);
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, isTypeOnly, moduleSpecifier } = statement;
      if (!exportClause && moduleSpecifier && ts.isStringLiteral(moduleSpecifier))
        return exportsOf(join(path, '..', moduleSpecifier.text.replace(/\.js$/, '.ts')));
      if (!exportClause || !ts.isNamedExports(exportClause)) return [];
      return exportClause.elements.map((one) => ({ name: one.name.text, isType: isTypeOnly || one.isTypeOnly }));
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => ({ name: name.getText(source), isType }));
    const { name } = statement as ts.DeclarationStatement;
    return name ? [{ name: name.getText(source), isType }] : [];
  });
}
