import type { FullClock } from '@sallyport/core';
import { func, type OptionKind, withMethods } from '@sallyport/core/options';

/** Where a record of an engine is. */
export type RecordState =
  /** It can be delivered as soon as there is room. */
  | 'waiting'
  /** It is hidden, or its retry is delayed, until a time. */
  | 'delayed'
  /** An invocation has it. */
  | 'in-flight'
  /** Its source let go of it after an answer that did not report it. */
  | 'done'
  /** It was given up, and its dead-letter queue or failure destination has it. */
  | 'dead-letter'
  /** It was given up, and there is no such destination. */
  | 'discarded'
  /** It grew too old. */
  | 'expired';

/** The states in which a record has left its source. */
export type EndState = Extract<RecordState, 'done' | 'dead-letter' | 'discarded' | 'expired'>;

/** One record of an engine. */
export interface EngineRecord<R> {
  /** The record's id: `messageId`, `eventID` or the id of an asynchronous event. */
  readonly id: string;
  /** The message group or shard in whose order it is delivered; `''` where there is no order. */
  readonly lane: string;
  /** What was sent, with its defaults. */
  readonly record: R;
  /** How often it was delivered. */
  readonly deliveries: number;
  /** Where it is. */
  readonly state: RecordState;
  /** When a delayed record can be delivered again, in milliseconds of `clock.monotonicMs()`; absent in other states. */
  readonly until?: number;
}

/** A record came to another state. */
export interface EngineChange<R> extends EngineRecord<R> {
  /** When it did, in milliseconds of `clock.monotonicMs()`. */
  readonly at: number;
}

/** What an engine invokes the function with. */
export interface Delivery<R> {
  /** The event, as AWS sends it. */
  readonly event: unknown;
  /** The records in it. */
  readonly records: readonly EngineRecord<R>[];
}

/** How an invocation ended: with an answer, or with an error, a timeout included. */
export type Outcome = { readonly answer: unknown } | { readonly error: unknown };

/** An answer that names records so that AWS cannot tell which. */
export interface UnclearAnswer {
  /** Ids of the records that were delivered. */
  readonly records: readonly string[];
  /** `missing-identifier`: an entry has no identifier. `unknown-identifier`: an identifier names no record of the batch. */
  readonly reason: 'missing-identifier' | 'unknown-identifier';
  /** The identifiers that name no record; empty for `missing-identifier`. */
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
  /** Called for an answer that names records so that AWS cannot tell which. Must not throw. Default: none. */
  readonly onUnclear?: (answer: UnclearAnswer) => void;
}

/** What an engine holds now. */
export interface EngineSnapshot<R> {
  /** The records that are still in the source, in the order in which they were sent. */
  readonly records: readonly EngineRecord<R>[];
  /** How many records have left it, by their last state. */
  readonly ended: Readonly<Record<EndState, number>>;
  /** Invocations that run now. */
  readonly running: number;
}

/** A source and its event source mapping. It delivers alone as soon as it has records. */
export interface Engine<R> {
  /**
   * Puts records into the source.
   *
   * @returns their ids, in order
   * @throws FrameworkError `app.invalid_configuration` for a record that its builder does not take
   */
  send(records: readonly R[]): readonly string[];
  /** Ends the wait of a delayed record and of those of its group or shard, or of all: they can be delivered at once. */
  hurry(id?: string): void;
  /** Resolves when the source is empty and nothing runs, or when the engine was stopped and nothing runs. */
  settle(): Promise<void>;
  /** What the source holds now. */
  snapshot(): EngineSnapshot<R>;
  /** Delivers nothing any more and ends all waits. Invocations that run are not ended. */
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
