import { FrameworkError, invocationTraceId, type LambdaContext, type TriggerKind } from '@sallyport/core';
import { Deliveries } from '@sallyport/core/pipeline';
import type { Kernel } from '../../router/internal/kernel.js';
import type { Target } from '../../router/internal/registry.js';
import { type LooseRecord, textOf } from '../../sources/internal/loose-record.js';

const NOTHING: LooseRecord = {};

/** One call of the function: what its records share. */
export class Delivery {
  readonly kernel: Kernel;
  readonly kind: TriggerKind;
  readonly lambdaContext: LambdaContext | undefined;
  readonly records: readonly LooseRecord[];
  readonly targets: readonly (Target | undefined)[];
  /** On the monotonic clock; infinite without a deadline. */
  readonly #deadlineAt: number = Number.POSITIVE_INFINITY;
  #abandon: (() => void) | undefined = undefined;
  #isWatched = false;
  #kept: Deliveries | undefined = undefined;
  #past = false;
  #requestId: string | undefined = undefined;
  #controllers: AbortController[] | undefined = undefined;
  #stopTimer: (() => void) | undefined = undefined;

  /** @param targets one for each record, `undefined` where no handler is registered */
  constructor(
    kernel: Kernel,
    kind: TriggerKind,
    lambdaContext: LambdaContext | undefined,
    records: readonly LooseRecord[],
    targets: readonly (Target | undefined)[],
  ) {
    this.kernel = kernel;
    this.kind = kind;
    this.lambdaContext = lambdaContext;
    this.records = records;
    this.targets = targets;
    const left = readRemaining(lambdaContext);
    if (!Number.isNaN(left)) this.#deadlineAt = kernel.clock.monotonicMs() + left - kernel.marginMs;
  }

  get hasDeadline(): boolean {
    return this.#deadlineAt !== Number.POSITIVE_INFINITY;
  }

  /** Says what happens half a margin behind the deadline, if the delivery is watched and has not ended by then. */
  onAbandoned(abandon: () => void): void {
    this.#abandon = abandon;
  }

  /** @param index of a record of this delivery */
  recordAt(index: number): LooseRecord {
    return this.records[index] ?? NOTHING;
  }

  /** Of a delivery whose every record has a target. */
  targetAt(index: number): Target {
    return this.targets[index] as Target;
  }

  /** Work beside the answer (notifications) that the answer waits for, a little. */
  get kept(): Deliveries {
    this.#kept ??= new Deliveries(this.kernel.clock);
    return this.#kept;
  }

  get requestId(): string {
    this.#requestId ??= textOf(this.lambdaContext?.awsRequestId).trim() || this.kernel.ids.newId();
    return this.#requestId;
  }

  /** The invocation's trace. The variable belongs to one invocation only where there is one at a time. */
  get traceId(): string {
    return invocationTraceId(this.lambdaContext, this.kernel.environment);
  }

  get tenantId(): string {
    return textOf(this.lambdaContext?.tenantId);
  }

  get remainingMs(): number {
    return Math.max(readRemaining(this.lambdaContext) || 0, 0);
  }

  get deadline(): Date | null {
    const { clock } = this.kernel;
    const left = this.#deadlineAt - clock.monotonicMs();
    return Number.isFinite(left) ? new Date(Math.round(clock.now().getTime() + left)) : null;
  }

  /** Whether the deadline is behind us. */
  get isPast(): boolean {
    if (!this.#past && this.hasDeadline) {
      this.#past = this.kernel.clock.monotonicMs() > this.#deadlineAt;
    }
    return this.#past;
  }

  /** Starts the timer, once, as soon as something can be waited for. */
  watch(): void {
    if (this.#isWatched || !this.hasDeadline) return;
    this.#isWatched = true;
    const { clock, marginMs } = this.kernel;
    this.#stopTimer = clock.after(this.#deadlineAt - clock.monotonicMs(), () => {
      this.#past = true;
      this.#stopTimer = clock.after(marginMs / 2, () => this.#abandon?.());
      for (const controller of this.#controllers ?? []) abort(controller);
    });
  }

  /** A signal of its own for each record that asks for one. */
  newSignal(): AbortSignal {
    const controller = new AbortController();
    this.#controllers ??= [];
    this.#controllers.push(controller);
    if (this.isPast) abort(controller);
    else this.watch();
    return controller.signal;
  }

  /** Clears what still runs; the result is what the answer waits for. */
  end(): Promise<void> | undefined {
    this.#stopTimer?.();
    const left = readRemaining(this.lambdaContext);
    return this.#kept?.settle(Number.isNaN(left) ? undefined : left);
  }
}

function abort(controller: AbortController): void {
  controller.abort(new FrameworkError('app.timeout'));
}

/** Milliseconds that the service gives the invocation; NaN when it does not say. */
function readRemaining(lambdaContext: LambdaContext | undefined): number {
  const left = lambdaContext?.getRemainingTimeInMillis?.();
  return typeof left === 'number' ? left : Number.NaN;
}
