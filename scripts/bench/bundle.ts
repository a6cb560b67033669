import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

export const HERE = fileURLToPath(new URL('.', import.meta.url));
export const OUT = join(HERE, 'node_modules', '.cache', 'bundles');

/** CommonJS code inside an ESM bundle needs `require`. */
const REQUIRE = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** Parts that a deployment would not contain: clients of the Lambda runtime, and unused optional peers. */
export const EXTERNAL = ['@aws-sdk/*', '@smithy/*', '@aws/durable-execution-sdk-js', '@aws-lambda-powertools/tracer'];

export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Bytes that each source file adds to the bundle. */
  readonly parts: ReadonlyMap<string, number>;
}

const COMMON = {
  absWorkingDir: HERE,
  bundle: true,
  minify: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  conditions: ['@sallyport/source'] as string[],
  define: { 'process.env.NODE_ENV': '"production"' },
  external: EXTERNAL,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/**
 * Bundles a TypeScript module as for a deployment: one minified ESM file for the lowest Node that we support.
 *
 * @param leftOut parts of the framework that are not in the bundle
 */
export function bundle(source: string, leftOut: readonly string[] = []): Promise<Bundle> {
  const name = [fileName(source), ...(leftOut.length === 0 ? [] : ['without', ...leftOut])].join('-');
  const conditions = [...COMMON.conditions, ...leftOut.map((part) => `sallyport-no-${part}`)];
  return bundleAs(name, needsRequire(source), { entryPoints: [source], conditions });
}

/** Bundles a TypeScript module into one minified CommonJS file, which starts faster. CDK and SAM make such bundles by default. */
export function bundleCommonJs(source: string): Promise<Bundle> {
  return bundleAs(fileName(source), false, { entryPoints: [source], format: 'cjs' });
}

/** A CommonJS module of two lines that exports `handler`, for the parts of a peer that the bench makes handlers of. */
export function bundleHandler(source: string, importing: string, expression: string): Promise<Bundle> {
  const contents = `import { ${importing} } from './${source}';
    const made = Promise.resolve(${expression});
    export const handler = async (event, context) => (await made)(event, context);`;
  const name = `${source.replaceAll('/', '-')}-${importing}`;
  return bundleAs(name, false, { stdin: { contents, resolveDir: HERE, loader: 'ts' }, format: 'cjs' });
}

/** One export of a package. */
export function bundleExport(module: string, name: string): Promise<Bundle> {
  const contents = `export { ${name} } from '${module}';`;
  return bundleAs(`export-${name}`, false, { stdin: { contents, resolveDir: HERE, loader: 'ts' } });
}

/** The code of a package alone: what a process loads at its start, and what it loads on first use. */
export interface PartSizes {
  readonly startGzipBytes: number;
  readonly lazyGzipBytes: number;
}

/** Exports of a package without the code of `@sallyport/core`, which every function has. */
export async function bundlePart(module: string, names: readonly string[]): Promise<PartSizes> {
  const contents = `export { ${names.join(', ')} } from '${module}';`;
  const sizeOf = async (plugins: Plugin[]) => {
    const { outputFiles, metafile } = await build({
      ...COMMON,
      stdin: { contents, resolveDir: HERE, loader: 'ts' },
      outfile: join(OUT, 'part.mjs'),
      write: false,
      external: [...EXTERNAL, '@sallyport/core', '@sallyport/core/*'],
      plugins,
    });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    return {
      gzipBytes: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
      isLazy: imports.some(({ kind }) => kind === 'dynamic-import'),
    };
  };
  const start = await sizeOf([WITHOUT_LAZY]);
  const lazyGzipBytes = start.isLazy ? (await sizeOf([])).gzipBytes - start.gzipBytes : 0;
  return { startGzipBytes: start.gzipBytes, lazyGzipBytes };
}

/** Leaves out what `import()` loads. */
const WITHOUT_LAZY: Plugin = {
  name: 'without-lazy',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};

/** The path of a module as the name of its bundle. */
function fileName(source: string): string {
  return source
    .replace(/^[./]+/, '')
    .replaceAll('/', '-')
    .replace(/\.ts$/, '');
}

async function bundleAs(
  name: string,
  withRequire: boolean,
  entry: Pick<BuildOptions, 'entryPoints' | 'stdin' | 'external' | 'format' | 'conditions'>,
): Promise<Bundle> {
  mkdirSync(OUT, { recursive: true });
  const file = join(OUT, `${name}.${entry.format === 'cjs' ? 'cjs' : 'mjs'}`);
  const { metafile } = await build({ ...COMMON, ...entry, outfile: file, banner: withRequire ? { js: REQUIRE } : {} });
  const code = readFileSync(file);
  const [output] = Object.values(metafile.outputs);
  const parts = Object.entries(output?.inputs ?? {}).map(([path, { bytesInOutput }]): [string, number] => [
    path,
    bytesInOutput,
  ]);
  return { file, bytes: code.length, gzipBytes: gzipSync(code, { level: 9 }).length, parts: new Map(parts) };
}

/** A bundle with code splitting: the code that is loaded at the start, and the code that is loaded on first use. */
export interface SplitBundle {
  /** The file to start with. */
  readonly file: string;
  /** Files that are loaded at the start, and their gzip bytes. */
  readonly startFiles: number;
  readonly startBytes: number;
  readonly startGzipBytes: number;
  /** Modules that are loaded on first use. */
  readonly lazyParts: number;
}

/** A whole service in one file, with the AWS clients that it uses. */
export function bundleService(source: string): Promise<Bundle> {
  return bundleAs(fileName(source), true, { entryPoints: [source], external: [] });
}

/** The code that an existing bundle loads at the start: `file` and its static imports. */
export async function readBundle(file: string): Promise<Pick<SplitBundle, 'file' | 'startBytes' | 'startGzipBytes'>> {
  const { metafile } = await build({
    entryPoints: [file],
    absWorkingDir: HERE,
    outdir: OUT,
    write: false,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  const started = startOf(metafile.inputs, relative(HERE, file).replaceAll('\\', '/'));
  return { file, ...sizesOf(started) };
}

/** Bundles as `bundle` does, with code splitting. */
export async function splitBundle(source: string): Promise<SplitBundle> {
  const name = fileName(source);
  const directory = join(OUT, `${name}-split`);
  rmSync(directory, { recursive: true, force: true });
  const { metafile } = await build({
    ...COMMON,
    entryPoints: [source],
    outdir: directory,
    splitting: true,
    outExtension: { '.js': '.mjs' },
  });
  const [entry = ''] = Object.keys(metafile.outputs).filter((path) => metafile.outputs[path]?.entryPoint === source);
  const started = startOf(metafile.outputs, entry);
  return {
    file: join(HERE, entry),
    startFiles: started.length,
    ...sizesOf(started),
    lazyParts: Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined).length - 1,
  };
}

/** The files that are loaded with a file: its static imports. */
function startOf(files: Metafile['inputs'] | Metafile['outputs'], entry: string): readonly string[] {
  const started = new Set([entry]);
  for (const path of started) {
    for (const { kind, path: imported } of files[path]?.imports ?? []) {
      if (kind === 'import-statement' && imported in files) started.add(imported);
    }
  }
  return [...started];
}

function sizesOf(paths: readonly string[]): Pick<SplitBundle, 'startBytes' | 'startGzipBytes'> {
  const files = paths.map((path) => readFileSync(join(HERE, path)));
  return {
    startBytes: files.reduce((sum, code) => sum + code.length, 0),
    startGzipBytes: files.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0),
  };
}

/** The bundle, or the build error: a peer that does not build must not hide the others. */
export async function tryBundle(
  source: string,
  make: (source: string) => Promise<Bundle> = bundle,
): Promise<Bundle | { readonly problem: string }> {
  try {
    return await make(source);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Our packages are ESM only. */
function needsRequire(source: string): boolean {
  return /^(?:peers|cold)\//.test(source) && !/\/(?:ours|bare|empty|start)/.test(source);
}
