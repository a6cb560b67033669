import type { Context, MaybePromise, StandardSchema } from '@sallyport/core';
import { closeStream, isOutgoingResponse, isPromise, stateOf } from '@sallyport/core/internal';
import { DurableError, streamingRefused } from '../errors.js';
import type { CallbackOptions, Durable, Duration, Execution, MapOptions, StepContext, StepOptions } from '../types.js';
import { runCallback } from './callback.js';
import { recordCaller, revalidate } from './caller.js';
import { toSeconds } from './checks.js';
import { assertOwnFlow, runAs } from './current.js';
import { withDates } from './decision.js';
import type { ExecutionRun } from './execution.js';
import { recordFailure } from './failures.js';
import { flatContext, withPrefix } from './flat-context.js';
import { assertMapping } from './handoff.js';
import { isEnded } from './history.js';
import { eventIdentity, placeDigest, toUuid } from './identity.js';
import { mapInOrder } from './in-order.js';
import { LaneRun, toParts } from './lane-run.js';
import type { AnyMiddleware, Hooks, LaneScope } from './lane-scope.js';
import { recordingLedger } from './ledger.js';
import { Names } from './names.js';
import type { HostContext } from './outside.js';
import type { Flow } from './parking.js';
import { Passage } from './passage.js';
import { hooksOf } from './records.js';
import { bindScope, isRequestContext, isStreamingRoute } from './scope.js';
import { type DurableContext, type OperationInfo, TEXT, VIRTUAL } from './sdk.js';
import { fromSdk, toSdk } from './sdk-failures.js';
import { runStep } from './step.js';
import { fromText, type Text, toText } from './values.js';

const KEPT_REQUEST =
  'framework: AWS keeps the request of a durable execution, with its headers, until the retention has passed: answer 202 and call startExecution with an event without credentials';

/**
 * An answer without a stream: the service stores it as text.
 *
 * @throws DurableError `durable.streaming_refused`
 */
function withoutStream<R>(response: R): R {
  const stream = isOutgoingResponse(response) ? response.bodyStream : null;
  if (!stream) return response;
  void closeStream(stream);
  throw streamingRefused('a streamed answer');
}

/** The derived contexts of a request share its state. */
function keyOf(context: object): object {
  return isRequestContext(context) ? stateOf(context) : context;
}

/** One flow of an execution: its operations, its place in the history, and its time. */
export class Lane implements LaneScope {
  readonly run: ExecutionRun;
  readonly context: DurableContext;
  readonly flow: Flow;
  readonly hooks: Hooks;
  readonly #names = new Names();
  readonly #recorded: ReadonlyMap<string, OperationInfo>;
  /** Recorded operations that this invocation has not reached. */
  readonly #ahead: Set<string>;
  #path: readonly (string | number)[];
  #identity: string;
  #host: HostContext = {};
  /** The way through middlewares of the request or record that the flow belongs to. */
  #passage: { readonly key: object; readonly passage: Passage } | undefined;
  #ids = 0;
  /** Leases and slots that the flow holds now. */
  #held = 0;
  #passedMs: number;

  /** @param recordId the id of the recorded context that contains the operations; `undefined` if it is new */
  constructor(
    run: ExecutionRun,
    context: DurableContext,
    flow: Flow,
    recordId: string | undefined,
    {
      identity = run.arn,
      path = [] as readonly (string | number)[],
      passedMs = 0,
      hooks = {} as Hooks,
      recorded = run.history.under(recordId),
    } = {},
  ) {
    this.run = run;
    this.context = context;
    this.flow = flow;
    this.hooks = hooks;
    this.#recorded = recorded;
    this.#ahead = new Set(this.#recorded.keys());
    this.#identity = identity;
    this.#path = path;
    this.#passedMs = passedMs;
  }

  get arn(): string {
    return this.run.arn;
  }

  get startedAt(): Date {
    return this.run.startedAt;
  }

  get execution(): Execution {
    const { arn, name, startedAt } = this.run;
    return { arn, name, startedAt: new Date(startedAt) };
  }

  /** The execution, and the invocation that writes a line: the request id is the same in all of them. */
  get fields(): Readonly<Record<string, string>> {
    return { execution: this.run.name, invocation_id: this.run.lambdaContext?.awsRequestId ?? '' };
  }

  /** True while recorded operations are ahead. */
  get isReplaying(): boolean {
    return this.#ahead.size > 0;
  }

  get isSilent(): boolean {
    return this.run.isOver || this.isReplaying;
  }

  /** Seconds that this flow has waited. */
  get passedSeconds(): number {
    return this.#passedMs / 1000;
  }

  /** The members of the context that the flow belongs to. */
  get host(): HostContext {
    return this.#host;
  }

  bind(context: object): void {
    if (this.run.isFirst && isRequestContext(context)) this.run.warnOnce(KEPT_REQUEST);
    bindScope(context, this);
    this.#nameExecution(context);
    this.#host = context;
    const identity = eventIdentity(context);
    if (identity === undefined) return;
    // The index of a record in its batch differs from delivery to delivery.
    this.#identity = identity;
    this.#path = [];
  }

