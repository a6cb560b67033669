import type { Context, MaybePromise, StandardSchema } from '@sallyport/core';
import type { CallbackOptions, Durable, Duration, MapOptions, StepContext, StepOptions } from '../types.js';
import { runCallback } from './callback.js';
import { recordCaller, revalidate } from './caller.js';
import { toSeconds } from './checks.js';
import { runAs } from './current.js';
import { withDates } from './decision.js';
import type { ExecutionRun } from './execution.js';
import { recordFailure } from './failures.js';
import { flatContext, withPrefix } from './flat-context.js';
import { assertMapping } from './handoff.js';
import { isEnded } from './history.js';
import { eventIdentity } from './identity.js';
import { mapInOrder } from './in-order.js';
import { LaneRun, toParts } from './lane-run.js';
import type { AnyMiddleware, Hooks, LaneScope } from './lane-scope.js';
import { recordingLedger } from './ledger.js';
import type { Flow } from './parking.js';
import { Passage } from './passage.js';
import { type Origin, Place } from './place.js';
import { identityOf, nameExecution, withoutStreams } from './request.js';
import { bindScope } from './scope.js';
import { type DurableContext, type OperationInfo, TEXT, VIRTUAL } from './sdk.js';
import { fromSdk, toSdk } from './sdk-failures.js';
import { runStep } from './step.js';
import { fromText, type Text, toText } from './values.js';

/** The start of a flow: its place, and the additions and operations that it takes over. */
interface Start extends Origin {
  readonly hooks?: Hooks;
  readonly recorded?: ReadonlyMap<string, OperationInfo>;
}

/** One flow of an execution: its operations, the flows inside it, and what other packages use of it. */
export class Lane extends Place implements LaneScope {
  readonly context: DurableContext;
  readonly flow: Flow;
  readonly hooks: Hooks;
  /** The way through middlewares of the request or record that the flow belongs to. */
  #passage: { readonly key: object; readonly passage: Passage } | undefined;

  /** @param recordId the id of the recorded context that contains the operations; `undefined` if it is new */
  constructor(
    run: ExecutionRun,
    context: DurableContext,
    flow: Flow,
    recordId: string | undefined,
    { hooks = {}, recorded = run.history.under(recordId), ...origin }: Start = {},
  ) {
    super(run, recorded, origin);
    this.context = context;
    this.flow = flow;
    this.hooks = hooks;
  }

  bind(context: object): void {
    bindScope(context, this);
    nameExecution(this.run, context);
    this.host = context;
    const identity = eventIdentity(context);
    if (identity === undefined) return;
    // The index of a record in its batch differs from delivery to delivery.
    this.identity = identity;
    this.path = [];
  }

  record<T>(name: string, run: () => MaybePromise<T>): Promise<T> {
    return this.step(this.names.next(name), run);
  }

  async step<T>(name: string, run: (step: StepContext) => MaybePromise<T>, options: StepOptions = {}): Promise<T> {
    return runStep(this, name, run, options);
  }

  async wait(name: string, duration: Duration): Promise<void> {
    const seconds = toSeconds(duration, `wait "${name}"`);
    this.assertNothingHeld(`wait "${name}"`);
    assertMapping(this, seconds, `wait "${name}"`);
    this.begin(name, 1);
    await this.later(async (inner) => {
      await this.hooks.enter?.(this, name, false);
      await this.suspend(name, () => inner.wait(name, { seconds }));
    }, name);
    this.passedMs += seconds * 1000;
    await revalidate(this, name, seconds);
  }

  suspend<T>(name: string, wait: () => PromiseLike<T>, mayBeOver = false): Promise<T> {
    const { parking } = this.run;
    if (isEnded(this.recorded(name))) return parking.active(this.flow, wait);
    if (this.hooks.suspend) return this.hooks.suspend(this, name, wait, mayBeOver);
    return parking.idle(this.flow, wait, mayBeOver);
  }

  callback<T>(name: string, schema: StandardSchema<unknown, T>, options: CallbackOptions): Promise<T> {
    return runCallback(this, name, schema, options);
  }

