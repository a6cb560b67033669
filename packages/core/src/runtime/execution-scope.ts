import type { Context } from '../context/context.js';

/**
 * A durable execution, for the packages that `@sallyport/durable` depends on. One scope belongs to one flow of code: a request, a record, or an item.
 * The surface of executions puts it into the Lambda context, with all code that executions need: other packages read it if it exists.
 */
export interface ExecutionScope {
  /** The middlewares and the handler of a request, without streams. */
  serve<R>(run: (context: Context) => R): (context: Context) => R;
  /** Runs an element of a batch invoke in a separate flow, once, and makes the flow the scope of its state. The result passes through JSON. */
  element<T>(state: object, run: () => Promise<T>): Promise<T>;
  /** The resolver that identifies a caller once and reads it from the history after that. */
  callerOf<R>(resolver: R): R;
  /** Runs a decision once and records it. Its dates are dates again. */
  decide<T extends object>(run: () => Promise<T>): Promise<T>;
  /** The ledger whose idempotency keys are begun, completed and abandoned once. */
  ledgerOf<L extends object>(ledger: L): L;
  /** Creates the run of a batch of `@sallyport/streams` from its parts, whose types are internal to that package. */
  createRun(...parts: readonly unknown[]): object;
}

/** A Lambda context with an optional scope. Inside a step it is `undefined`. */
export interface Scoped {
  readonly 'sallyport.execution'?: ExecutionScope | undefined;
  /** True if the answer of the invocation is streamed. */
  readonly 'sallyport.streamed'?: boolean;
}

/** The global object. `hold` forbids a suspension until the returned function is called, for example while a lease is held. */
export interface SuspensionGlobal {
  readonly 'sallyport.hold'?: () => (() => void) | undefined;
}

/** The name of the mark of a handler that `durable` has wrapped, or of a handler around it. Enumerable: handlers around it copy it. */
export const DURABLE_MARK = 'sallyport.durable';

/** The mark of a durable handler. */
export interface DurableMark {
  /** `inline`: the batch waits for its records. `handoff`: each record starts its own execution. `undefined`: the default of the kind. */
  readonly delivery: 'inline' | 'handoff' | undefined;
  /** Wraps a middleware around the handler, so that an execution records its outcome. */
  around<M>(middleware: M): M;
}

/** A handler with an optional mark. */
export interface Marked {
  readonly [DURABLE_MARK]?: DurableMark;
}

/** The mark of a handler; `undefined` for a handler that is one step of an execution. */
export function durableMark(handler: object): DurableMark | undefined {
  return (handler as Marked)[DURABLE_MARK];
}
