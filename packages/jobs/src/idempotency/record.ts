import type { ErrorEnvelope } from '../error-envelope.js';

/** Every status of an idempotency record. */
export const IDEMPOTENCY_STATUSES = ['IN_PROGRESS', 'COMPLETED'] as const;

/** A status of an idempotency record. */
export type IdempotencyStatus = (typeof IDEMPOTENCY_STATUSES)[number];

/** A key that is begun. */
export interface BeginIdempotencyInput {
  /** Among what the key is unique, 1 to 256 bytes. */
  readonly scope: string;
  /** Stored as it is up to 256 bytes, longer keys as their hash. */
  readonly key: string;
  /** Milliseconds for which an owner that stays silent blocks the key; a whole number from 1,000 to 31,622,400,000 (366 days). */
  readonly inProgressMs: number;
  /** SHA-256 of the request or message, 64 lower-case hex digits. Compared if the record has one too. */
  readonly fingerprint?: string;
  /** The durable execution that begins. Its own record that is in progress is given back to it. */
  readonly executionId?: string;
  /** Seconds until the record is deleted when it is never completed. Default 86,400. */
  readonly ttlSeconds?: number;
}

/** The right to complete or abandon one begin. */
export interface IdempotencyHandle {
  /** As it was begun. */
  readonly scope: string;
  /** As it was begun. */
  readonly key: string;
  /** Of this begin alone. */
  readonly owner: string;
}

/** What is stored for a key. */
export interface IdempotencyRecord {
  /** Among what the key is unique. */
  readonly scope: string;
  /** The key as it was asked for. */
  readonly key: string;
  /** Whether the work is in progress or done. */
  readonly status: IdempotencyStatus;
  /** When the record ends, in Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Until when its owner blocks the key, in Unix milliseconds; only while in progress. */
  readonly inProgressUntilMs?: number;
  /** SHA-256 of the request or message; absent when the key was started without one. */
  readonly fingerprint?: string;
  /** The durable execution that began it; absent for others. */
  readonly executionId?: string;
  /** When it was completed, ISO 8601 with milliseconds; absent while in progress. */
  readonly completedAt?: string;
  /** The JSON value of the work; absent when there is none. */
  readonly result?: unknown;
  /** The error of the work; absent when there is none. */
  readonly error?: ErrorEnvelope;
  /** True when there was a result that could not be stored. */
  readonly resultOmitted: boolean;
}

/** What a begin found. */
export type IdempotencyStart =
  /** `replayed`: the same durable execution had begun it before. */
  | { readonly outcome: 'created'; readonly handle: IdempotencyHandle; readonly replayed: boolean }
  | { readonly outcome: 'already_in_progress'; readonly retryAfterMs: number }
  | { readonly outcome: 'already_completed'; readonly record: IdempotencyRecord };

/** The outcome of a key. Of result, error and `resultOmitted` at most one may be given. */
export interface CompleteIdempotencyInput {
  /** A JSON value, stored unchanged. A value over 350,000 bytes is left out and marked in the record. */
  readonly result?: unknown;
  /** Anything thrown; stored as `toErrorEnvelope` shows it. */
  readonly error?: unknown;
  /** True when there is a result that is not to be stored. */
  readonly resultOmitted?: boolean;
  /** Seconds from the completion until the record is deleted. Default 86,400. */
  readonly resultTtlSeconds?: number;
  /**
   * An id of this completion: a second call with the same id, after a lost answer, is the same completion. Default: each
   * call is a new completion.
   */
  readonly writeId?: string;
}
