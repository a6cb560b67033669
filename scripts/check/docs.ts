import { relative } from 'node:path';
import ts from 'typescript';
import { readPackagesProgram } from './program.js';

/** An exported symbol, or a public member of it. */
export interface PublicMember {
  /** `createApp`, `SecureApp.get`. */
  readonly name: string;
  /** Relative to the workspace's root, with the line. */
  readonly place: string;
  readonly isDocumented: boolean;
  readonly hasExample: boolean;
}

/** All exports of the packages' entries, with their public members, each once. */
export function readPublicMembers(root: string): readonly PublicMember[] {
  const { program, entries } = readPackagesProgram(root);
  const checker = program.getTypeChecker();
  const members = new Map<string, PublicMember>();
  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      for (const member of membersOf(symbol, checker, root)) members.set(`${member.place} ${member.name}`, member);
    }
  }
  return [...members.values()];
}

/** The symbol itself and the public members that its declarations list. */
function membersOf(symbol: ts.Symbol, checker: ts.TypeChecker, root: string): readonly PublicMember[] {
  const declarations = (symbol.declarations ?? []).filter((node) => isOurs(node, root));
  const [first] = declarations;
  if (!first) return [];
  return [
    describe(symbol, symbol.name, first, checker, root),
    ...declarations.flatMap((node) => nodesOf(node).flatMap((member) => memberOf(symbol, member, checker, root))),
  ];
}

function memberOf(owner: ts.Symbol, node: ts.Node, checker: ts.TypeChecker, root: string): readonly PublicMember[] {
  const name = (node as ts.NamedDeclaration).name;
  const symbol = name && checker.getSymbolAtLocation(name);
  if (!symbol || !ts.isIdentifier(name) || isHidden(node)) return [];
  return [describe(symbol, `${owner.name}.${symbol.name}`, node, checker, root)];
}

function describe(symbol: ts.Symbol, name: string, node: ts.Node, checker: ts.TypeChecker, root: string): PublicMember {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return {
    name,
    place: `${relative(root, file.fileName)}:${line + 1}`,
    isDocumented: symbol.getDocumentationComment(checker).length > 0,
    hasExample: symbol.getJsDocTags(checker).some((tag) => tag.name === 'example'),
  };
}

function isOurs(node: ts.Node, root: string): boolean {
  return /^packages\/[^/]+\/src\//.test(relative(root, node.getSourceFile().fileName));
}

/** The members that a declaration lists: of a class, an interface or an object type. */
function nodesOf(node: ts.Declaration): readonly ts.Node[] {
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) return [...node.members];
  if (ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type)) return [...node.type.members];
  return [];
}

/** Private members, and overrides, which inherit the TSDoc. */
function isHidden(node: ts.Node): boolean {
  const flags = ts.getCombinedModifierFlags(node as ts.Declaration);
  return (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Override)) !== 0;
}
