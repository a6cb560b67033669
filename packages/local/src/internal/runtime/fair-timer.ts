import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Less than this is noise, and is not added. */
const MIN_ADDED_MS = 100;
/** A limit never becomes longer than ten times itself. */
const MOST_TIMES = 10;

/**
 * For how long the threads of a process waited for a CPU although they could have run. Linux counts it for each thread, in nanoseconds
 * (second field of `/proc/<pid>/task/<tid>/schedstat`). A thread that sleeps does not wait.
 *
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
export class CpuWait {
  readonly #tasks: string;
  readonly #main: string;
  /** Milliseconds at the start, by thread. */
  readonly #before = new Map<string, number>();
  #hasOthers = false;

  /** @param proc the folder of the processes; without it, as on macOS, nothing is measured */
  constructor(pid: number, proc = '/proc') {
    this.#tasks = join(proc, String(pid), 'task');
    this.#main = String(pid);
    // One file, about 15 µs: the handler runs on this thread.
    this.#before.set(this.#main, this.#read(this.#main));
  }

  /** Includes the other threads from now on. Reading all of them takes too long for each invocation. */
  includeOthers(): void {
    if (this.#hasOthers) return;
    this.#hasOthers = true;
    for (const thread of this.#threads()) if (thread !== this.#main) this.#before.set(thread, this.#read(thread));
  }

  /** Milliseconds since the start, of the thread that waited longest. Never more than the time that has passed. */
  ms(): number {
    const threads = this.#hasOthers ? this.#threads() : [this.#main];
    return Math.max(0, ...threads.map((thread) => this.#read(thread) - (this.#before.get(thread) ?? 0)));
  }

  #threads(): readonly string[] {
    try {
      return readdirSync(this.#tasks);
    } catch {
      return [];
    }
  }

  #read(thread: string): number {
    try {
      const [, waited = '0'] = readFileSync(join(this.#tasks, thread, 'schedstat'), 'utf8').split(' ');
      return (Number(waited) || 0) / 1_000_000;
    } catch {
      return 0;
    }
  }
}

/** The parts of a {@link FairTimer}. */
export interface FairTimerInit {
  readonly limitMs: number;
  readonly wait: Pick<CpuWait, 'ms'>;
  /** The limit was made longer. */
  onAdded(ms: number): void;
  /** The limit is over. */
  onEnd(): void;
  /** Starts a timer; for tests. @returns what cancels it */
  readonly after?: (ms: number, call: () => void) => () => void;
}

/** A limit in the time that a process had: the time for which it waited for a CPU is added. */
export class FairTimer {
  readonly #init: FairTimerInit;
  #addedMs = 0;
  #cancel: () => void;

  constructor(init: FairTimerInit) {
    this.#init = init;
    this.#cancel = this.#after(init.limitMs);
  }

  cancel(): void {
    this.#cancel();
  }

  #after(ms: number): () => void {
    return (this.#init.after ?? startTimer)(ms, () => this.#expire());
  }

  #expire(): void {
    const { limitMs, wait, onAdded, onEnd } = this.#init;
    const most = limitMs * (MOST_TIMES - 1) - this.#addedMs;
    const ms = Math.min(Math.round(wait.ms() - this.#addedMs), most);
    if (ms < MIN_ADDED_MS) {
      // An answer that has arrived in time may not have been read: a busy host reads it in this turn.
      const turn = setImmediate(onEnd);
      this.#cancel = () => clearImmediate(turn);
      return;
    }
    this.#addedMs += ms;
    this.#cancel = this.#after(ms);
    onAdded(ms);
  }
}

function startTimer(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
