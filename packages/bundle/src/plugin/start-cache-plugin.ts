import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { BuildOptions, BuildResult, PartialMessage, Plugin } from 'esbuild';
import { findModuleFault } from '../bundle/internal/modules.js';
import { makeStartCaches } from '../cache/internal/make-caches.js';
import { START_CACHE_OPTIONS, type StartCacheOptions } from '../cache/start-cache.js';

type StartCacheSettings = ReturnType<typeof START_CACHE_OPTIONS.parse>;

/**
 * A plugin for esbuild that adds a start cache to each entry of a build, for tools that call esbuild themselves, such as `serverless-esbuild`. The file of
 * an entry, `handler.js`, then loads `handler.start/index.js`. The build must write CommonJS files for `target: 'node…'`; a cache that cannot be made is
 * a warning of esbuild, and the file is as without the plugin.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * await build({ ...settings, format: 'cjs', target: 'node22', plugins: [startCachePlugin({ inImage: true, memory: [512] })] });
 */
export function startCachePlugin(options: StartCacheOptions = {}): Plugin {
  const settings = START_CACHE_OPTIONS.parse(options);
  return {
    name: 'sallyport-start-cache',
    setup({ initialOptions, onEnd }) {
      const fault = settingsFault(initialOptions);
      if (fault === undefined) {
        initialOptions.metafile = true;
        initialOptions.supported = { ...initialOptions.supported, 'dynamic-import': false };
        initialOptions.logOverride = {
          'empty-import-meta': 'warning',
          'unsupported-dynamic-import': 'warning',
          ...initialOptions.logOverride,
        };
      }
      onEnd((result) => {
        if (result.errors.length > 0) return undefined;
        const reasons = fault === undefined ? cacheEntries(result, initialOptions, settings) : [fault];
        return { warnings: reasons.map((reason): PartialMessage => ({ text: `no start cache: ${reason}` })) };
      });
    },
  };
}

/** The reason why this build cannot have a cache. */
function settingsFault({ format = 'cjs', platform, write = true, target, bundle }: BuildOptions): string | undefined {
  if (format !== 'cjs' || platform !== 'node' || !bundle)
    return 'the build needs bundle: true, platform: "node" and format: "cjs"';
  if (!write) return 'the build needs write: true';
  return nodeOf(target) === undefined ? 'the build needs a target such as "node22"' : undefined;
}

function nodeOf(target: BuildOptions['target']): string | undefined {
  return [target ?? []].flat().find((one) => /^node\d+/.test(one));
}

function cacheEntries(result: BuildResult, options: BuildOptions, settings: StartCacheSettings): readonly string[] {
  const { metafile, warnings } = result;
  if (!metafile) return [];
  const root = options.absWorkingDir ?? process.cwd();
  const meta = warnings.find(({ id }) => id === 'empty-import-meta');
  const fault = meta ? meta.text : findModuleFault({ metafile, warnings }, join(root, 'package.json'), false);
  if (fault !== undefined) return [fault];
  return Object.entries(metafile.outputs).flatMap(([output, { entryPoint }]) =>
    entryPoint === undefined ? [] : cacheEntry(resolve(root, output), nodeOf(options.target) ?? '', settings),
  );
}

/** Moves the code of an entry to a folder next to it, unless no cache can be made. */
function cacheEntry(file: string, target: string, settings: StartCacheSettings): readonly string[] {
  const name = basename(file).replace(/\.c?js$/, '');
  const folder = join(dirname(file), `${name}.start`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const text = readFileSync(file, 'utf8');
  const reference = `//# sourceMappingURL=${basename(file)}.map`;
  const hasMap = text.includes(reference);
  writeFileSync(join(folder, 'app.js'), text.replace(reference, '//# sourceMappingURL=app.js.map'));
  if (hasMap) copyFileSync(`${file}.map`, join(folder, 'app.js.map'));
  const { caches, problems } = makeStartCaches(folder, target, settings);
  if (caches.length === 0) {
    rmSync(folder, { recursive: true, force: true });
    return problems.map((problem) => `${basename(file)}: ${problem}`);
  }
  writeFileSync(file, `module.exports = require('./${name}.start/index.js');\n`);
  if (hasMap) rmSync(`${file}.map`);
  return problems;
}
