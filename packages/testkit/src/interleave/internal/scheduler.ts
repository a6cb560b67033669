import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { seededRandom } from '../../internal/random.js';
import { settle, TrackedClock } from '../../internal/tracked-clock.js';

interface Parked {
  readonly invocation: number;
  readonly resume: () => void;
}

/** Turns that one resumed invocation gets to reach its next yield point. */
const TURNS = 2;

/** Parks invocations at their yield points and lets a seed decide which one continues. */
export class Scheduler {
  /** The invocation whose code runs. */
  readonly running = new AsyncLocalStorage<number>();
  readonly clock: TrackedClock;
  /** The invocations in the order in which they were resumed. */
  readonly schedule: number[] = [];
  readonly #random: () => number;
  readonly #parked: Parked[] = [];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.clock = new ParkingClock((resume) => this.#park(resume));
  }

  /** A yield point: resolves when this invocation's turn has come. */
  pause(): Promise<void> {
    return new Promise((resolve) => this.#park(resolve));
  }

  /**
   * Runs all of them to their end, one step of one invocation at a time.
   *
   * @throws Error when those that are left wait for something that is not a yield point
   */
  async runAll(invocations: readonly (() => Promise<void>)[]): Promise<void> {
    let open = invocations.length;
    for (const [index, invoke] of invocations.entries()) {
      const start = () => invoke().finally(() => (open -= 1));
      this.running.run(index, () => void this.pause().then(start));
    }
    while (open > 0) {
      if (this.#parked.length > 0) await this.#resumeOne();
      else if (this.clock.nextDue !== undefined)
        await this.clock.advance(this.clock.nextDue - this.clock.monotonicMs());
      else if (!(await this.#outside(() => open === 0))) throw new Error('an invocation waits for no yield point');
    }
  }

  #park(resume: () => void): void {
    const invocation = this.running.getStore() ?? -1;
    this.#parked.push({ invocation, resume: AsyncResource.bind(resume) });
  }

  async #resumeOne(): Promise<void> {
    const [next] = this.#parked.splice(Math.floor(this.#random() * this.#parked.length), 1);
    if (!next) return;
    this.schedule.push(next.invocation);
    next.resume();
    let turns = 0;
    await settle(() => turns++ >= TURNS);
  }

  /** Work that waits for the event loop alone gets some turns; `true` once it has led somewhere. */
  async #outside(isDone: () => boolean): Promise<boolean> {
    const led = () => isDone() || this.#parked.length > 0 || this.clock.nextDue !== undefined;
    await settle(led);
    return led();
  }
}

/** A clock whose timers park their invocation when they are due, so that those due at once run in any order. */
class ParkingClock extends TrackedClock {
  readonly #park: (resume: () => void) => void;

  constructor(park: (resume: () => void) => void) {
    super();
    this.#park = park;
  }

  override after(ms: number, run: () => void): () => void {
    let cancelled = false;
    const due = AsyncResource.bind(() => {
      this.#park(() => {
        if (!cancelled) run();
      });
    });
    const cancel = super.after(ms, due);
    return () => {
      cancelled = true;
      cancel();
    };
  }
}

/** What an invocation must leave as it found it. */
export interface Surroundings {
  readonly environment: string;
  readonly globals: ReadonlyMap<PropertyKey, unknown>;
}

export function observeSurroundings(): Surroundings {
  const keys = Reflect.ownKeys(globalThis).filter((key) => !isRegistry(key));
  return {
    environment: JSON.stringify(process.env),
    globals: new Map(keys.map((key) => [key, dataOf(key)])),
  };
}

/** What has changed, in words; `undefined` when nothing has. */
export function changeSince(before: Surroundings): string | undefined {
  const after = observeSurroundings();
  if (after.environment !== before.environment) return 'process.env was changed';
  for (const key of new Set([...before.globals.keys(), ...after.globals.keys()])) {
    const [one, other] = [before.globals.get(key), after.globals.get(key)];
    // A getter of the platform loads something at its first use, and becomes its value.
    const isLoaded = one === LAZY && after.globals.has(key);
    const isSame = before.globals.has(key) === after.globals.has(key) && Object.is(one, other);
    if (!isLoaded && !isSame) return `the global ${String(key)} was changed`;
  }
  return undefined;
}

/** Registries that all copies of a framework package share: they are made with the first container, and hold nothing of an invocation. */
function isRegistry(key: PropertyKey): boolean {
  return typeof key === 'symbol' && Symbol.keyFor(key)?.startsWith('sallyport.') === true;
}

/** Stands for a getter of the platform, which is not asked. */
const LAZY = Symbol('lazy');

function dataOf(key: PropertyKey): unknown {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, key) ?? {};
  return get ? LAZY : value;
}
