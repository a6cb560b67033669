import type { Engine, EngineChange } from '@sallyport/testkit/engines';

/**
 * A function that receives the records of a source, by an event source mapping, a subscription or a target. In a run of several functions
 * each has its own settings, and AWS retries it alone.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventsourcemapping.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export interface Receiver {
  /** The name of the function; `undefined` if the run has one function, or if no function has this source. */
  readonly function: string | undefined;
  /** The settings of its mapping, overridden by `sallyport.json`. */
  readonly settings: object;
}

/** A receiver, and the engine that delivers to it. */
export interface Delivering<R> extends Receiver {
  /** True if AWS would deliver a record to this function. */
  readonly takes: (record: R) => boolean;
  engine: Engine<R> | undefined;
  /** Records that were given up now: those of one batch become one message. */
  givenUp: EngineChange<R>[];
}

/** The receivers of each source of a run. */
export type ReceiversOf = (kind: string, name: string) => readonly Receiver[];
