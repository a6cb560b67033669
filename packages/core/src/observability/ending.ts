import { type FullClock, type LambdaContext, remainingMs } from '../runtime/invocation.js';
import { guardHook } from './hooks.js';

/** Work that waits for the end of an invocation: lines of a log buffer, values of a metric line. */
export interface EndStep {
  /** Called once. `failed` is true for a failed invocation, at its deadline, and when the process exits before its end. */
  end(failed: boolean): void;
  /** A record of a batch has completed, so its lines are not needed. */
  recordDone?(index: number): void;
}

/** An invocation whose end can be waited for. */
export interface EndHolder {
  /** The time of the container. */
  readonly clock: FullClock;
  /** The Lambda context of the invocation. */
  readonly lambdaContext: LambdaContext | undefined;
  /** Created by {@link endOf}; `undefined` while nothing waits. */
  ending: InvocationEnd | undefined;
}

/** True for the invocation of a request or of a batch. */
export function isEndHolder(invocation: object): invocation is EndHolder {
  return 'ending' in invocation;
}

/** The time before the deadline that the steps need. Lambda kills the process at the deadline. */
const MARGIN_MS = 100;

/** The invocations with steps, for the exit of the process. */
let open: Set<InvocationEnd> | undefined;

/** The end of one invocation. It also comes at the deadline, and when the process exits, so that no step is lost with the process. */
export class InvocationEnd {
  readonly #steps: EndStep[] = [];
  #stopTimer: (() => void) | undefined;
  #isOver = false;

  constructor({ clock, lambdaContext }: EndHolder) {
    openEnds().add(this);
    const left = remainingMs(lambdaContext);
    if (left > 0) this.#stopTimer = clock.after(Math.max(left - MARGIN_MS, 0), () => this.end(true));
  }

  /** Adds a step; false if the end has passed, and the step is not called. */
  add(step: EndStep): boolean {
    if (!this.#isOver) this.#steps.push(step);
    return !this.#isOver;
  }

  /** A record of a batch has completed. */
  recordDone(index: number): void {
    for (const step of this.#steps) step.recordDone?.(index);
  }

  /** Calls the steps. A later call does nothing. */
  end(failed: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTimer?.();
    open?.delete(this);
    for (const step of this.#steps.splice(0)) guardHook(() => step.end(failed));
  }
}

/** The end of an invocation, created at the first call. */
export function endOf(holder: EndHolder): InvocationEnd {
  holder.ending ??= new InvocationEnd(holder);
  return holder.ending;
}

/** Lambda's runtime client exits the process after an uncaught exception or an unhandled rejection. */
function openEnds(): Set<InvocationEnd> {
  if (open === undefined) {
    const ends = new Set<InvocationEnd>();
    open = ends;
    process.on('exit', () => {
      for (const end of ends) end.end(true);
    });
  }
  return open;
}
