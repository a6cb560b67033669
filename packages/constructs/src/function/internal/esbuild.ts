import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { IConstruct } from 'constructs';
import type { BuildFailure, BuildOptions } from 'esbuild';
import { ConstructError } from '../../errors.js';
import { findSplittingFault } from './splitting.js';

/** CommonJS packages call `require`, which ES modules do not have. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** Settings that differ from the usual bundle. */
export interface BundleSettings {
  /** The construct that errors name. */
  readonly scope?: IConstruct;
  readonly external?: readonly string[];
  readonly target?: string;
  readonly conditions?: readonly string[];
  readonly minify?: boolean;
  /** Default `false`: one file. */
  readonly splitting?: boolean;
}

/** The result of {@link bundleTo}. */
export interface Bundled {
  /** The reason why the code is in one file despite `splitting`. */
  readonly notSplit?: string;
}

/**
 * Bundles one file into `index.mjs` and its source map, and writes them to an empty folder. With `splitting`, code that is loaded on first use
 * is in files next to it, named after their content, unless the bundle would then behave differently.
 *
 * esbuild writes the files itself: returning them in memory costs 40 MB. It writes them to a folder where the paths of the source map do not
 * depend on the folder of the assembly.
 *
 * @throws ConstructError `constructs.bundling_failed` when esbuild is missing or the file does not compile
 */
export function bundleTo(folder: string, entry: string, { splitting = false, ...settings }: BundleSettings): Bundled {
  const { buildSync } = loadEsbuild(settings.scope);
  const written = mkdtempSync(join(makeCache(), 'bundle-'));
  const options = optionsOf(entry, written, settings);
  try {
    const { metafile } = buildSync({ ...options, splitting, metafile: splitting });
    const notSplit = metafile && findSplittingFault(metafile);
    if (notSplit !== undefined) {
      for (const name of readdirSync(written)) rmSync(join(written, name));
      buildSync(options);
    }
    for (const name of readdirSync(written)) copyFileSync(join(written, name), join(folder, name));
    return { ...(notSplit !== undefined && { notSplit }) };
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if (first === undefined) throw error;
    const place = first.location ? ` (${first.location.file}:${first.location.line})` : '';
    throw failed(
      settings.scope,
      `${entry} cannot be bundled: ${first.text}${place}, expected a file that esbuild compiles`,
      error,
    );
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}

function optionsOf(entry: string, outdir: string, settings: BundleSettings): BuildOptions {
  const { external = [], target = 'node22', conditions = [], minify = true } = settings;
  return {
    entryPoints: { index: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target,
    minify,
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    // Prefers ES modules, which AWS clients also have: only they can be split.
    mainFields: ['module', 'main'],
    conditions: [...conditions, 'module'],
    external: [...external],
    logLevel: 'silent',
  };
}

/** In the project, as other tools do; outside it if the project has no `node_modules`. */
function makeCache(): string {
  const cache = existsSync('node_modules') ? resolve('node_modules/.cache/sallyport') : tmpdir();
  mkdirSync(cache, { recursive: true });
  return cache;
}

/** From the project first: a package manager may hide esbuild from this package. */
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
