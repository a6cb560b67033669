/** One flow of code: a request, a record, an item of `map`. Flows with steps or plain code prevent a suspension of the others. */
export class Flow {
  /** Operations that run. */
  active = 0;
  /** Operations that wait for something outside the process, or for permission to wait. */
  idle = 0;
  /** Flows that this flow waits for. */
  children = 0;
  isDone = false;

  /** True if a suspension would cut code of this flow. */
  get isRunning(): boolean {
    return !this.isDone && (this.active > 0 || (this.idle === 0 && this.children === 0));
  }
}

interface Parked {
  readonly flow: Flow;
  /** True if the operation may be over already, so that its flow continues. */
  readonly mayBeOver: boolean;
  readonly start: () => void;
}

/**
 * Starts the operations that suspend the execution. The SDK suspends 20 ms after the last step ended and does not see plain code, so
 * a wait of one record would cut the code of its neighbours: an operation starts when no other flow runs.
 */
export class Parking {
  readonly #flows = new Set<Flow>();
  #parked: Parked[] = [];
  #isPausing = false;

  open(parent?: Flow): Flow {
    const flow = new Flow();
    this.#flows.add(flow);
    if (parent) parent.children += 1;
    return flow;
  }

  close(flow: Flow, parent?: Flow): void {
    flow.isDone = true;
    this.#flows.delete(flow);
    if (parent) parent.children -= 1;
    this.check();
  }

  /** True if a suspension would cut code. */
  get isBusy(): boolean {
    return [...this.#flows].some((flow) => flow.isRunning);
  }

  /** Counts an operation as running until it settles. */
  async active<T>(flow: Flow, run: () => PromiseLike<T>): Promise<T> {
    flow.active += 1;
    try {
      return await run();
    } finally {
      flow.active -= 1;
      this.check();
    }
  }

  /** Delays work until no other flow runs, and counts it as idle until it settles. */
  async idle<T>(flow: Flow, run: () => PromiseLike<T>, mayBeOver = false): Promise<T> {
    flow.idle += 1;
    try {
      await this.turn(flow, mayBeOver);
      return await run();
    } finally {
      flow.idle -= 1;
      this.check();
    }
  }

  /** Resolves when no other flow runs. The caller counts the flow as idle. */
  turn(flow: Flow, mayBeOver = false): Promise<void> {
    return new Promise((start) => {
      this.#parked.push({ flow, mayBeOver, start });
      this.check();
    });
  }

  /** Starts the operations whose time has come. */
  check(): void {
    if (this.#parked.length === 0 || this.#isPausing) return;
    const running = [...this.#flows].filter((flow) => flow.isRunning);
    const ready = this.#parked.filter(({ flow }) => running.every((other) => other === flow));
    const first = ready.find(({ mayBeOver }) => mayBeOver);
    const starting = first ? [first] : ready;
    if (starting.length === 0) return;
    this.#parked = this.#parked.filter((parked) => !starting.includes(parked));
    for (const { start } of starting) start();
    // An operation that is over lets its flow continue: the others are considered after its next turn.
    this.#isPausing = true;
    setImmediate(() => {
      this.#isPausing = false;
      this.check();
    });
  }
}
