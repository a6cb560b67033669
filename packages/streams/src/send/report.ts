import type { FrameworkError } from '@sallyport/core';

/** An accepted entry. */
export interface Sent {
  /** The id of the service: message id, event id or sequence number. */
  readonly id: string;
}

/** An entry that was not accepted. */
export interface SendFailure<T> {
  /** The place of the value in the list, from 0. */
  readonly index: number;
  /** The value, to send or store it elsewhere. */
  readonly value: T;
  /**
   * `streams.payload_invalid`, `streams.entry_too_large`, `streams.record_invalid`; `streams.send_failed` with the service's code in
   * `details.reason`.
   */
  readonly error: FrameworkError;
}

/** The outcome of a batch. */
export interface SendReport<T> {
  /** The ids of the accepted entries, by the place of their value; `undefined` for the others. */
  readonly ids: readonly (string | undefined)[];
  /** The entries that were not accepted, in order. Empty if all were. */
  readonly failed: readonly SendFailure<T>[];
}