  now(): Date {
    return new Date(this.run.startedAt.getTime() + this.#passedMs);
  }

  newId(): string {
    this.#ids += 1;
    return toUuid(placeDigest(this.#identity, ...this.#path, this.#ids));
  }

  idempotencyKey(name: string): string {
    return placeDigest(this.#identity, ...this.#path, name);
  }

  record<T>(name: string, run: () => MaybePromise<T>): Promise<T> {
    return this.step(this.#names.next(name), run);
  }

  serve<R>(run: (context: Context) => R): (context: Context) => R {
    return (context) => {
      this.#nameExecution(context);
      if (isStreamingRoute(context)) throw streamingRefused('a route with the option streaming');
      const result = run(context);
      return isPromise(result) ? (result.then(withoutStream) as R) : withoutStream(result);
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

  through(middleware: AnyMiddleware, context: object, args: readonly unknown[]): Promise<unknown> {
    const key = keyOf(context);
    this.#passage ??= { key, passage: new Passage(this) };
    if (this.#passage.key === key) return this.#passage.passage.through(middleware, context, args);
    // A request inside the request of this flow, such as the call of a tool: its outcome is a part of the outer one.
    return Promise.resolve(middleware(context, ...args));
  }

  enter(context: object): Promise<void> | undefined {
    return this.#passage?.key === keyOf(context) ? this.#passage.passage.enter(context) : undefined;
  }

  ledgerOf<L extends object>(ledger: L): L {
    return recordingLedger(this, ledger);
  }

  /** Not a part of a Lambda context that is written as JSON. */
  toJSON(): undefined {
    return undefined;
  }

  get recordedNames(): readonly string[] {
    return [...this.#recorded.keys()];
  }

  /** The recorded operation of a name, from an earlier invocation. */
  recorded(name: string): OperationInfo | undefined {
    return this.#recorded.get(name);
  }

  /**
   * Checks an operation before its position is fixed.
   *
   * @param operations the number of operations in the history that it adds at most
   */
  begin(name: string, operations: number): void {
    if (this.run.refusal) throw this.run.refusal;
    assertOwnFlow(this, name);
    this.#names.use(name);
    if (!this.#recorded.has(name)) this.run.count(operations, `operation "${name}"`);
  }

  /** Reserves the name of an operation that belongs to another. */
  reserve(name: string): void {
    this.#names.add(name);
  }

  /** Notes that the flow has reached a recorded operation. */
  reach(name: string): void {
    this.#ahead.delete(name);
  }

  endReplay(): void {
    this.#ahead.clear();
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
    this.#passedMs += seconds * 1000;
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
          this.#runLane(inner, `${name} ${index}`, [...this.#path, name, index], (lane) =>
            run(item, lane as unknown as Durable, index),
          ),
        ),
      name,
    );
  }

  /** Runs work in a flow with separate operations. Its result is recorded: a completed flow never runs again. */
  lane<T>(name: string, run: (lane: Lane) => MaybePromise<T>): Promise<T> {
    return this.#runLane(this.context, name, [...this.#path, name], run);
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
        const lane = new Lane(this.run, flatContext(inner, prefix), flow, undefined, {
          identity: this.#identity,
          path: [...this.#path, prefix],
          passedMs: this.#passedMs,
          hooks: { ...this.hooks },
          recorded: withPrefix(this.#recorded, prefix),
        });
        lane.#host = this.#host;
        return runAs(lane, undefined, () => run(lane));
      }, prefix);
    } finally {
      parking.close(flow, this.flow);
    }
  }

  createRun(...parts: readonly unknown[]): object {
    return new LaneRun(toParts(parts), this);
  }

  onSuspend(run: () => MaybePromise<void>): void {
    this.run.onSuspend(run);
  }

  hold(): () => void {
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held -= 1;
      isHeld = false;
    };
  }

  /** Operations that undo others may start after the caller was rejected. */
  endRefusal(): void {
    this.run.refusal = undefined;
  }

  /** @throws DurableError `durable.held` */
  assertNothingHeld(place: string): void {
    if (this.#held === 0) return;
    const text = `${place}: a lease or slot is held, and a suspended execution cannot release it: release it before`;
    throw new DurableError('durable.held', text);
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

  /** The record of a request names the execution, and has its duration. */
  #nameExecution(context: object): void {
    if (!isRequestContext(context)) return;
    const state = stateOf(context);
    const { runtime } = state;
    if (!runtime.observability || this.run.named.has(state)) return;
    this.run.named.add(state);
    const durationMs = () => runtime.clock.now().getTime() - this.run.startedAt.getTime();
    const observability = hooksOf(runtime.observability, { execution: this.run.name, durationMs });
    Object.defineProperty(state, 'runtime', { value: { ...runtime, observability } });
  }

  async #runLane<T>(
    context: DurableContext,
    name: string,
    path: readonly (string | number)[],
    run: (lane: Lane) => MaybePromise<T>,
  ): Promise<T> {
    const { parking, sdk } = this.run;
    const recorded = this.#recorded.get(name);
    if (!recorded) this.run.count(1, name);
    this.#ahead.delete(name);
    const flow = parking.open(this.flow);
    try {
      const text = await context.runInChildContext<Text>(
        name,
        async (inner) => {
          const lane = new Lane(this.run, inner, flow, recorded?.id, {
            identity: this.#identity,
            path,
            passedMs: this.#passedMs,
            hooks: { ...this.hooks },
          });
          lane.#host = this.#host;
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
}
