import type { Config } from '../config/config.js';
import { Builder, type BuildOutcome } from './builder.js';
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

/** Builds the service, at the start and after each save. */
export class BuildLoop {
  readonly #init: BuildLoopInit;
  readonly #builder: Builder;
  readonly #watcher = new Watcher(() => this.#rebuild());
  #building: Promise<void> = Promise.resolve();
  #isStale = false;
  #isStopped = false;

  constructor(init: BuildLoopInit) {
    this.#init = init;
    this.#builder = new Builder(init.config, init.folder);
  }

  /** Resolves after the first build. */
  async start(): Promise<void> {
    await this.#build();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watcher.close();
    await this.#building;
    await this.#builder.stop();
  }

  /** One build at a time; a save during a build causes another build. */
  #rebuild(): void {
    if (this.#isStale || this.#isStopped) return;
    this.#isStale = true;
    this.#building = this.#building.then(() => {
      this.#isStale = false;
      return this.#isStopped ? undefined : this.#build();
    });
  }

  async #build(): Promise<void> {
    const outcome = await this.#builder.build();
    if (this.#init.watch) this.#watcher.files(outcome.inputs);
    if (!this.#isStopped && outcome.kind !== 'same') await this.#init.onBuild(outcome);
  }
}
