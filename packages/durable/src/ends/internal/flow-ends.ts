import { DurableError, type DurableErrorCode } from '../../errors.js';
import { isEnded } from '../../internal/history.js';
import type { LaneScope } from '../../internal/lane-scope.js';
import { type DurableContext, TEXT } from '../../internal/sdk.js';

/** Something outside the function that ends an execution. */
export interface EndReason {
  /** The name of its operation. */
  readonly name: string;
  readonly code: DurableErrorCode;
  readonly text: string;
  /**
   * Starts its operation, or continues its wait.
   *
   * @param elapsed seconds since the start of the execution
   * @param come called when the execution has to end
   */
  start(inner: DurableContext, elapsed: number, come: () => void): Promise<void>;
}

/** The name of the step that records which operations rejected. */
const DECISION = 'framework end';

/**
 * The ends of one handler. Their operations start when the handler first waits: the SDK suspends code next to an operation that waits. When a
 * reason has come, a step records which operations wait; those reject, at each replay too.
 */
export class FlowEnds {
  readonly #lane: LaneScope;
  readonly #reasons: readonly EndReason[];
  /** Operations that wait now. */
  readonly #waiting = new Set<string>();
  #reason: EndReason | undefined;
  /** The operations that reject. */
  #cut: ReadonlySet<string> | undefined;
  #start: () => Promise<unknown> = async () => {};
  #decide: () => Promise<unknown> = async () => {};
  #announce: () => void = () => {};
  readonly #decided = new Promise<void>((resolve) => {
    this.#announce = resolve;
  });

  constructor(lane: LaneScope, reasons: readonly EndReason[]) {
    this.#lane = lane;
    this.#reasons = reasons;
    this.#reason = reasons.find(({ name }) => isEnded(lane.recorded(name)));
  }

  /** Fixes the positions of the operations in the history. */
  attach(): void {
    const lane = this.#lane;
    for (const { name } of [...this.#reasons, { name: DECISION }]) {
      lane.reserve(name);
      lane.reach(name);
    }
    this.#start = this.#prepare('framework ends', (inner) => this.#startIn(inner));
    this.#decide = this.#prepare(DECISION, (inner) => this.#decideIn(inner));
    const recorded = lane.recorded(DECISION);
    if (isEnded(recorded)) this.#cut = toSet(recorded?.result);
    lane.hooks.enter = (...operation) => this.#enter(...operation);
    lane.hooks.suspend = (...operation) => this.#suspend(...operation);
    lane.hooks.endsRetry = (name) => this.#endsRetry(name);
  }

  /** Fixes the position of work, and returns the function that runs it once: the SDK requires that the work runs in the context of that position. */
  #prepare(name: string, run: (inner: DurableContext) => Promise<void>): () => Promise<void> {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const work = new Promise<void>((resolve, reject) => {
      void this.#lane.later(async (inner) => {
        await begun;
        await run(inner).then(resolve, reject);
        // Its operations continue to wait.
        await new Promise(() => {});
      }, name);
    });
    work.catch(() => {});
    return () => {
      begin();
      return work;
    };
  }

  async #startIn(inner: DurableContext): Promise<void> {
    const { run, recorded } = this.#lane;
    const missing = this.#reasons.filter(({ name }) => recorded.call(this.#lane, name) === undefined);
    run.count(missing.length, 'the ends of the execution');
    // Nothing outside continues an execution that waits for its cancellation only.
    run.mustContinue = () => run.parking.isBusy;
    const elapsed = (run.host.clock.now().getTime() - run.startedAt.getTime()) / 1000;
    await Promise.all(this.#reasons.map((reason) => reason.start(inner, elapsed, () => this.#come(reason))));
  }

  #come(reason: EndReason): void {
    if (this.#reason) return;
    this.#reason = reason;
    const { run, flow } = this.#lane;
    run.parking.active(flow, this.#decide).catch(() => {});
  }

  async #decideIn(inner: DurableContext): Promise<void> {
    const decide = async () => {
      this.#cut = new Set(this.#waiting);
      return JSON.stringify([...this.#cut]);
    };
    const once = { serdes: TEXT as never, retryStrategy: () => ({ shouldRetry: false }) };
    this.#cut = toSet(await inner.step<string>(DECISION, decide, once));
    this.#announce();
  }

  async #enter(lane: LaneScope, name: string, isStep: boolean): Promise<void> {
    if (!this.#reason) return;
    const key = keyOf(lane, name);
    const recorded = lane.recorded(name);
    if (this.#cut) {
      if (this.#cut.has(key) || (!recorded && !isStep)) throw this.#error(name);
      return;
    }
    if (isStep ? recorded?.status !== 'PENDING' : isEnded(recorded)) return;
    this.#waiting.add(key);
    await this.#decideInTurn(lane, isStep ? 1 : 0);
    throw this.#error(name);
  }

  /** @param counted 1 if the flow counts the operation as running */
  async #decideInTurn({ run: { parking }, flow }: LaneScope, counted: 0 | 1): Promise<void> {
    flow.active -= counted;
    flow.idle += 1;
    await parking.turn(flow);
    flow.idle -= 1;
    flow.active += 1;
    try {
      await this.#decide();
    } finally {
      flow.active -= 1 - counted;
      parking.check();
    }
  }

  async #suspend<T>(lane: LaneScope, name: string, wait: () => PromiseLike<T>, mayBeOver: boolean): Promise<T> {
    const key = keyOf(lane, name);
    const assertOpen = () => {
      if (this.#cut?.has(key)) throw this.#error(name);
    };
    this.#waiting.add(key);
    try {
      return await lane.run.parking.idle(
        lane.flow,
        () => {
          assertOpen();
          return Promise.race([this.#besides(wait()).finally(assertOpen), this.#whenCut(assertOpen)]);
        },
        mayBeOver,
      );
    } finally {
      this.#waiting.delete(key);
    }
  }

  /** Starts the operations of the reasons, if a value does not come immediately. */
  async #besides<T>(value: PromiseLike<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    value.then(end, end);
    await new Promise(setImmediate);
    if (!isOver) await this.#start();
    return value;
  }

  async #whenCut(assertOpen: () => void): Promise<never> {
    await this.#decided;
    assertOpen();
    return new Promise(() => {});
  }

  async #endsRetry(name: string): Promise<Error | undefined> {
    if (!this.#cut) await this.#start();
    return this.#reason && !this.#cut ? this.#error(name) : undefined;
  }

  #error(name: string): DurableError {
    const { code = 'durable.cancelled', text = '' } = this.#reason ?? {};
    return new DurableError(code, `operation "${name}": ${text}`);
  }
}

function keyOf(lane: LaneScope, name: string): string {
  return lane.idempotencyKey(name).slice(0, 16);
}

function toSet(text = '[]'): ReadonlySet<string> {
  return new Set(JSON.parse(text) as string[]);
}
