import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildContext, type BuildFailure, type BuildResult, context, type Message, type Plugin } from 'esbuild';
import type { Config } from '../config/config.js';
import type { BuildProblem } from '../runtime/invoker.js';
import type { RunnableCode } from '../runtime/pool.js';
import {
  addonsStayOutside,
  bundleDependencies,
  commonOptions,
  type Dependencies,
  dependencyStamp,
} from './dependencies.js';
import { ownPaths } from './own-paths.js';
import { Resolutions } from './resolutions.js';

/** The result of a build. */
export type BuildOutcome =
  | { readonly kind: 'built'; readonly code: RunnableCode; readonly ms: number; readonly inputs: readonly string[] }
  /** The output equals the previous build. */
  | { readonly kind: 'same'; readonly inputs: readonly string[] }
  | { readonly kind: 'broken'; readonly problems: readonly BuildProblem[]; readonly inputs: readonly string[] };

/** The output of esbuild, or its failure. */
export type Compiled = { readonly result: BuildResult; readonly ms: number } | { readonly error: unknown };

interface Found {
  /** Resolved files of dependencies, in the order in which the service imports them. */
  readonly paths: Set<string>;
  /** The files that are loaded when the service starts. */
  readonly loadsAtStart: Set<string>;
}

/** Number of kept builds: a process may still run the previous build. */
const KEPT = 3;
const NO_DEPENDENCIES: Dependencies = { files: new Map(), inputs: [] };

/** Builds the service after each save. Its dependencies are bundled only when they have changed. */
export class Builder {
  readonly #config: Config;
  readonly #folder: string;
  readonly #resolutions: Resolutions;
  #context: BuildContext | undefined;
  #dependencies = NO_DEPENDENCIES;
  #found: Found = { paths: new Set(), loadsAtStart: new Set() };
  #inputs: readonly string[] = [];
  #made = 0;
  #last = '';
  #stamp = '';

  /** @param folder of its builds; default: `build` in the state folder */
  constructor(config: Config, folder = join(config.stateFolder, 'build')) {
    this.#config = config;
    this.#folder = folder;
    this.#resolutions = new Resolutions(config.folder);
  }

  /** Compiles the files as they are now. */
  async compile(): Promise<Compiled> {
    const begin = performance.now();
    try {
      const result = await this.#compile();
      return { result, ms: performance.now() - begin };
    } catch (error) {
      return { error };
    }
  }

