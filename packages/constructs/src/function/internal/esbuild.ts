import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { IConstruct } from 'constructs';
import type { BuildFailure, BuildOptions, OutputFile } from 'esbuild';
import { ConstructError } from '../../errors.js';

/** CommonJS packages in an ES module call `require`, which is not there by itself. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** One file of a bundle. */
export interface BundledFile {
  readonly name: 'index.mjs' | 'index.mjs.map';
  readonly contents: Uint8Array;
}

/** How a bundle differs from the usual one. */
export interface BundleSettings {
  /** The construct that errors name. */
  readonly scope?: IConstruct;
  readonly external?: readonly string[];
  readonly target?: string;
  readonly conditions?: readonly string[];
  readonly minify?: boolean;
}

/**
 * Bundles one file into an ES module and its source map.
 *
 * @throws ConstructError `constructs.bundling_failed` when esbuild is missing or the file does not compile
 */
export function bundleToMemory(entry: string, settings: BundleSettings): readonly BundledFile[] {
  const { scope, external = [], target = 'node22', conditions = [], minify = true } = settings;
  const options: BuildOptions & { write: false } = {
    entryPoints: [entry],
    // Where nothing is written: names in the source map must not depend on the folder of the assembly.
    outfile: resolve('bundle', 'index.mjs'),
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target,
    minify,
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    external: [...external],
    ...(conditions.length > 0 && { conditions: [...conditions] }),
    logLevel: 'silent',
  };
  const esbuild = loadEsbuild(scope);
  try {
    return esbuild.buildSync(options).outputFiles.map(toFile);
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if (first === undefined) throw error;
    const place = first.location ? ` (${first.location.file}:${first.location.line})` : '';
    throw failed(
      scope,
      `${entry} cannot be bundled: ${first.text}${place}, expected a file that esbuild compiles`,
      error,
    );
  }
}

function toFile({ path, contents }: OutputFile): BundledFile {
  return { name: path.endsWith('.map') ? 'index.mjs.map' : 'index.mjs', contents };
}

/** From the project first: a package manager may hide it from this package. */
function loadEsbuild(scope: IConstruct | undefined): typeof import('esbuild') {
  for (const from of [resolve('package.json'), import.meta.url]) {
    try {
      return createRequire(from)('esbuild') as typeof import('esbuild');
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw failed(
    scope,
    'esbuild is not installed, expected it in the project (npm install --save-dev esbuild), or the prop "code" of the function',
  );
}

function failed(scope: IConstruct | undefined, problem: string, cause?: unknown): ConstructError {
  const path = scope?.node.path ?? '';
  const at = path === '' ? '' : ` (at ${path})`;
  return new ConstructError('constructs.bundling_failed', `framework: bundleFunction: ${problem}${at}`, path, cause);
}
