import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { boolean, defineOptions, kind, list, oneOf, string, text } from '@sallyport/core/options';
import { COMMONJS, makeStartCaches, type StartCache } from '../cache/internal/make-caches.js';
import type { BundleInventory, LoadedApplication } from '../cache/inventory.js';
import { START_CACHE_OPTIONS, type StartCacheOptions, VARIABLES } from '../cache/start-cache.js';
import { chooseParts, compareRegistrations } from '../leave-out/internal/choose.js';
import { conditionOf, OPTIONAL_PARTS, type OptionalPart } from '../leave-out/parts.js';
import { type BundleSettings, buildCommonJs, buildModules } from './internal/esbuild.js';
import { exportsOf } from './internal/exports.js';
import type { BundleWarning } from './warning.js';

/** Options of {@link bundleFunction}. */
export interface BundleOptions {
  /** The file that exports the handler, relative to the working directory. */
  readonly entry: string;
  /** The folder that the bundle is written to. It should be empty. */
  readonly outdir: string;
  /** Packages that are not bundled: they must be in a layer or in the Lambda runtime. Default none. */
  readonly external?: readonly string[];
  /** The Node version to compile for, as an esbuild target. Default `node22`. */
  readonly target?: string;
  /** Export conditions of packages, as in esbuild. Default: esbuild's conditions. */
  readonly conditions?: readonly string[];
  /** True if the code is minified. Default `true`. */
  readonly minify?: boolean;
  /**
   * True if code that is loaded on first use (`import()`) is in separate files, which a cold start does not read. esbuild evaluates modules that
   * such a file shares with the entry before the entry's own modules: set `false` if an own module must run first. Default `true`.
   */
  readonly splitting?: boolean;
  /**
   * `auto` writes one CommonJS file, which starts faster, if nothing speaks against it: syntax that only ES modules have, `import()`, or a package
   * that is not bundled and cannot be required. `esm` always writes ES modules. Default `auto`.
   */
  readonly format?: 'auto' | 'esm';
  /** True or options: makes a start cache, with all code in one CommonJS file. Default `false`. */
  readonly startCache?: boolean | StartCacheOptions;
  /**
   * Parts of the framework that are not in the bundle. `unused` leaves out what the application does not register, for handlers of `createApp` and
   * `SecureApp`: the application is loaded to see that. The use of a part that is left out is an error `app.left_out`. Default `[]`.
   */
  readonly leaveOut?: readonly (OptionalPart | 'unused')[];
  /** False leaves out the code for developers, `explain` and OpenAPI documents. Default `true`. */
  readonly tools?: boolean;
  /** The name of the exported handler, to read its registrations with `leaveOut`. Default `handler`. */
  readonly handler?: string;
  /** Variables that the application reads while it is loaded, with `leaveOut`. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Validators and defaults for {@link BundleOptions}. */
export const BUNDLE_OPTIONS = /* @__PURE__ */ defineOptions<BundleOptions>()({
  entry: /* @__PURE__ */ text('the path of a file').required(),
  outdir: /* @__PURE__ */ text('the path of a folder').required(),
  external: /* @__PURE__ */ list(string).default([]),
  target: /* @__PURE__ */ kind<string>(
    'a target of esbuild, such as "node24"',
    (value) => typeof value === 'string' && /^node\d+(?:\.\d+)*$/.test(value),
  ).default('node22'),
  conditions: /* @__PURE__ */ list(string).default([]),
  minify: boolean.default(true),
  splitting: boolean.default(true),
  format: /* @__PURE__ */ oneOf('auto', 'esm').default('auto'),
  startCache: /* @__PURE__ */ kind<boolean | StartCacheOptions>(
    'true, false or an object',
    (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
  ).default(false),
  leaveOut: /* @__PURE__ */ list(/* @__PURE__ */ oneOf('unused', ...OPTIONAL_PARTS)).default([]),
  tools: boolean.default(true),
  handler: string.default('handler'),
  environment: VARIABLES.default({}),
});

/** A bundle on disk. */
export interface Bundle {
  /** `cjs` for `index.js`, `esm` for `index.mjs`. The handler of the function is `index.<export>` in both cases. */
  readonly format: 'cjs' | 'esm';
  /** The file that Lambda loads. */
  readonly file: string;
  /** The start caches; empty without the option, and if none could be made. */
  readonly caches: readonly StartCache[];
  /** Findings for the log of the build. A warning never stops a build. */
  readonly warnings: readonly BundleWarning[];
  /**
   * A hash of the bundle for deployments, in hex: of the files, the lock file of the project, and the names of the caches. The content of a cache is
   * not part of it, because no two are equal.
   */
  readonly assetHash: string;
  /** The parts that are not in the bundle. */
  readonly leftOut: readonly OptionalPart[];
  /** The registrations of the application; only with `startCache` or `leaveOut`, for handlers of a container. */
  readonly inventory?: BundleInventory;
  /** Its OpenAPI document; only with `startCache` or `leaveOut`. */
  readonly openapi?: unknown;
  /** The names that the bundle exports; `undefined` if they are unknown, such as the exports of a package that is not bundled. */
  readonly exports?: readonly string[] | undefined;
  /** The loaded application; only with `leaveOut` or `tools: false`. Empty for a bundle without code of a container, which is not loaded. */
  readonly loaded?: LoadedApplication;
}

/**
 * Bundles an entry file with esbuild, with source maps, as the code of a Lambda function. With `startCache`, the folder has `app.js`, its loader
 * `index.js`, and a file with compiled code for each Node: the first answer takes about half the time.
 *
 * The package manager is never called: esbuild is loaded from the project.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, `bundle.failed` when esbuild is missing or the file does not compile. A
 *   cache that cannot be made is a warning.
 * @example
 * const { warnings } = bundleFunction({ entry: 'src/lambda.ts', outdir: 'dist', startCache: { inImage: true, memory: [512] } });
 * for (const { reason } of warnings) console.warn(reason);
 */
export function bundleFunction(options: BundleOptions): Bundle {
  const { outdir, leaveOut, tools, handler, environment, ...given } = BUNDLE_OPTIONS.parse(options);
  const plan: BundlePlan = { ...given, entry: resolve(given.entry), folder: resolve(outdir) };
  if (leaveOut.length === 0 && tools) return bundleAll(plan);
  const loading = { handler, environment };
  const removeWritten = trackFiles(plan.folder);
  const full = bundleAll({ ...plan, startCache: false });
  const { warning, ...choice } = chooseParts(plan.folder, basename(full.file), { leaveOut, tools }, loading);
  const { parts, inventory, openapi, report } = choice;
  const facts = {
    ...(inventory && { inventory }),
    ...(openapi !== undefined && { openapi }),
    loaded: report ?? {},
  };
  if (parts.length === 0 && plan.startCache === false) return withWarning({ ...full, ...facts }, warning);
  removeWritten();
  if (parts.length === 0) return withWarning({ ...bundleAll(plan), ...facts }, warning);
  const bundle = bundleAll({ ...plan, conditions: [...plan.conditions, ...parts.map(conditionOf)] });
  const problem = compareRegistrations(plan.folder, basename(bundle.file), choice, loading);
  if (problem === undefined) return withWarning({ ...bundle, ...facts, leftOut: parts }, warning);
  removeWritten();
  return withWarning({ ...bundleAll(plan), ...facts }, problem);
}

/** Returns a function that removes the files that were written since, such as separate files for code that is loaded on first use. */
function trackFiles(folder: string): () => void {
  const names = () => (existsSync(folder) ? readdirSync(folder) : []);
  const present = new Set(names());
  return () => {
    for (const name of names()) if (!present.has(name)) rmSync(join(folder, name), { recursive: true });
  };
}

function withWarning(bundle: Bundle, warning: BundleWarning | undefined): Bundle {
  return warning ? { ...bundle, warnings: [warning, ...bundle.warnings] } : bundle;
}

/** The options that determine the files of one bundle. */
interface BundlePlan extends BundleSettings {
  readonly folder: string;
  readonly splitting: boolean;
  readonly format: 'auto' | 'esm';
  readonly startCache: boolean | StartCacheOptions;
}

function bundleAll({ folder, splitting, format, startCache, ...settings }: BundlePlan): Bundle {
  removeOldBundle(folder);
  const plain = () => bundlePlain(folder, splitting, format, settings);
  if (startCache === false) return plain();
  const cacheOptions = START_CACHE_OPTIONS.parse(startCache === true ? {} : startCache);
  const reason = buildCommonJs(folder, 'app', false, settings);
  if (reason !== undefined) return without(plain(), [`it needs CommonJS: ${reason}`]);
  const { caches, problems, ...facts } = makeStartCaches(folder, settings.target, cacheOptions);
  if (caches.length === 0) {
    removeOldBundle(folder);
    return { ...without(plain(), problems), ...facts };
  }
  const warnings = problems.map((problem): BundleWarning => ({ code: 'start_cache', reason: problem }));
  return { ...described(folder, 'cjs', settings.entry), caches, warnings, ...facts };
}

const OLD = /^(?:(?:index|app)\.m?js(?:\.map)?|start\.json|start-.+\.cache)$/;

/** Removes an earlier bundle: Lambda would load an `index.js` rather than `index.mjs`, and an old cache is never read. */
function removeOldBundle(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (OLD.test(name)) rmSync(join(folder, name));
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest) && readFileSync(manifest, 'utf8') === COMMONJS) rmSync(manifest);
}

