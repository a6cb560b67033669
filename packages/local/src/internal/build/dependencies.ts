import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

/** What the files of dependencies are made from. */
export interface DependencyOptions {
  /** The project. */
  readonly folder: string;
  /** `.sallyport`. */
  readonly stateFolder: string;
  readonly conditions: readonly string[];
}

/** A dependency's resolved file → the `file:` URL that stands for it. */
export type DependencyFiles = ReadonlyMap<string, string>;

/** Dependencies that were bundled once, with what must be watched because it can change. */
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
 * Bundles the dependencies of a service into files of their own, once for each lock file: what they share is a file too, and what they
 * import later stays for later.
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
  const { metafile } = await build({
    ...commonOptions(options.conditions),
    entryPoints: entries,
    outdir: folder,
    splitting: true,
    metafile: true,
    absWorkingDir: options.folder,
    outExtension: { '.js': '.mjs' },
    plugins: [addonsStayOutside, lateCommonJsStaysOutside],
  });
  const made = toDependencies(metafile as Metafile, options);
  const stamp = stampOf(made.inputs);
  writeFileSync(
    join(folder, 'made.json'),
    JSON.stringify({ files: [...made.files], inputs: made.inputs, stamp } satisfies Saved),
  );
  return made;
}

/** What both builds have in common. */
export function commonOptions(conditions: readonly string[]) {
  return {
    bundle: true as const,
    platform: 'node' as const,
    format: 'esm' as const,
    target: 'node20',
    logLevel: 'silent' as const,
    conditions: [...conditions, 'module'] as string[],
    banner: {
      js: "import { createRequire as sallyportRequire } from 'node:module'; const require = sallyportRequire(import.meta.url);",
    },
  };
}

/** Compiled addons are loaded from where they are. */
export const addonsStayOutside: Plugin = {
  name: 'addons',
  setup({ onResolve }) {
    onResolve({ filter: /\.node$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path), external: true }));
  },
};

/**
 * A CommonJS module that a dependency imports later stays a file, as the AWS SDK: as a chunk it would have no names but `default`.
 */
const lateCommonJsStaysOutside: Plugin = {
  name: 'late-commonjs',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === 'late' || path.startsWith('node:')) return undefined;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'late' });
      if (found.errors.length > 0 || found.external || !isCommonJs(found.path)) return found;
      return { path: pathToFileURL(found.path).href, external: true };
    });
  },
};

const MODULE_STATEMENT = /^(?:import|export)\b/m;

function isCommonJs(file: string): boolean {
  return file.endsWith('.cjs') || (file.endsWith('.js') && !MODULE_STATEMENT.test(readFileSync(file, 'utf8')));
}

/** Bundled files by input. A CommonJS module stays a file: only Node finds the names that it exports. */
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
  const hash = createHash('sha256').update(JSON.stringify([3, [...paths].sort(), conditions]));
  for (const lock of locksAbove(folder)) hash.update(readFileSync(lock));
  return hash.digest('hex').slice(0, 16);
}

/** The lock files that decide what is installed here. */
function locksAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder, above = ''; at !== above; above = at, at = join(at, '..')) {
    found.push(...LOCKS.map((name) => join(at, name)).filter((file) => existsSync(file)));
  }
  return found;
}

/** Changes when something that the files are made from may have changed. */
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
