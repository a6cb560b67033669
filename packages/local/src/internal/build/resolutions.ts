import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ResolveResult } from 'esbuild';
import { dependencyStamp } from './dependencies.js';

/** An import, as a plugin of esbuild receives it. */
interface Import {
  readonly path: string;
  readonly kind: string;
  readonly resolveDir: string;
}

/**
 * The files of imported dependencies, kept between builds: for esbuild, one import that a plugin resolves is slower than the compilation
 * of a file. All are forgotten when a manifest or a lock file has changed, or when a file is gone.
 */
export class Resolutions {
  readonly #folder: string;
  readonly #known = new Map<string, ResolveResult>();
  #manifests: readonly string[] = [];
  #stamp = '';
  #hasNew = false;

  /** @param folder the project */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Call it before each build. */
  refresh(): void {
    const isValid =
      this.#stamp === this.#createStamp() && [...this.#known.values()].every(({ path }) => existsSync(path));
    if (isValid) return;
    this.#known.clear();
    this.#manifests = [];
  }

  /** Call it after each build. */
  close(): void {
    if (!this.#hasNew) return;
    this.#hasNew = false;
    this.#manifests = [...new Set([...this.#known.values()].flatMap(({ path }) => manifestAbove(dirname(path))))];
    this.#stamp = this.#createStamp();
  }

  get(one: Import): ResolveResult | undefined {
    return this.#known.get(keyOf(one));
  }

  keep(one: Import, found: ResolveResult): void {
    this.#known.set(keyOf(one), found);
    this.#hasNew = true;
  }

  #createStamp(): string {
    return dependencyStamp([...this.#manifests, join(this.#folder, 'tsconfig.json')], this.#folder);
  }
}

const keyOf = ({ path, kind, resolveDir }: Import): string => JSON.stringify([path, kind, resolveDir]);

/** The `package.json` of a file. */
function manifestAbove(folder: string): readonly string[] {
  const manifest = join(folder, 'package.json');
  if (existsSync(manifest)) return [manifest];
  return folder === dirname(folder) ? [] : manifestAbove(dirname(folder));
}
