import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BuildFailure, BuildOptions, Message } from 'esbuild';
import { bundleError } from '../../errors.js';
import { COMMONJS_CHECKS, findModuleFault, needsEsm } from './modules.js';
import { findSplittingFault } from './splitting.js';

/** CommonJS packages call `require`, which ES modules do not have. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** esbuild exports getters, which layers (OpenTelemetry, Sentry) cannot replace when they wrap the handler. */
const WRITABLE_EXPORTS = 'module.exports = { ...module.exports };';

/** The settings of both kinds of bundles. */
export interface BundleSettings {
  readonly entry: string;
  readonly external: readonly string[];
  readonly target: string;
  readonly conditions: readonly string[];
  readonly minify: boolean;
}

/**
 * Bundles the entry into ES modules: `index.mjs`, and with `splitting` separate files for code that is loaded on first use, named after their
 * content, unless the bundle would then behave differently.
 *
 * @returns the reason why the code is in one file despite `splitting`, if it is
 * @throws FrameworkError `bundle.failed` when esbuild is missing or the file does not compile
 */
export function buildModules(folder: string, splitting: boolean, settings: BundleSettings): string | undefined {
  const { buildSync } = loadEsbuild();
  return intoFolder(folder, (written) => {
    const options: BuildOptions = {
      ...optionsOf(settings),
      entryPoints: { index: settings.entry },
      outdir: written,
      outExtension: { '.js': '.mjs' },
      format: 'esm',
      banner: { js: BANNER },
    };
    try {
      const { metafile } = buildSync({ ...options, splitting, metafile: splitting });
      const notSplit = metafile && findSplittingFault(metafile);
      if (notSplit !== undefined) {
        empty(written);
        buildSync(options);
      }
      return notSplit;
    } catch (error) {
      throw compileError(settings.entry, error);
    }
  });
}

/**
 * Bundles the entry into one CommonJS file. `import()` becomes `require`.
 *
 * @param name the file without `.js`. The exports of `index` are writable; the loader of `app` makes them so
 * @param keepsLazy true if code that is loaded on first use speaks against one file
 * @returns the reason why the entry must be ES modules; nothing is written then
 * @throws FrameworkError `bundle.failed` when esbuild is missing or the file does not compile
 */
export function buildCommonJs(
  folder: string,
  name: 'index' | 'app',
  keepsLazy: boolean,
  settings: BundleSettings,
): string | undefined {
  const { buildSync } = loadEsbuild();
  return intoFolder(folder, (written) => {
    try {
      const built = buildSync({
        ...optionsOf(settings),
        entryPoints: { [name]: settings.entry },
        outdir: written,
        format: 'cjs',
        supported: { 'dynamic-import': false },
        logOverride: COMMONJS_CHECKS,
        metafile: true,
        ...(name === 'index' && { footer: { js: WRITABLE_EXPORTS } }),
      });
      const fault = findModuleFault(built, settings.entry, keepsLazy);
      if (fault !== undefined) empty(written);
      return fault;
    } catch (error) {
      const message = messagesOf(error).find(needsEsm);
      if (message === undefined) throw compileError(settings.entry, error);
      return `${placeOf(message)}${message.text}`;
    }
  });
}

function optionsOf({ external, target, conditions, minify }: BundleSettings): BuildOptions {
  return {
    bundle: true,
    platform: 'node',
    target,
    minify,
    sourcemap: 'linked',
    sourcesContent: false,
    // Prefers ES modules, which AWS clients also have: only they can be split.
    mainFields: ['module', 'main'],
    conditions: [...conditions, 'module'],
    external: [...external],
    logLevel: 'silent',
  };
}

/**
 * Runs a build, and copies its files. esbuild writes the files itself: returning them in memory costs 40 MB. It writes them to a folder where the
 * paths of the source map do not depend on the folder of the result.
 */
function intoFolder<T>(folder: string, build: (written: string) => T): T {
  const written = mkdtempSync(join(makeCache(), 'bundle-'));
  try {
    const result = build(written);
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(written)) copyFileSync(join(written, name), join(folder, name));
    return result;
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}

function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
}

/** In the project, as other tools do; outside it if the project has no `node_modules`. */
function makeCache(): string {
  const cache = existsSync('node_modules') ? resolve('node_modules/.cache/sallyport') : tmpdir();
  mkdirSync(cache, { recursive: true });
  return cache;
}

/** From the project first: a package manager may hide esbuild from this package. */
function loadEsbuild(): typeof import('esbuild') {
  for (const from of [resolve('package.json'), import.meta.url]) {
    try {
      return createRequire(from)('esbuild') as typeof import('esbuild');
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw bundleError(
    'bundle.failed',
    'framework: bundleFunction: esbuild is not installed, expected it in the project (npm install --save-dev esbuild)',
  );
}

function messagesOf(error: unknown): readonly Message[] {
  return (error as Partial<BuildFailure>).errors ?? [];
}

function placeOf({ location }: Message): string {
  return location ? `${location.file}:${location.line}: ` : '';
}

function compileError(entry: string, error: unknown): unknown {
  const [first] = messagesOf(error);
  if (first === undefined) return error;
  const place = first.location ? ` (${first.location.file}:${first.location.line})` : '';
  const problem = `${entry} cannot be bundled: ${first.text}${place}, expected a file that esbuild compiles`;
  return bundleError('bundle.failed', `framework: bundleFunction: ${problem}`, error);
}
