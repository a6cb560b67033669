import { isFrameworkError, type MaybePromise } from '@sallyport/core';
import { randomFraction } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import type { Retry, StepContext, StepOptions } from '../types.js';
import { assertStepOptions, delayAfter } from './checks.js';
import { runAs } from './current.js';
import { recordFailure, stackOf } from './failures.js';
import { isEnded } from './history.js';
import { inputDigest, withInput, withoutInput } from './input.js';
import type { LaneScope } from './lane-scope.js';
import { runTimed } from './run-step.js';
import { type DurableContext, type OperationInfo, TEXT } from './sdk.js';
import { fromSdk, toSdk } from './sdk-failures.js';
import { fromText, type Text, toText } from './values.js';

/** Failures of the operation itself: a further attempt would fail in the same way. */
const PERMANENT: readonly unknown[] = ['durable.not_json', 'durable.result_too_large', 'durable.nested_step'];

/** Runs a step of a flow. */
export function runStep<T>(
  lane: LaneScope,
  name: string,
  run: (step: StepContext) => MaybePromise<T>,
  options: StepOptions,
): Promise<T> {
  const seconds = assertStepOptions(options, `step "${name}"`);
  lane.begin(name, options.retry?.attempts ?? 1);
  const step = new StepRun(lane, name, run, options, seconds);
  const { flow } = lane;
  flow.active += 1;
  // The position of a step with retries is separate from its start: a step that waits for its next attempt suspends the others.
  const ending = options.retry ? lane.later((inner) => step.runIn(inner), name) : step.runIn(lane.context);
  const leave = () => {
    flow.active -= 1;
    lane.run.parking.check();
  };
  return ending.then(
    (value) => {
      leave();
      return value;
    },
    (thrown: unknown) => {
      leave();
      throw thrown;
    },
  );
}

/** Runs the step of a callback that submits its id. */
export function runSubmit(
  lane: LaneScope,
  inner: DurableContext,
  name: string,
  run: (step: StepContext) => MaybePromise<void>,
): Promise<void> {
  const step = new StepRun(lane, `${name}${SUBMIT}`, run, {}, undefined);
  // Each execution has another id to submit.
  step.isPlain = true;
  return step.runIn(inner);
}

/** Ends the name of the step that submits the id of a callback. */
export const SUBMIT = ' submit';

class StepRun<T> {
  readonly #lane: LaneScope;
  readonly #name: string;
  readonly #run: (step: StepContext) => MaybePromise<T>;
  readonly #options: StepOptions;
  readonly #seconds: number | undefined;
  /** True if additions of the handler do not apply. */
  isPlain = false;
  #stack: string | undefined;
  #isWaiting = false;
  #hasRun = false;
  #delay: number | undefined;

  constructor(
    lane: LaneScope,
    name: string,
    run: (step: StepContext) => MaybePromise<T>,
    options: StepOptions,
    seconds: number | undefined,
  ) {
    this.#lane = lane;
    this.#name = name;
    this.#run = run;
    this.#options = options;
    this.#seconds = seconds;
  }

