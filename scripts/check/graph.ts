/** A value import, as a bundler sees it. */
export interface ImportEdge {
  /** Source file, relative to the workspace's root. */
  readonly from: string;
  /** Source file relative to the root, or the specifier of a module outside the workspace. */
  readonly to: string;
  readonly external: boolean;
  readonly kind: 'static' | 'dynamic';
}

/** A written import, including types. */
export interface WrittenImport {
  /** Relative to the root. */
  readonly file: string;
  readonly specifier: string;
}

/** One package, as the rules describe it. The workspace's root is a package too, in the folder `.`. */
export interface PackageNode {
  readonly name: string;
  readonly folder: string;
  /** All keys of `exports`. */
  readonly subpaths: readonly string[];
  /** Sub-path (`.`, `./testing`) to source file, relative to the root. */
  readonly entries: ReadonlyMap<string, string>;
  /** Sub-paths whose source does not exist. They are not entries. */
  readonly missing: readonly string[];
  /** Files of this package that an entry named `testing` or `catalogue` re-exports, and those entries. */
  readonly testHelpers: readonly string[];
  /** Name to range, of `dependencies` and `optionalDependencies`. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly optionalPeers: readonly string[];
  /** Of all its files. */
  readonly imports: readonly WrittenImport[];
  /** Folders that its tsconfig refers to. */
  readonly references: readonly string[];
}

/** The workspace, described: what the rules of `graph-rules.ts` judge. */
export interface Graph {
  readonly packages: readonly PackageNode[];
  /** Source file to its imports. */
  readonly edges: ReadonlyMap<string, readonly ImportEdge[]>;
}

export interface Reached {
  /** Source files, the entry included. */
  readonly files: ReadonlySet<string>;
  /** Imports of modules outside the workspace. */
  readonly externals: readonly ImportEdge[];
}

/** All files that an entry reaches: only by static imports, or also by dynamic ones. */
export function reach(graph: Graph, entry: string, follow: 'static' | 'all'): Reached {
  const files = new Set([entry]);
  const externals: ImportEdge[] = [];
  // The iteration of a set includes members that are added meanwhile.
  for (const file of files) {
    for (const edge of graph.edges.get(file) ?? []) {
      if (follow === 'static' && edge.kind === 'dynamic') continue;
      if (edge.external) externals.push(edge);
      else files.add(edge.to);
    }
  }
  return { files, externals };
}

/** `@scope/name` or `name` of a specifier that is not relative. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The package of a file. */
export function ownerOf(graph: Graph, file: string): PackageNode | undefined {
  return graph.packages.find(({ folder }) => file.startsWith(`${folder}/`));
}

/** An entry for tests and tools, which no code that runs reaches. */
export function isTesting(subpath: string): boolean {
  return /^\.\/(?:testing|catalogue)(?:\/|$)/.test(subpath);
}
