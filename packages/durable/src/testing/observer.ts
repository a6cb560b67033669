import { AsyncLocalStorage } from 'node:async_hooks';

/** One run of the function of a step. */
export interface Body {
  /** The name of the step, or else its id. */
  readonly name: string;
  /** The id of the operation. */
  readonly operationId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The execution, if a record has started it. */
  readonly execution?: string;
  /** 1 for the first invocation of the execution. */
  readonly invocation: number;
}

/** The place of running code in an invocation. */
export interface Place {
  readonly observer: Observer;
  /** True in the function of a step, which may be different at each run. */
  readonly isStep: boolean;
}

/** Watches the step functions of one invocation. */
export interface Observer {
  /** An operation begins or ends, or is replayed. */
  operation(id: string): void;
  /** Runs a step function; `run` calls it once. */
  body(info: { readonly id: string; readonly name?: string; readonly attempt: number }, run: () => unknown): unknown;
}

const HUB = Symbol.for('sallyport.durable.testing/1');

interface Holder {
  [HUB]?: AsyncLocalStorage<Place>;
}

/** The place of the running code, in invocations that are observed. The SDK loads the plugin itself, so both meet in a global symbol. */
export const places: AsyncLocalStorage<Place> = sharedPlaces(globalThis as Holder);

function sharedPlaces(holder: Holder): AsyncLocalStorage<Place> {
  const shared = holder[HUB] ?? new AsyncLocalStorage<Place>();
  holder[HUB] = shared;
  return shared;
}
