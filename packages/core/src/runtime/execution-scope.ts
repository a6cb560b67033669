import type { MaybePromise } from '../response/response.js';

/**
 * A durable execution, for the packages that `@sallyport/durable` depends on. One scope belongs to one flow of code: a request, a record, or an item.
 */
export interface ExecutionScope {
  /** The ARN of the execution. */
  readonly arn: string;
  /** The time of the execution: its start and the waits that this flow has passed. Equal at every replay. */
  now(): Date;
  /** True while this flow repeats recorded work: lines, metrics and spans were written before. */
  readonly isSilent: boolean;
  /** Runs work once and records its result, which passes through JSON. A name that is used again is numbered. */
  record<T>(name: string, run: () => MaybePromise<T>): Promise<T>;
  /** The caller that the gate identifies, or `null`. It is identified once, and read from the history after that. */
  caller(context: object, identify: () => unknown): Promise<unknown>;
  /** Creates the run of a batch of `@sallyport/streams` from its parts, whose types are internal to that package. */
  createRun(parts: object): object;
  /** Registers clean-up for an invocation that ends without an answer. */
  onSuspend(run: () => MaybePromise<void>): void;
  /** Forbids a suspension until the returned function is called, for example while a lease is held. */
  hold(): () => void;
  /** Makes this scope the scope of a context. */
  bind(context: object): void;
}

/** The scope of a Lambda context or of a handler's context. Contains a version: packages may come from different copies. */
export const EXECUTION_SCOPE: unique symbol = /* @__PURE__ */ Symbol.for('sallyport.execution-scope/1') as never;

/** A context with an optional scope. */
export interface Scoped {
  readonly [EXECUTION_SCOPE]?: ExecutionScope;
  /** The Lambda context of a handler's context. */
  readonly lambdaContext?: Scoped | undefined;
}

/** The durable execution of a handler's context or a Lambda context; `undefined` outside an execution, and inside a step. */
export function executionScopeOf(context: object | undefined): ExecutionScope | undefined {
  const scoped = context as Scoped | undefined;
  return isStepContext(context) ? undefined : (scoped?.[EXECUTION_SCOPE] ?? scoped?.lambdaContext?.[EXECUTION_SCOPE]);
}

/** Makes a context one of a step: its handler runs once and has no operations. */
export function bindToStep(context: object): void {
  Object.defineProperty(context, EXECUTION_SCOPE, { value: undefined });
}

/** True for the context of a handler that is one step of an execution. */
export function isStepContext(context: object | undefined): boolean {
  return context !== undefined && Object.hasOwn(context, EXECUTION_SCOPE) && !(context as Scoped)[EXECUTION_SCOPE];
}

/** Shared by all copies: reads the scope of the code that runs now. */
const CURRENT: unique symbol = /* @__PURE__ */ Symbol.for('sallyport.current-execution-scope/1') as never;

/** The scope of the code that runs now; `undefined` outside an execution, and inside a step. */
export function currentExecutionScope(): ExecutionScope | undefined {
  return (globalThis as { [CURRENT]?: () => ExecutionScope | undefined })[CURRENT]?.();
}

/** Provides {@link currentExecutionScope}. */
export function provideCurrentScope(read: () => ExecutionScope | undefined): void {
  Object.assign(globalThis, { [CURRENT]: read });
}

/** The name of the mark, for programs that run in another process. */
export const DURABLE_MARK = 'sallyport.durable-handler/1';

/** Marks a handler that `durable` has wrapped, or a handler around it. */
const DURABLE: unique symbol = /* @__PURE__ */ Symbol.for(DURABLE_MARK) as never;

/** True if a handler has operations: every other handler is one step of an execution. Inventories name it. */
export function isDurableHandler(handler: object): boolean {
  return DURABLE in handler;
}

/** Marks a handler with the delivery of its records; a handler around a durable handler passes it as `inner`. */
export function markDurableHandler<H extends object>(handler: H, inner: object): H {
  return DURABLE in inner ? Object.defineProperty(handler, DURABLE, { value: inner[DURABLE] }) : handler;
}

/** The value of the mark of a handler, for inventories; `undefined` for a handler that is not durable. */
export function durableMark(handler: object): DurableMark | undefined {
  return (handler as { readonly [DURABLE]?: DurableMark })[DURABLE];
}

/** The mark of a durable handler. */
export interface DurableMark {
  /** `inline`: the batch waits for its records. `handoff`: each record starts its own execution. `undefined`: the default of the kind. */
  readonly delivery: 'inline' | 'handoff' | undefined;
}

/** Marks a handler that `durable` wraps. */
export function markDurable<H extends object>(handler: H, mark: DurableMark): H {
  return Object.defineProperty(handler, DURABLE, { value: Object.freeze(mark) });
}
