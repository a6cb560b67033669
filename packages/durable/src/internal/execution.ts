import type { Environment, FullClock, IdGenerator, LambdaContext, Logger, MaybePromise } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import type { ExecutionClient, FailedExecution, RecordedCaller, StartRecord } from '../types.js';
import { History } from './history.js';
import { Parking } from './parking.js';
import type { DurableSdk, WireOperation } from './sdk.js';
import type { Starter } from './transport.js';

/** AWS permits 3,000 operations: the rest is for the operations that end an execution. */
const MAX_OPERATIONS = 2_900;

/** The options about callers. */
export interface Authority {
  readonly claims: readonly string[];
  readonly revalidate: ((caller: RecordedCaller, ctx: object) => MaybePromise<boolean>) | undefined;
  /** Seconds of a wait after which the caller is checked again. */
  readonly revalidateSeconds: number;
}

/** The parts of a container that executions use. */
export interface ExecutionHost {
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  readonly environment: Environment;
  /** The container's logger. */
  readonly log: Logger;
  /** The number of records that run at the same time if a registration has no limit. */
  readonly concurrency: number;
  /** The largest number of records of a batch. */
  readonly maxRecords: number;
  readonly authority: Authority;
  /** True for a middleware whose outcome counts at each replay. */
  readonly isAnew: (middleware: unknown) => boolean;
  /** Starts the execution of one record. */
  readonly start: StartRecord | undefined;
  /** Called when an execution has failed. */
  readonly onFailure: ((failed: FailedExecution) => MaybePromise<void>) | undefined;
  /** The warnings that the container has written. */
  readonly warned: Set<string>;
}

/** The options of `durableExecutions`, checked. */
export interface ExecutionSettings extends Omit<ExecutionHost, 'clock' | 'ids' | 'environment' | 'log'> {
  readonly client: ExecutionClient | undefined;
}

/** One invocation of an execution. */
export class ExecutionRun {
  readonly arn: string;
  readonly name: string;
  readonly id: string;
  readonly host: ExecutionHost;
  readonly sdk: DurableSdk;
  readonly lambdaContext: LambdaContext | undefined;
  readonly parking = new Parking();
  /** Requests whose record names the execution. */
  readonly named = new WeakSet<object>();
  /** Decisions with a separate operation, such as the decision of a rate limit. */
  readonly decisions = new WeakSet<object>();
  history = new History();
  startedAt: Date;
  /** The event of the trigger. */
  input: unknown = undefined;
  /** The caller that the gate has accepted; `null` before, and for an anonymous caller. */
  caller: RecordedCaller | null = null;
  /** Set if the caller may no longer act, or the code has diverged: no operation starts after it. */
  refusal: DurableError | undefined = undefined;
  /** True after the answer of the invocation: code that still runs writes nothing, and no body of a step starts. */
  isOver = false;
  /** False until {@link settle} has resolved. */
  isSettled = true;
  /** Starts executions of records in place of the Lambda API; a transport has it, see `Transport`. */
  starter: Starter | undefined = undefined;
  /** True if the SDK must not suspend now, because nothing outside would continue the execution. */
  mustContinue: () => boolean = () => false;
  #operations = 0;
  #settling: Promise<void> | undefined;
  #cleanUps: (() => MaybePromise<void>)[] = [];

  constructor(host: ExecutionHost, sdk: DurableSdk, arn: string, lambdaContext: LambdaContext | undefined) {
    const [id = arn, name = id] = arn.split('/').reverse();
    this.arn = arn;
    this.id = id;
    this.name = name;
    this.host = host;
    this.sdk = sdk;
    this.lambdaContext = lambdaContext;
    this.startedAt = host.clock.now();
  }

  /** Reads the history that the SDK has fetched: its first operation is the execution. */
  begin(operations: readonly WireOperation[]): void {
    this.history = new History(operations);
    this.#operations = this.history.size;
    this.isSettled = this.isFirst;
    this.startedAt = dateOf(operations[0]?.StartTimestamp) ?? this.startedAt;
  }

  /** @throws DurableError `durable.too_many_operations` */
  count(operations: number, place: string): void {
    this.#operations += operations;
    if (this.#operations <= MAX_OPERATIONS) return;
    const text = `${place}: the execution has ${MAX_OPERATIONS.toLocaleString('en')} operations, and AWS permits 3,000: split its work`;
    throw new DurableError('durable.too_many_operations', text);
  }

  /** The error of code that differs from the history. No operation starts after it. */
  diverge(text: string): DurableError {
    this.refusal = new DurableError('durable.diverged', text);
    return this.refusal;
  }

  get isDiverged(): boolean {
    return this.refusal?.code === 'durable.diverged';
  }

  /** True until an operation is recorded. */
  get isFirst(): boolean {
    return this.history.size <= 1;
  }

  /**
   * Awaited before the first body of a step in an invocation that replays: the SDK ends an execution whose history does not fit, but the
   * handler continues for some microtasks.
   */
  settle(): Promise<void> {
    this.#settling ??= new Promise((resolve) =>
      process.nextTick(() => {
        this.isSettled = true;
        resolve();
      }),
    );
    return this.#settling;
  }

  /** Writes a warning once for each container. */
  warnOnce(text: string): void {
    const { warned, log } = this.host;
    if (warned.has(text)) return;
    warned.add(text);
    guardHook(() => log.warn(text));
  }

  onSuspend(run: () => MaybePromise<void>): void {
    this.#cleanUps.push(run);
  }

  /** Called after the invocation. Without an answer, timers are cleared and pending notifications are awaited. */
  async end(isAnswered: boolean): Promise<void> {
    if (isAnswered) return;
    await Promise.allSettled(this.#cleanUps.map(async (run) => guardHook(run)));
  }
}

/** Times are text in an event, and dates in answers of the API. */
export function dateOf(time: Date | string | undefined): Date | undefined {
  const date = time === undefined ? undefined : new Date(time);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}
