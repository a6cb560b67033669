import type { ErrorEnvelope } from '../error-envelope.js';

/** Every status of an idempotency record. */
export const IDEMPOTENCY_STATUSES = ['IN_PROGRESS', 'COMPLETED'] as const;

/** A status of an idempotency record. */
export type IdempotencyStatus = (typeof IDEMPOTENCY_STATUSES)[number];

/** The arguments of a begin. */
export interface BeginIdempotencyInput {
  /** The namespace of the key, 1 to 256 bytes: keys are unique within a scope. */
  readonly scope: string;
  /** The key. Up to 256 bytes it is stored unchanged, a longer key as its hash. */
  readonly key: string;
  /**
   * Milliseconds for which an unfinished owner blocks the key; a whole number from 1,000 to 31,622,400,000 (366 days).
   */
  readonly inProgressMs: number;
  /**
   * SHA-256 of the request or message, 64 lower-case hex digits. It is compared with the fingerprint of the record, if any.
   */
  readonly fingerprint?: string;
  /** The durable execution that begins. If it began the key before, it receives its existing record. */
  readonly executionId?: string;
  /** Seconds until the record is deleted if it is never completed. Default 86,400. */
  readonly ttlSeconds?: number;
}

/** The arguments of a renewal. */
export type RenewIdempotencyInput = Pick<BeginIdempotencyInput, 'inProgressMs' | 'ttlSeconds'>;

/** The right to renew, complete or abandon one begin. */
export interface IdempotencyHandle {
  /** The scope passed to the begin. */
  readonly scope: string;
  /** The key passed to the begin. */
  readonly key: string;
  /** Unique for this begin. */
  readonly owner: string;
}

/** The stored record of a key. */
export interface IdempotencyRecord {
  /** The namespace of the key. */
  readonly scope: string;
  /** The requested key. */
  readonly key: string;
  /** Status of the work. */
  readonly status: IdempotencyStatus;
  /** Expiry of the record, in Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Time until which the owner blocks the key, in Unix milliseconds; only while in progress. */
  readonly inProgressUntilMs?: number;
  /** SHA-256 of the request or message; absent if the key was started without a fingerprint. */
  readonly fingerprint?: string;
  /** The durable execution that began it, if any. */
  readonly executionId?: string;
  /** Time of completion, ISO 8601 with milliseconds; absent while in progress. */
  readonly completedAt?: string;
  /** The JSON value of the work, if any. */
  readonly result?: unknown;
  /** The error of the work, if any. */
  readonly error?: ErrorEnvelope;
  /** True if a result could not be stored. */
  readonly resultOmitted: boolean;
}

/** The result of a begin. */
export type IdempotencyStart =
  /** `replayed`: the same durable execution has begun it before. */
  | { readonly outcome: 'created'; readonly handle: IdempotencyHandle; readonly replayed: boolean }
  | { readonly outcome: 'already_in_progress'; readonly retryAfterMs: number }
  | { readonly outcome: 'already_completed'; readonly record: IdempotencyRecord };

/** The outcome of a key. At most one of result, error and `resultOmitted` is allowed. */
export interface CompleteIdempotencyInput {
  /** A JSON value, stored unchanged. A value over 350,000 bytes is omitted and marked in the record. */
  readonly result?: unknown;
  /** Any thrown value; stored in the form of `toErrorEnvelope`. */
  readonly error?: unknown;
  /** True if there is a result that must not be stored. */
  readonly resultOmitted?: boolean;
  /** Seconds from the completion until the record is deleted. Default 86,400. */
  readonly resultTtlSeconds?: number;
  /**
   * An id of this completion: a second call with the same id, after a lost response, is the same completion. Default: each
   * call is a new completion.
   */
  readonly writeId?: string;
}
