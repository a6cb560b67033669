import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { OWN_PATH_NAMES, ownPaths } from './own-paths.js';

/** Options of {@link bundleDependencies}. */
export interface DependencyOptions {
  /** The project. */
  readonly folder: string;
  /** `.sallyport`. */
  readonly stateFolder: string;
  readonly conditions: readonly string[];
}

/** A dependency's resolved file → the `file:` URL that replaces it. */
export type DependencyFiles = ReadonlyMap<string, string>;

/** Dependencies that were bundled once, with the inputs to watch for changes. */
export interface Dependencies {
  readonly files: DependencyFiles;
  /** Inputs outside `node_modules`: packages of the same workspace. */
  readonly inputs: readonly string[];
}

interface Saved extends Pick<Dependencies, 'inputs'> {
  readonly files: readonly (readonly [string, string])[];
  /** Sizes and times of the inputs outside `node_modules`. */
  readonly stamp: string;
}

const LOCKS = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'package.json'];

/**
 * Bundles the dependencies of a service into separate files, once per lock file. Shared code is a separate file too, and lazy imports
 * are loaded lazily.
 *
 * @param paths the resolved files, each of which the service imports
 */
export async function bundleDependencies(paths: readonly string[], options: DependencyOptions): Promise<Dependencies> {
  const key = keyOf(paths, options);
  const folder = join(options.stateFolder, 'deps', key);
  const saved = readSaved(join(folder, 'made.json'));
  if (saved) return { files: new Map(saved.files), inputs: saved.inputs };
  rmSync(folder, { recursive: true, force: true });
  const entries = Object.fromEntries(paths.map((path, index) => [`${index}`, path]));
  const bundle = (plugins: Plugin[]) =>
    build({
      ...commonOptions(options.conditions),
      entryPoints: entries,
      outdir: folder,
      splitting: true,
      metafile: true,
      absWorkingDir: options.folder,
      outExtension: { '.js': '.mjs' },
      plugins,
    });
  const first = await bundle([addonsStayOutside, ownPaths]);
  const lazy = lazyCommonJs(first.metafile, options.folder);
  // Most services import no such module lazily, and a second bundle takes as long as the first.
  const { metafile } = lazy.modules.size === 0 ? first : await bundle([addonsStayOutside, stayOutside(lazy), ownPaths]);
  const made = toDependencies(metafile, options);
  const stamp = stampOf(made.inputs);
  writeFileSync(
    join(folder, 'made.json'),
    JSON.stringify({ files: [...made.files], inputs: made.inputs, stamp } satisfies Saved),
  );
  return made;
}

/** Options of both builds. */
export function commonOptions(conditions: readonly string[]) {
  return {
    bundle: true as const,
    platform: 'node' as const,
    format: 'esm' as const,
    target: 'node20',
    logLevel: 'silent' as const,
    define: OWN_PATH_NAMES,
    conditions: [...conditions, 'module'] as string[],
    banner: {
      js: "import { createRequire as sallyportRequire } from 'node:module'; const require = sallyportRequire(import.meta.url);",
    },
  };
}

/** Compiled addons are loaded from their original location. */
export const addonsStayOutside: Plugin = {
  name: 'addons',
  setup({ onResolve }) {
    onResolve({ filter: /\.node$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path), external: true }));
  },
};

interface LazyModules {
  readonly modules: ReadonlySet<string>;
  /** The specifiers of their imports. */
  readonly specifiers: ReadonlySet<string>;
}

/** The CommonJS modules that are imported lazily: if they were bundled, such an import would have only a `default` export. */
function lazyCommonJs({ inputs }: Metafile, folder: string): LazyModules {
  const later = Object.values(inputs)
    .flatMap(({ imports }) => imports.filter(({ kind }) => kind === 'dynamic-import'))
    .filter(({ path }) => inputs[path]?.format === 'cjs');
  return {
    modules: new Set(later.map(({ path }) => join(folder, path))),
    specifiers: new Set(later.map(({ path, original = path }) => original)),
  };
}

/** Leaves lazily imported modules to Node. */
function stayOutside({ modules, specifiers }: LazyModules): Plugin {
  // Only these specifiers leave esbuild's process.
  const names = [...specifiers].map((one) => one.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  const filter = new RegExp(`^(?:${names.join('|')})$`);
  return {
    name: 'lazy',
    setup({ onResolve, resolve }) {
      onResolve({ filter }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === 'seen') return undefined;
        const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'seen' });
        return modules.has(found.path) ? { path: pathToFileURL(found.path).href, external: true } : found;
      });
    },
  };
}

/** Bundled files by input. A CommonJS module is not bundled: only Node finds the names that it exports. */
function toDependencies(metafile: Metafile, { folder }: { folder: string }): Dependencies {
  const files = new Map<string, string>();
  for (const [output, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined) continue;
    const input = join(folder, entryPoint);
    const isModule = metafile.inputs[entryPoint]?.format === 'esm';
    files.set(input, pathToFileURL(isModule ? join(folder, output) : input).href);
  }
  const inputs = Object.keys(metafile.inputs)
    .map((input) => join(folder, input))
    .filter((input) => !input.includes('/node_modules/'));
  return { files, inputs };
}

function keyOf(paths: readonly string[], { folder, conditions }: DependencyOptions): string {
  const hash = createHash('sha256').update(JSON.stringify([4, [...paths].sort(), conditions]));
  for (const lock of locksAbove(folder)) hash.update(readFileSync(lock));
  return hash.digest('hex').slice(0, 16);
}

/** The lock files that determine the installed versions. */
function locksAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder, above = ''; at !== above; above = at, at = join(at, '..')) {
    found.push(...LOCKS.map((name) => join(at, name)).filter((file) => existsSync(file)));
  }
  return found;
}

/** Changes when an input of the bundled files may have changed. */
export function dependencyStamp(inputs: readonly string[], folder: string): string {
  return stampOf([...inputs, ...locksAbove(folder)]);
}

function readSaved(file: string): Saved | undefined {
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Saved;
    return saved.stamp === stampOf(saved.inputs) ? saved : undefined;
  } catch {
    return undefined;
  }
}

function stampOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
