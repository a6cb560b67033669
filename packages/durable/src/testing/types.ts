import type { LambdaContext, MaybePromise } from '@sallyport/core';
import type { Records, TestEnv } from '@sallyport/testkit';
import type { ErrorObject, ExecutionStatus, Operation } from '@sallyport/testkit/durable';
import type { Body } from './observer.js';

/** A container with `durableExecutions()`, or a handler of `withDurableExecution`. */
export type DurableHandler =
  | { readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown> }
  // The SDK's type of a handler names the context of `@types/aws-lambda`.
  // biome-ignore lint/suspicious/noExplicitAny: any handler of the SDK, whose event and context are its own types
  | ((event: any, context: any) => Promise<unknown>);

/**
 * Builds the function. It is called before each invocation, so that variables do not outlive an invocation. Pass `env.options()`
 * to your application.
 */
export type BuildDurable = (env: TestEnv) => MaybePromise<DurableHandler>;

/** Options of `runDurable`. */
export interface RunDurableOptions {
  /** Start of the clock. Default: the epoch. */
  readonly now?: Date | number;
  /** Variables that the application reads. Default: empty. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers of callbacks, by the name of the callback: a JSON value, or an `Error` that fails it. Others wait until they time out. */
  readonly callbacks?: Readonly<Record<string, unknown>>;
  /** Answers of other functions, by name or ARN. A function that throws fails the invocation. */
  readonly functions?: Readonly<Record<string, (payload: unknown) => unknown>>;
  /**
   * True to start separate executions for records as on Lambda: they are in `started`. Default: only for handlers with `delivery: 'handoff'`;
   * other records run in the execution of their batch.
   */
  readonly handoff?: boolean;
  /** Name of the execution. Default: a new id. */
  readonly name?: string;
  /** Seconds until the execution times out. Default: 31,622,400 (366 days). */
  readonly timeoutSeconds?: number;
  /** Number of invocations after which a run fails. Default: 100. */
  readonly maxInvocations?: number;
  /** Number of operations in an envelope and in a page. Default: 1,000. */
  readonly pageSize?: number;
}

/** Options of `fakeDurableService`. */
export type FakeDurableServiceOptions = Pick<RunDurableOptions, 'now' | 'environment' | 'functions' | 'pageSize'>;

/** Options of `sweep`. */
export interface SweepOptions extends RunDurableOptions {
  /**
   * Names of steps with `effect: 'atMostOnce'`: their function must never run twice. The result may differ where a kill interrupted one.
   * Default: none.
   */
  readonly atMostOnce?: readonly string[];
  /** Called after each run with a kill, to check the effects in other systems. A rejection fails the sweep. */
  readonly check?: (run: DurableRun, kill: string) => unknown;
}

/** Options of `explore`. */
export interface ExploreOptions extends RunDurableOptions {
  /** Number of runs with other completion orders of steps. Default: 5. */
  readonly seeds?: number;
  /** The next version of the function, which has to finish executions that this version began. Default: not examined. */
  readonly next?: BuildDurable;
  /**
   * Histories that `sallyport history export` wrote, as objects or JSON text. The next version, or else this one, has to finish these
   * executions. Default: none.
   */
  readonly histories?: readonly unknown[];
  /** Name of the function to which all histories must belong. Default: that of the first. */
  readonly functionName?: string;
}

/** An execution that a record has started. */
export interface StartedRun {
  /** Name, equal for every delivery of the record's event. */
  readonly name: string;
  /** State at the end. */
  readonly status: ExecutionStatus;
  /** The event of the execution. */
  readonly event: unknown;
  /** The result, parsed; `undefined` if absent. */
  readonly result: unknown;
  /** Error of a failed execution. */
  readonly error?: ErrorObject;
  /** Number of invocations. */
  readonly invocations: number;
  /** All operations, the execution first. */
  readonly operations: readonly Operation[];
}

/** The outcome of an execution. */
export interface DurableRun {
  /** State at the end. */
  readonly status: ExecutionStatus;
  /** The result, parsed; `undefined` if absent. */
  readonly result: unknown;
  /** Error of a failed execution. */
  readonly error?: ErrorObject;
  /** Number of invocations. */
  readonly invocations: number;
  /** Number of checkpoints that were sent. */
  readonly checkpoints: number;
  /** All operations, the execution first. */
  readonly operations: readonly Operation[];
  /** The executions that records have started, in order. */
  readonly started: readonly StartedRun[];
  /** The step functions that ran, in order. */
  readonly bodies: readonly Body[];
  /** Lines of the application's log, over all invocations. */
  readonly logs: Records['logs'];
  /** Logs, metrics and spans. */
  readonly records: Records;
}
