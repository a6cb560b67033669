import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import ts from 'typescript';
import { type Graph, type ImportEdge, isTesting, type PackageNode, type WrittenImport } from './graph.js';
import { readWorkspace, sourceEntries, type WorkspacePackage } from './workspace.js';

/** Describes the packages below these folders of a workspace, and its root. */
export async function readGraph(root: string, folders: readonly string[]): Promise<Graph> {
  const packages = readWorkspace(root, folders).map((entry) => readPackage(root, entry));
  const top = readWorkspace(root, ['.']).map((entry) => readPackage(root, entry));
  return { packages: [...packages, ...top], edges: await readEdges(root, packages) };
}

function readPackage(root: string, { folder, manifest }: WorkspacePackage): PackageNode {
  const named = [...sourceEntries(manifest)].map(([subpath, file]): [string, string] => [
    subpath,
    posix.join(folder, file),
  ]);
  const entries = new Map(named.filter(([, file]) => existsSync(join(root, file))));
  return {
    name: manifest.name,
    folder,
    subpaths: Object.keys(manifest.exports ?? {}),
    entries,
    missing: named.filter(([subpath]) => !entries.has(subpath)).map(([subpath]) => subpath),
    testHelpers: [...entries].flatMap(([subpath, file]) => (isTesting(subpath) ? helpersOf(root, file) : [])),
    dependencies: { ...manifest.dependencies, ...manifest.optionalDependencies },
    devDependencies: manifest.devDependencies ?? {},
    peerDependencies: manifest.peerDependencies ?? {},
    optionalPeers: Object.entries(manifest.peerDependenciesMeta ?? {}).flatMap(([n, m]) => (m.optional ? [n] : [])),
    imports: folder === '.' ? [] : readImports(root, folder),
    references: readReferences(root, folder),
  };
}

/** An entry for tests, and the files that it re-exports values from. */
function helpersOf(root: string, entry: string): readonly string[] {
  const source = ts.createSourceFile(entry, readFileSync(join(root, entry), 'utf8'), ts.ScriptTarget.Latest);
  const helpers = source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
    const target = statement.moduleSpecifier;
    if (target === undefined || !ts.isStringLiteral(target) || !target.text.startsWith('.')) return [];
    return [posix.join(posix.dirname(entry), target.text.replace(/\.js$/, '.ts'))];
  });
  return [entry, ...helpers];
}

function readImports(root: string, folder: string): readonly WrittenImport[] {
  return sourceFiles(root, folder).flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true);
    return importedFiles.map(({ fileName }) => ({ file, specifier: fileName }));
  });
}

/** Folders whose files are not the package's code: installed, built, or copied into a user's project. */
const NOT_OURS = ['node_modules', 'dist', 'cdk.out', 'templates', 'golden'];

function sourceFiles(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.includes(entry.name) ? [] : sourceFiles(root, path);
    return /\.(?:ts|tsx|mts)$/.test(entry.name) ? [path] : [];
  });
}

function readReferences(root: string, folder: string): readonly string[] {
  const file = join(root, folder, 'tsconfig.json');
  const config = ts.readConfigFile(file, (name) => (existsSync(name) ? readFileSync(name, 'utf8') : undefined));
  const references = (config.config as { references?: { path: string }[] } | undefined)?.references ?? [];
  return references.map(({ path }) => posix.join(folder, path));
}

/** Resolves all imports that the packages' entries reach with a bundler. Modules outside the workspace are not read. */
async function readEdges(root: string, packages: readonly PackageNode[]): Promise<Graph['edges']> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: packages.flatMap(({ entries }) => [...entries.values()]),
    outdir: 'out',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sallyport/source'],
    logLevel: 'silent',
    plugins: [resolveWorkspace(root, packages)],
  });
  return new Map(
    Object.entries(metafile.inputs).map(([file, input]) => [file, input.imports.map((i) => toEdge(file, i))]),
  );
}

function toEdge(from: string, imported: Metafile['inputs'][string]['imports'][number]): ImportEdge {
  const kind = imported.kind === 'dynamic-import' ? 'dynamic' : 'static';
  return { from, to: imported.path, external: imported.external === true, kind };
}

/** Packages of the workspace are resolved to their sources even if they are not installed; all others are external. */
function resolveWorkspace(root: string, packages: readonly PackageNode[]): Plugin {
  const sources = new Map(
    packages.flatMap(({ name, entries }) =>
      [...entries].map(([subpath, file]) => [posix.join(name, subpath), join(root, file)]),
    ),
  );
  return {
    name: 'workspace',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        // The imports of a package itself (`#cors`): esbuild reads them from its package.json.
        if (kind === 'entry-point' || path.startsWith('#')) return undefined;
        const source = sources.get(path);
        return source === undefined ? { path, external: true } : { path: source };
      });
    },
  };
}