  /** Writes a compiled service where a process can load it. */
  finish(compiled: Compiled): BuildOutcome {
    try {
      if ('error' in compiled) throw compiled.error;
      return this.#toOutcome(compiled.result, compiled.ms);
    } catch (error) {
      this.#last = '';
      const problems = problemsOf(error, this.#config.folder);
      return { kind: 'broken', problems, inputs: this.#watched([this.#config.entry]) };
    }
  }

  async stop(): Promise<void> {
    await this.#context?.dispose();
  }

  /** Compiles the service. Compiles it again if it imports a file that is not bundled yet. */
  async #compile(): Promise<BuildResult> {
    this.#context ??= await this.#createContext();
    const result = await this.#rebuild();
    if (this.#config.bundle) return result;
    const { folder, stateFolder, conditions } = this.#config;
    const { files: known, inputs } = this.#dependencies;
    const paths = [...this.#found.paths].sort();
    if (paths.length === 0) return result;
    const isKnown = paths.every((path) => known.has(path));
    if (isKnown && this.#stamp === dependencyStamp(inputs, folder)) return result;
    const before = [...known.values()].join();
    this.#dependencies = await bundleDependencies(paths, { folder, stateFolder, conditions });
    this.#stamp = dependencyStamp(this.#dependencies.inputs, folder);
    return isKnown && before === [...this.#dependencies.files.values()].join() ? result : this.#rebuild();
  }

  async #rebuild(): Promise<BuildResult> {
    this.#found = { paths: new Set(), loadsAtStart: new Set() };
    this.#resolutions.refresh();
    const result = await (this.#context as BuildContext).rebuild();
    this.#resolutions.close();
    return result;
  }

  #createContext(): Promise<BuildContext> {
    const { entry, folder, bundle, conditions } = this.#config;
    return context({
      ...commonOptions(conditions),
      entryPoints: [entry],
      // As deep as the folders of the builds, so that the paths in the source map are right there.
      outfile: join(this.#folder, '0', 'index.mjs'),
      write: false,
      metafile: true,
      sourcemap: 'linked',
      sourcesContent: false,
      absWorkingDir: folder,
      plugins: bundle ? [addonsStayOutside, ownPaths] : [this.#leaveDependencies(), ownPaths],
    });
  }

  /** Excludes the dependencies of the service from its build. */
  #leaveDependencies(): Plugin {
    return {
      name: 'dependencies',
      setup: ({ onResolve, resolve }) => {
        onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
          if (kind === 'entry-point' || pluginData === 'seen' || path.startsWith('node:') || isAbsolute(path))
            return undefined;
          const one = { path, kind, resolveDir };
          const known = this.#resolutions.get(one);
          const found = known ?? (await resolve(path, { kind, importer, resolveDir, pluginData: 'seen' }));
          if (found.errors.length > 0 || found.external || !this.#isDependency(found.path)) return found;
          if (!known) this.#resolutions.keep(one, found);
          this.#found.paths.add(found.path);
          if (kind === 'import-statement') this.#found.loadsAtStart.add(found.path);
          if (kind === 'require-call' || kind === 'require-resolve') return { path: found.path, external: true };
          return { path: this.#dependencies.files.get(found.path) ?? found.path, external: true };
        });
      },
    };
  }

  #isDependency(path: string): boolean {
    return path.includes('/node_modules/') || relative(this.#config.folder, path).startsWith('..');
  }

  #toOutcome({ outputFiles = [], metafile }: BuildResult, ms: number): BuildOutcome {
    const { folder, handler } = this.#config;
    const own = Object.keys(metafile?.inputs ?? {}).map((input) => join(folder, input));
    const inputs = this.#watched(own);
    const hash = createHash('sha256');
    for (const { contents } of outputFiles) hash.update(contents);
    const digest = hash.digest('hex');
    if (digest === this.#last) return { kind: 'same', inputs };
    this.#last = digest;
    const target = this.#write(outputFiles);
    // Sorted: esbuild resolves in any order, and a standby is kept as long as the list is unchanged.
    const preload = [...this.#found.loadsAtStart].sort().map((path) => this.#dependencies.files.get(path) ?? path);
    return {
      kind: 'built',
      ms,
      inputs,
      code: { order: { entry: pathToFileURL(join(target, 'index.mjs')).href, folder, handler }, preload },
    };
  }

  #write(files: NonNullable<BuildResult['outputFiles']>): string {
    this.#made += 1;
    const target = join(this.#folder, `${process.pid}-${this.#made}`);
    mkdirSync(target, { recursive: true });
    for (const { path, contents } of files) writeFileSync(join(target, path.slice(dirname(path).length + 1)), contents);
    const old = readdirSync(this.#folder).filter((name) => Number(name.split('-')[1]) <= this.#made - KEPT);
    for (const name of old) rmSync(join(this.#folder, name), { recursive: true, force: true });
    return target;
  }

  #watched(own: readonly string[]): readonly string[] {
    const all = new Set([...this.#inputs, ...own, ...this.#dependencies.inputs]);
    this.#inputs = [...all].filter((file) => !file.includes('/node_modules/'));
    return this.#inputs;
  }
}

function problemsOf(error: unknown, folder: string): readonly BuildProblem[] {
  const { errors } = error as Partial<BuildFailure>;
  if (!Array.isArray(errors) || errors.length === 0)
    return [{ text: error instanceof Error ? error.message : String(error) }];
  return errors.map((message) => toProblem(message, folder));
}

/** Lambda has the clients of the AWS SDK; on this machine they must be installed. */
const OF_LAMBDA = /^Could not resolve "(@(?:aws-sdk|smithy)\/[^"/]+)/;

function toProblem(message: Message, folder: string): BuildProblem {
  const { location } = message;
  const [, missing] = OF_LAMBDA.exec(message.text) ?? [];
  const hint =
    missing === undefined ? '' : `: Lambda includes it; install it here with npm install --save-dev ${missing}`;
  const text = message.text + hint;
  if (!location) return { text };
  const file = isAbsolute(location.file) ? relative(folder, location.file) : location.file;
  return { text, file, line: location.line, column: location.column + 1 };
}
