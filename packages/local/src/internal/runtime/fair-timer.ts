import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Less than this is noise, and is not added. */
const MIN_ADDED_MS = 100;
/** A limit is never extended beyond ten times its length. */
const MOST_TIMES = 10;

/**
 * The time for which the threads of a process waited for a CPU although they were runnable. Linux counts it for each thread, in nanoseconds
 * (second field of `/proc/<pid>/task/<tid>/schedstat`). A sleeping thread does not wait.
 *
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
export class CpuWait {
  readonly #tasks: string;
  readonly #main: string;
  /** Milliseconds at the start, by thread. */
  readonly #before = new Map<string, number>();
  #hasOthers = false;

  /** @param proc the folder of the processes; if it does not exist, as on macOS, no time is measured */
  constructor(pid: number, proc = '/proc') {
    this.#tasks = join(proc, String(pid), 'task');
    this.#main = String(pid);
    // One file, about 15 µs: the handler runs on this thread.
    this.#before.set(this.#main, this.#read(this.#main));
  }

  /** Includes the other threads. Reading all of them takes too long for each invocation. */
  includeOthers(): void {
    if (this.#hasOthers) return;
    this.#hasOthers = true;
    for (const thread of this.#threads()) if (thread !== this.#main) this.#before.set(thread, this.#read(thread));
  }

  /** Milliseconds since the start that the longest-waiting thread waited; at most the elapsed time. */
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

/** Options of a {@link FairTimer}. */
export interface FairTimerInit {
  readonly limitMs: number;
  readonly wait: Pick<CpuWait, 'ms'>;
  /** Called when the limit is extended. */
  onAdded(ms: number): void;
  /** Called when the limit is reached. */
  onEnd(): void;
  /** Starts a timer; for tests. @returns a function that cancels it */
  readonly after?: (ms: number, call: () => void) => () => void;
}

/** A time limit for a process: the time that the process waited for a CPU is added. */
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
      // A response that arrived in time may be unread: a busy host reads it in this turn.
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