  runIn(context: DurableContext): Promise<T> {
    const recorded = this.#lane.recorded(this.#name);
    if (recorded && (this.#options.retry || recorded.status === 'PENDING')) return this.#runAgain(context, recorded);
    return this.#begin(context, recorded);
  }

  /** A recorded step that may wait for its next attempt. */
  async #runAgain(context: DurableContext, recorded: OperationInfo): Promise<T> {
    if (this.#options.retry) await this.#lane.hooks.enter?.(this.#lane, this.#name, true);
    if (recorded.status === 'PENDING') await this.#waitForTurn();
    return this.#begin(context, recorded);
  }

  /** Without `async`, because each promise of a step costs about a tenth of its time in an execution that uses async_hooks. */
  #begin(context: DurableContext, recorded: OperationInfo | undefined): Promise<T> {
    this.#lane.reach(this.#name);
    const { AtLeastOncePerRetry, AtMostOncePerRetry } = this.#lane.run.sdk.StepSemantics;
    const digest = inputDigest(this.#options);
    return context
      .step<Text>(this.#name, ({ attempt }) => this.#attempt(attempt, isEnded(recorded), digest), {
        serdes: TEXT,
        semantics: this.#options.effect === 'atMostOnce' ? AtMostOncePerRetry : AtLeastOncePerRetry,
        retryStrategy: () =>
          this.#delay === undefined ? { shouldRetry: false } : { shouldRetry: true, delay: { seconds: this.#delay } },
      })
      .then(
        (text) => {
          this.#assertOwn(recorded);
          return this.#valueOf(withoutInput(digest, text, `step "${this.#name}"`));
        },
        (error: unknown) => {
          this.#assertOwn(recorded);
          throw fromSdk(error, this.#stack);
        },
      );
  }

  /**
   * At another position the SDK finds the outcome of another operation. It ends the execution: the handler must not continue until then.
   *
   * @throws DurableError `durable.diverged` if the outcome is not of a recorded step with this name
   */
  #assertOwn(recorded: OperationInfo | undefined): void {
    if (recorded?.type === 'STEP' || this.#hasRun || !this.#lane.isSilent) return;
    throw this.#lane.run.diverge(`step "${this.#name}" is not at its position in the history`);
  }

  #valueOf(text: Text): T | Promise<T> {
    const lane = this.#lane;
    const { read } = lane.hooks;
    if (text === undefined || !read) return fromText<T>(text);
    return read(lane, this.#name, text).then((kept) => fromText<T>(kept));
  }

  async #attempt(attempt: number, isRecorded: boolean, digest: string | undefined): Promise<Text> {
    const { run, flow } = this.#lane;
    this.#hasRun = true;
    if (this.#isWaiting) {
      this.#isWaiting = false;
      flow.idle -= 1;
      flow.active += 1;
    }
    const place = `step "${this.#name}"`;
    this.#delay = undefined;
    try {
      // The SDK finds operations by their position: a recorded step would run again if code before it has changed.
      if (isRecorded) throw new DurableError('durable.diverged', `${place} is recorded at another position`);
      if (!run.isSettled) await run.settle();
      if (run.isOver) return await new Promise<never>(() => {});
      const context = this.#contextOf(attempt);
      const work = () => runTimed(run.host.clock, place, this.#seconds, context, this.#run);
      const { maxBytes, keep } = this.#lane.hooks;
      const around = this.isPlain ? undefined : this.#lane.hooks.body;
      if (!around && !keep) {
        return withInput(digest, toText(await runAs(this.#lane, this.#name, work), place, maxBytes));
      }
      const body = async () => {
        const text = toText(await runAs(this.#lane, this.#name, work), place, maxBytes);
        return text === undefined || !keep ? text : keep(this.#lane, text);
      };
      return withInput(digest, await (around ? around(this.#lane, this.#name, this.#options, body) : body()));
    } catch (thrown) {
      this.#stack = stackOf(thrown);
      const { retry } = this.#options;
      if (retry && isWorthIt(retry, attempt, thrown)) {
        await this.#waitForTurn();
        const end = await this.#lane.hooks.endsRetry?.(this.#name);
        if (end) throw toSdk(run.sdk, recordFailure(end));
        this.#delay = delayAfter(retry, attempt, randomFraction());
      }
      throw toSdk(run.sdk, recordFailure(thrown));
    }
  }

  /** The SDK suspends while a step waits for its next attempt. */
  async #waitForTurn(): Promise<void> {
    const { run, flow } = this.#lane;
    flow.active -= 1;
    flow.idle += 1;
    this.#isWaiting = true;
    await run.parking.turn(flow);
  }

  #contextOf(attempt: number): StepContext {
    const lane = this.#lane;
    const { run, host } = lane;
    const name = this.#name;
    let signal: AbortSignal | undefined;
    let key: string | undefined;
    return {
      attempt,
      get signal() {
        signal ??= host.signal ?? new AbortController().signal;
        return signal;
      },
      log: host.log as StepContext['log'],
      get idempotencyKey() {
        key ??= lane.idempotencyKey(name);
        return key;
      },
      now: () => run.host.clock.now(),
      newId: () => run.host.ids.newId(),
    };
  }
}

function isWorthIt(retry: Retry, attempt: number, thrown: unknown): boolean {
  if (attempt >= retry.attempts || (isFrameworkError(thrown) && PERMANENT.includes(thrown.code))) return false;
  return retry.when?.(thrown) ?? true;
}
