import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { readWorkspace, sourceEntries } from '../check/workspace.js';

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
  return readWorkspace(root, ['packages'])
    .filter(({ manifest }) => manifest.private !== true)
    .flatMap(({ folder, manifest }) =>
      [...sourceEntries(manifest)].flatMap(([subpath, file]) =>
        exportsOf(join(root, folder, file)).map((one) => ({ entry: `${manifest.name}${subpath.slice(1)}`, ...one })),
      ),
    );
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
