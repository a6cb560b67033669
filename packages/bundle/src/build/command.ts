import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { isFrameworkError } from '@sallyport/core';
import { type Around, type Command as CommandOf, EXIT } from '@sallyport/core/internal';
import { type Bundle, type BundleOptions, bundleFunction } from '../bundle/bundle-function.js';
import { inspectBundle } from '../cache/internal/make-caches.js';
import type { BundleInventory } from '../cache/inventory.js';
import { START_CACHE_OPTIONS, type StartCacheOptions } from '../cache/start-cache.js';
import { verifyBundle } from '../cache/verify.js';
import { BUILD_FLAGS, parseBuildArguments } from './internal/arguments.js';

/** The part of the environment that the commands of this package read. */
export type CommandEnvironment = Pick<Around, 'cwd' | 'out' | 'err'>;

/** A command of `sallyport`. */
export type Command = CommandOf<CommandEnvironment>;

/** `sallyport build`: writes a bundle, and `inventory.json` and `openapi.json` next to it. */
export const BUILD_COMMAND: Command = {
  usage: 'build [entry]',
  does: 'bundles the function for a deployment, optionally with a start cache',
  flags: BUILD_FLAGS,
  async run(args, around) {
    try {
      const { verify, json, startCache, ...options } = parseBuildArguments(args);
      const outdir = resolve(around.cwd, options.outdir);
      if (verify) return reportFindings(outdir, around);
      const settings = { ...options, entry: resolve(around.cwd, options.entry), outdir };
      return build(settings, startCache, json, around);
    } catch (error) {
      around.err(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
      const isBuild = !isFrameworkError(error) || error.code === 'bundle.failed' || error.code === 'bundle.left_out';
      return isBuild ? EXIT.build : EXIT.usage;
    }
  },
};

type Settings = Omit<BundleOptions, 'startCache'>;
type Cache = { readonly isWanted: boolean; readonly options: StartCacheOptions };

function build(settings: Settings, { isWanted, options }: Cache, json: boolean, around: CommandEnvironment): number {
  const cacheOptions = START_CACHE_OPTIONS.parse(options);
  mkdirSync(settings.outdir, { recursive: true });
  const bundle = bundleFunction({ ...settings, startCache: isWanted ? options : false });
  const inspected = bundle.inventory ? bundle : inspectBundle(settings.outdir, basename(bundle.file), cacheOptions);
  const files = writeFacts(settings.outdir, inspected);
  for (const { reason } of bundle.warnings) around.err(`warning: ${reason}\n`);
  if ('error' in inspected)
    around.err(`warning: no inventory.json: the application does not load: ${inspected.error}\n`);
  if (isWanted && cacheOptions.inImage !== true && bundle.caches.length > 0) {
    around.err("warning: the cache is for this machine's Node: build with --in-image for a deployment\n");
  }
  const named = [bundle.file, ...files].map((file) => relative(around.cwd, file));
  around.out(json ? `${JSON.stringify({ type: 'built', ...summaryOf(bundle, named) })}\n` : linesOf(bundle, named));
  return EXIT.ok;
}

function summaryOf({ format, leftOut, caches, warnings, assetHash }: Bundle, files: readonly string[]) {
  return { format, files, leftOut, caches, warnings, assetHash };
}

function linesOf({ caches, leftOut }: Bundle, files: readonly string[]): string {
  const parts = leftOut.length === 0 ? '' : `left out: ${leftOut.join(', ')}\n`;
  const cached = caches.map(({ version, arch, bytes, flags }) => {
    const memory = flags.filter((flag) => flag.includes('space-size')).join(' ');
    return `start cache for Node ${version} ${arch} (${memory}), ${Math.round(bytes / 1024)} KB\n`;
  });
  return [...files.map((file) => `${file}\n`), parts, ...cached].join('');
}

/** The registrations in the format of `inventoryFromFile` of `@sallyport/constructs`, and the OpenAPI document. */
function writeFacts(
  outdir: string,
  facts: { readonly inventory?: BundleInventory; readonly openapi?: unknown },
): readonly string[] {
  const { inventory, openapi } = facts;
  if (!inventory) return [];
  const { routes, triggers } = inventory;
  const container = routes.every((route) => 'posture' in route) ? 'secure' : 'open';
  const files: [name: string, value: unknown][] = [['inventory.json', { version: 1, container, routes, triggers }]];
  if (openapi) files.push(['openapi.json', openapi]);
  return files.map(([name, value]) => {
    const file = join(outdir, name);
    writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
    return file;
  });
}

function reportFindings(outdir: string, around: CommandEnvironment): number {
  const findings = verifyBundle(outdir);
  for (const finding of findings) around.err(`${finding}\n`);
  if (findings.length === 0) around.out('the bundle is unchanged since its build\n');
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}
