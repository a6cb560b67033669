import type { MaybePromise } from '../response/response.js';

/**
 * A durable execution, as packages below `@sallyport/durable` see it. One scope belongs to one flow of code: a request, a record, or an item.
 */
export interface ExecutionScope {
  /** The ARN of the execution. */
  readonly arn: string;
  /** The time at which the execution started. */
  readonly startedAt: Date;
  /** The time of the execution: its start and the waits that this flow has passed. Equal at every replay. */
  now(): Date;
  /** True while this flow repeats recorded work: lines, metrics and spans were written before. */
  readonly isSilent: boolean;
  /** The number of records that run at the same time where a registration does not say. */
  readonly concurrency: number;
  /** Runs work once and records its result, which passes through JSON. */
  step<T>(name: string, run: () => MaybePromise<T>): Promise<T>;
  /** Runs work in a flow with its own operations. Its result is recorded: a completed flow never runs again. */
  lane<T>(name: string, run: (scope: ExecutionScope) => MaybePromise<T>): Promise<T>;
  /** Delays work that suspends the execution until no other flow runs plain code. */
  park<T>(run: () => Promise<T>): Promise<T>;
  /** Registers clean-up for an invocation that ends without an answer. */
  onSuspend(run: () => MaybePromise<void>): void;
  /** Forbids a suspension until the returned function is called, for example while a lease is held. */
  hold(): () => void;
  /** Makes this scope the scope of a context. */
  bind(context: object): void;
}

/** The scope of a Lambda context or of a handler's context. Contains a version: packages may come from different copies. */
export const EXECUTION_SCOPE: unique symbol = /* @__PURE__ */ Symbol.for('sallyport.execution-scope/1') as never;

interface Scoped {
  readonly [EXECUTION_SCOPE]?: ExecutionScope;
  readonly lambdaContext?: Scoped | undefined;
}

/** The durable execution of a handler's context or a Lambda context; `undefined` outside an execution. */
export function executionScopeOf(context: object | undefined): ExecutionScope | undefined {
  const scoped = context as Scoped | undefined;
  return scoped?.[EXECUTION_SCOPE] ?? scoped?.lambdaContext?.[EXECUTION_SCOPE];
}
