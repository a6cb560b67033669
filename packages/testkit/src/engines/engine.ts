import type { FullClock } from '@sallyport/core';
import { func, type OptionKind, withMethods } from '@sallyport/core/options';

/** State of a record in an engine. */
export type RecordState =
  /** It can be delivered as soon as there is room. */
  | 'waiting'
  /** It is hidden, or its retry is delayed, until a time. */
  | 'delayed'
  /** An invocation is processing it. */
  | 'in-flight'
  /** The source removed it after an answer that did not report it. */
  | 'done'
  /** It was given up and sent to its dead-letter queue or failure destination. */
  | 'dead-letter'
  /** It was given up, and there is no dead-letter queue or failure destination. */
  | 'discarded'
  /** It grew too old. */
  | 'expired';

/** The states in which a record has left its source. */
export type EndState = Extract<RecordState, 'done' | 'dead-letter' | 'discarded' | 'expired'>;

/** One record of an engine. */
export interface EngineRecord<R> {
  /** The record's id: `messageId`, `eventID` or the id of an asynchronous event. */
  readonly id: string;
  /** The message group or shard in whose order it is delivered; `''` without an order. */
  readonly lane: string;
  /** The record that was sent, with its defaults. */
  readonly record: R;
  /** Number of deliveries. */
  readonly deliveries: number;
  /** Its state. */
  readonly state: RecordState;
  /** Time at which a delayed record can be delivered again, in milliseconds of `clock.monotonicMs()`; absent in other states. */
  readonly until?: number;
}

/** A change of a record's state. */
export interface EngineChange<R> extends EngineRecord<R> {
  /** Time of the change, in milliseconds of `clock.monotonicMs()`. */
  readonly at: number;
}

/** Input of one invocation. */
export interface Delivery<R> {
  /** The event, as AWS sends it. */
  readonly event: unknown;
  /** The records in it. */
  readonly records: readonly EngineRecord<R>[];
}

/** Result of an invocation: an answer, or an error, which includes a timeout. */
export type Outcome = { readonly answer: unknown } | { readonly error: unknown };

/** An answer whose identifiers AWS cannot assign to records. */
export interface UnclearAnswer {
  /** Ids of the records that were delivered. */
  readonly records: readonly string[];
  /** `missing-identifier`: an entry has no identifier. `unknown-identifier`: an identifier matches no record of the batch. */
  readonly reason: 'missing-identifier' | 'unknown-identifier';
  /** The identifiers that match no record; empty for `missing-identifier`. */
  readonly identifiers: readonly string[];
}

/** Options that all engines have. */
export interface EngineOptions<R> {
  /** The clock that waits are measured with: a manual one in tests, a real one in a development server. */
  readonly clock: FullClock;
  /** Invokes the function. A rejection counts as an error of the function. */
  readonly invoke: (delivery: Delivery<R>) => Promise<Outcome>;
  /** Called for each change of a record's state. Must not throw. Default: none. */
  readonly onChange?: (change: EngineChange<R>) => void;
  /** Called for an answer whose identifiers AWS cannot assign to records. Must not throw. Default: none. */
  readonly onUnclear?: (answer: UnclearAnswer) => void;
}

/** Current content of an engine. */
export interface EngineSnapshot<R> {
  /** The records that are still in the source, in the order in which they were sent. */
  readonly records: readonly EngineRecord<R>[];
  /** Number of records that have left the source, by their last state. */
  readonly ended: Readonly<Record<EndState, number>>;
  /** Running invocations. */
  readonly running: number;
}

/** A source and its event source mapping. It delivers automatically as soon as it has records. */
export interface Engine<R> {
  /**
   * Puts records into the source.
   *
   * @returns their ids, in order
   * @throws FrameworkError `app.invalid_configuration` for a record that its builder rejects
   */
  send(records: readonly R[]): readonly string[];
  /** Ends the wait of a delayed record and of its group or shard, or of all records: they can be delivered immediately. */
  hurry(id?: string): void;
  /** Resolves when the source is empty and nothing runs, or when the engine was stopped and nothing runs. */
  settle(): Promise<void>;
  /** Returns the current content of the source. */
  snapshot(): EngineSnapshot<R>;
  /** Stops deliveries and waits. Running invocations continue. */
  stop(): void;
}

interface EngineKinds<R> {
  readonly clock: OptionKind<FullClock, never>;
  readonly invoke: OptionKind<EngineOptions<R>['invoke'], never>;
  readonly onChange: OptionKind<NonNullable<EngineOptions<R>['onChange']>>;
  readonly onUnclear: OptionKind<NonNullable<EngineOptions<R>['onUnclear']>>;
}

/** Validators and defaults for {@link EngineOptions}. */
export function engineKinds<R>(): EngineKinds<R> {
  return {
    clock: withMethods<FullClock>('after', 'monotonicMs', 'now').required(),
    invoke: func<EngineOptions<R>['invoke']>().required(),
    onChange: func<NonNullable<EngineOptions<R>['onChange']>>(),
    onUnclear: func<NonNullable<EngineOptions<R>['onUnclear']>>(),
  };
}
