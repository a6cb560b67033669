import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { seededRandom } from '../../internal/random.js';
import { settle, TrackedClock } from '../../internal/tracked-clock.js';

interface Parked {
  readonly invocation: number;
  readonly resume: () => void;
}

/** Turns of the event loop in which a resumed invocation reaches its next yield point. */
const TURNS = 2;

/** Suspends invocations at their yield points; a seed selects which invocation continues. */
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
   * @throws Error if the remaining invocations wait for something other than a yield point
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
      else if (!(await this.#outside(() => open === 0)))
        throw new Error('an invocation waits for something other than a yield point');
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

  /** Runs some turns for work that waits only for the event loop; `true` after any progress. */
  async #outside(isDone: () => boolean): Promise<boolean> {
    const led = () => isDone() || this.#parked.length > 0 || this.clock.nextDue !== undefined;
    await settle(led);
    return led();
  }
}

/** A clock whose timers suspend their invocation when they are due, so that timers due at the same time run in any order. */
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

/** State that an invocation must leave unchanged. */
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

/** Describes the change; `undefined` if nothing has changed. */
export function changeSince(before: Surroundings): string | undefined {
  const after = observeSurroundings();
  if (after.environment !== before.environment) return 'process.env was changed';
  for (const key of new Set([...before.globals.keys(), ...after.globals.keys()])) {
    const [one, other] = [before.globals.get(key), after.globals.get(key)];
    // A lazy getter of the platform is replaced by its value on first use.
    const isLoaded = one === LAZY && after.globals.has(key);
    const isSame = before.globals.has(key) === after.globals.has(key) && Object.is(one, other);
    if (!isLoaded && !isSame) return `the global ${String(key)} was changed`;
  }
  return undefined;
}

/** Registries shared by all copies of a framework package: the first container creates them, and they store no data of an invocation. */
function isRegistry(key: PropertyKey): boolean {
  const name = typeof key === 'symbol' ? Symbol.keyFor(key) : key;
  return String(name).startsWith('sallyport.');
}

/** Represents a lazy getter of the platform, which is not called. */
const LAZY = Symbol('lazy');

function dataOf(key: PropertyKey): unknown {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, key) ?? {};
  return get ? LAZY : value;
}