  async map<I, T>(
    name: string,
    items: readonly I[],
    run: (item: I, ctx: Durable, index: number) => Promise<T>,
    options: MapOptions = {},
  ): Promise<T[]> {
    this.begin(name, 0);
    return this.later(
      (inner) =>
        mapInOrder(`map "${name}"`, items, options, (item, index) =>
          this.#runLane(inner, `${name} ${index}`, [...this.path, name, index], (lane) =>
            run(item, lane as unknown as Durable, index),
          ),
        ),
      name,
    );
  }

  /** Operations that undo others may start after the caller was rejected. */
  endRefusal(): void {
    if (!this.run.isDiverged) this.run.refusal = undefined;
  }

  /** Runs work in a flow with separate operations. Its result is recorded: a completed flow never runs again. */
  lane<T>(name: string, run: (lane: Lane) => MaybePromise<T>): Promise<T> {
    return this.#runLane(this.context, name, [...this.path, name], run);
  }

  element<T>(state: object, run: () => Promise<T>): Promise<T> {
    const name = this.names.next('element');
    this.names.add(name);
    return this.lane(name, (lane) => {
      bindScope(state, lane);
      return run();
    });
  }

  /**
   * Runs work in a flow without a separate operation: its operations are in the context of this flow, and its end is not recorded.
   *
   * @param prefix of the names of its operations in the history
   */
  async flat<T>(prefix: string, run: (lane: Lane) => MaybePromise<T>): Promise<T> {
    const { parking } = this.run;
    const flow = parking.open(this.flow);
    try {
      return await this.later(async (inner) => {
        const recorded = withPrefix(this.history, prefix);
        const start = { ...this.#startOf([...this.path, prefix]), recorded };
        const lane = new Lane(this.run, flatContext(inner, prefix), flow, undefined, start);
        return runAs(lane, undefined, () => run(lane));
      }, prefix);
    } finally {
      parking.close(flow, this.flow);
    }
  }

  /** Runs work whose position in the history is fixed now and may start its operations later. */
  async later<T>(run: (inner: DurableContext) => Promise<T>, name: string): Promise<T> {
    let outcome: { readonly value: T } | { readonly thrown: unknown } | undefined;
    this.reach(name);
    await this.context.runInChildContext<Text>(
      name,
      async (inner) => {
        outcome = await run(inner).then(
          (value) => ({ value }),
          (thrown: unknown) => ({ thrown }),
        );
        return undefined;
      },
      VIRTUAL,
    );
    if (outcome && 'value' in outcome) return outcome.value;
    throw outcome?.thrown;
  }

  async #runLane<T>(
    context: DurableContext,
    name: string,
    path: readonly (string | number)[],
    run: (lane: Lane) => MaybePromise<T>,
  ): Promise<T> {
    const { parking, sdk } = this.run;
    const recorded = this.recorded(name);
    if (!recorded) this.run.count(1, name);
    this.reach(name);
    const flow = parking.open(this.flow);
    try {
      const text = await context.runInChildContext<Text>(
        name,
        async (inner) => {
          const lane = new Lane(this.run, inner, flow, recorded?.id, this.#startOf(path));
          try {
            return toText(await runAs(lane, undefined, () => run(lane)), name);
          } catch (thrown) {
            throw toSdk(sdk, recordFailure(thrown));
          }
        },
        { serdes: TEXT },
      );
      return fromText<T>(text);
    } catch (error) {
      throw fromSdk(error);
    } finally {
      parking.close(flow, this.flow);
    }
  }

  #startOf(path: readonly (string | number)[]): Start {
    const { identity, passedMs, host } = this;
    return { identity, path, passedMs, host, hooks: { ...this.hooks } };
  }

  serve<R>(run: (context: Context) => R): (context: Context) => R {
    return (context) => {
      nameExecution(this.run, context);
      return withoutStreams(run, context);
    };
  }

  callerOf<R>(resolver: R): R {
    if (typeof resolver !== 'function') return resolver;
    return ((context: object) => recordCaller(this, context, () => resolver(context))) as R;
  }

  async decide<T extends object>(run: () => Promise<T>): Promise<T> {
    let own: T | undefined;
    const decision = await this.record('framework limit', async () => {
      own = await run();
      return own;
    });
    // A refund needs the object that the limiter returned.
    const known = own ?? withDates(decision);
    this.run.decisions.add(known);
    return known;
  }

  ledgerOf<L extends object>(ledger: L): L {
    return recordingLedger(this, ledger);
  }

  createRun(...parts: readonly unknown[]): object {
    return new LaneRun(toParts(parts), this);
  }

  through(middleware: AnyMiddleware, context: object, args: readonly unknown[]): Promise<unknown> {
    const key = identityOf(context);
    this.#passage ??= { key, passage: new Passage(this) };
    if (this.#passage.key === key) return this.#passage.passage.through(middleware, context, args);
    // A request inside the request of this flow, such as the call of a tool: its outcome is a part of the outer one.
    return Promise.resolve(middleware(context, ...args));
  }

  /** Runs a durable handler after its middlewares. When it has ended, later lines are new, such as the line of its error. */
  async handle<T>(context: object, run: () => MaybePromise<T>): Promise<T> {
    try {
      if (this.#passage?.key === identityOf(context)) await this.#passage.passage.enter(context);
      return await run();
    } finally {
      this.endReplay();
    }
  }

  onSuspend(run: () => MaybePromise<void>): void {
    this.run.onSuspend(run);
  }

  /** Not a part of a Lambda context that is written as JSON. */
  toJSON(): undefined {
    return undefined;
  }
}