/** The bundle with the reasons why it has no start cache. */
function without(bundle: Bundle, reasons: readonly string[]): Bundle {
  const warnings = reasons.map((reason): BundleWarning => ({ code: 'no_start_cache', reason }));
  return { ...bundle, warnings: [...warnings, ...bundle.warnings] };
}

function bundlePlain(folder: string, splitting: boolean, format: 'auto' | 'esm', settings: BundleSettings): Bundle {
  if (format === 'auto' && buildCommonJs(folder, 'index', splitting, settings) === undefined) {
    writeFileSync(join(folder, 'package.json'), COMMONJS);
    return { ...described(folder, 'cjs', settings.entry), caches: [], warnings: [] };
  }
  const notSplit = buildModules(folder, splitting, settings);
  const warnings: readonly BundleWarning[] = notSplit === undefined ? [] : [{ code: 'not_split', reason: notSplit }];
  return { ...described(folder, 'esm', settings.entry), caches: [], warnings };
}

function described(
  folder: string,
  format: Bundle['format'],
  entry: string,
): Pick<Bundle, 'format' | 'file' | 'assetHash' | 'leftOut' | 'exports'> {
  const file = join(folder, format === 'cjs' ? 'index.js' : 'index.mjs');
  const app = join(folder, 'app.js');
  // With a start cache, index.js is the loader.
  const exported = exportsOf(existsSync(app) ? app : file, format);
  return { format, file, assetHash: assetHashOf(folder, entry), leftOut: [], exports: exported };
}

function assetHashOf(folder: string, entry: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    hash.update(`${name}\n`);
    // The manifest contains the digests of the caches.
    if (!name.endsWith('.cache') && name !== 'start.json') hash.update(readFileSync(join(folder, name)));
  }
  const lock = findLockFile(dirname(entry));
  if (lock !== undefined) hash.update(readFileSync(lock));
  return hash.digest('hex');
}

const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'npm-shrinkwrap.json'];

function findLockFile(folder: string): string | undefined {
  const found = LOCK_FILES.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (found !== undefined || dirname(folder) === folder) return found;
  return findLockFile(dirname(folder));
}
