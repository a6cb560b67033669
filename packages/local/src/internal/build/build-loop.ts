import type { Config } from '../config/config.js';
import { Builder, type BuildOutcome, type Compiled } from './builder.js';
import { Watcher } from './watch.js';

/** The result of a build whose output differs from the previous build. */
export type NewBuild = Exclude<BuildOutcome, { kind: 'same' }>;

/** Options of a {@link BuildLoop}. */
export interface BuildLoopInit {
  readonly config: Config;
  /** The folder of its builds; default: `build` in the state folder. */
  readonly folder?: string;
  /** True if saves are watched. */
  readonly watch: boolean;
  /** Runs the function on a build, or reports a broken one. Awaited before the next build. */
  readonly onBuild: (outcome: NewBuild) => Promise<void>;
}

/** A save that continues longer is built unfinished, and again afterwards. */
const ROUNDS = 3;

/** Builds the service, at the start and after each save. */
export class BuildLoop {
  readonly #init: BuildLoopInit;
  readonly #builder: Builder;
  readonly #watcher = new Watcher(() => this.#rebuild());
  #building: Promise<void> = Promise.resolve();
  #isStale = false;
  #isCompiling = false;
  #isStopped = false;

  constructor(init: BuildLoopInit) {
    this.#init = init;
    this.#builder = new Builder(init.config, init.folder);
  }

  /** Resolves after the first build. */
  async start(): Promise<void> {
    const first = this.#build();
    this.#building = first.catch(() => {});
    await first;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watcher.close();
    await this.#building;
    await this.#builder.stop();
  }

  /** One build at a time; a save after its compilation causes another build. */
  #rebuild(): void {
    if (this.#isCompiling || this.#isStale || this.#isStopped) return;
    this.#isStale = true;
    this.#building = this.#building.then(() => {
      this.#isStale = false;
      return this.#isStopped ? undefined : this.#build();
    });
  }

  async #build(): Promise<void> {
    const compiled = await this.#compile();
    const outcome = this.#builder.finish(compiled);
    if (this.#init.watch) this.#watcher.files(outcome.inputs);
    if (!this.#isStopped && outcome.kind !== 'same') await this.#init.onBuild(outcome);
  }

  /** Compiles while a save continues, and again if it has changed a file in the meantime. */
  async #compile(): Promise<Compiled> {
    this.#isCompiling = true;
    for (let round = 1; ; round += 1) {
      const seen = this.#watcher.events;
      const compiled = await this.#builder.compile();
      await this.#watcher.quiet();
      const isLatest = seen === this.#watcher.events;
      // A program that writes a file in these folders all the time must not prevent a build.
      if (!isLatest && round < ROUNDS && !this.#isStopped) continue;
      this.#isCompiling = false;
      if (!isLatest) this.#rebuild();
      return compiled;
    }
  }
}
