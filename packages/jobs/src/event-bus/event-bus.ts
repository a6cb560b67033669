import type { CallOptions, EndOptions, JsonValue, Page } from '../ledger/ledger.js';

/** An event that is stored. Times are ISO 8601 with milliseconds. */
export interface StoredEvent {
  /** Unique in its tenant. */
  readonly id: string;
  /** Type of the event, such as `InvoicePaid`. */
  readonly type: string;
  /** The tenant of the event. */
  readonly tenantId: string;
  /** The object that the event is about, if published. */
  readonly sourceId?: string;
  /** The JSON value that was published. */
  readonly payload: unknown;
  /** Time of publication. */
  readonly publishedAt: string;
  /** Equal for all events with one cause, if published. */
  readonly correlationId?: string;
  /** Metadata of the application, if any. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Tags to filter by, if any. */
  readonly tags?: readonly string[];
  /** Version of the row's format; 1. */
  readonly version: number;
  /** Time of deletion; absent in rows of other writers that do not expire. */
  readonly expiresAt?: string;
}

/** An event to be published. */
export interface PublishInput {
  /** 1 to 256 bytes without control characters, as `type`, `id`, `sourceId`, `correlationId` and each tag. */
  readonly tenantId: string;
  /** Type of the event, such as `InvoicePaid`. */
  readonly type: string;
  /** A JSON value. */
  readonly payload: JsonValue;
  /** Events with the same id and the same payload are one event. Default: a random id. */
  readonly id?: string;
  /** The object that the event is about. */
  readonly sourceId?: string;
  /** ISO 8601. Default: now. */
  readonly publishedAt?: string;
  /** Equal for all events with one cause. */
  readonly correlationId?: string;
  /** At most 32 entries and 4,096 bytes. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Tags to filter by, at most 32. */
  readonly tags?: readonly string[];
  /** Seconds until it is deleted. Default 2,592,000 (30 days). */
  readonly ttlSeconds?: number;
}

/** Selects events of a tenant. */
export interface EventQuery {
  /** The tenant. */
  readonly tenantId: string;
  /** Only events of this type. Default: all. */
  readonly type?: string;
  /** Earliest publication, inclusive, ISO 8601. Default: no bound. */
  readonly from?: string;
  /** Latest publication, inclusive, ISO 8601. Default: no bound. */
  readonly to?: string;
  /** Only events with this tag. Default: all. */
  readonly tag?: string;
  /** The order by publication. Default `newest` first. */
  readonly order?: 'newest' | 'oldest';
  /** Events per page, 1 to 1,000. Default 100. */
  readonly limit?: number;
  /** `cursor` of the previous page. Default: the first page. */
  readonly cursor?: string;
}

/**
 * Stores events so that they can be queried. It does not deliver events; use EventBridge or the table's stream for that.
 *
 * Every method throws JobLedgerError `eventbus.invalid_input`, and `eventbus.internal_error` if the store fails.
 */
export interface EventBusStore {
  /**
   * Stores an event. `duplicate` means that it was already stored; its time, metadata and correlation are not changed.
   *
   * @throws JobLedgerError conflict `payload_mismatch` if the stored event with this id has another payload, type, source or
   * other tags
   */
  publish(
    input: PublishInput,
    options?: EndOptions,
  ): Promise<{ readonly event: StoredEvent; readonly outcome: 'created' | 'duplicate' }>;
  /** Reads one page of a tenant's events. */
  query(input: EventQuery, options?: CallOptions): Promise<Page<StoredEvent>>;
  /** Loads the client and opens a connection: call it in the init phase. Costs half a read unit. */
  warm(options?: CallOptions): Promise<void>;
  /**
   * Reads one event; `undefined` if absent. Immediately after `publish` only a `consistent` read is guaranteed to find
   * it.
   */
  get(
    input: { readonly tenantId: string; readonly id: string; readonly consistent?: boolean },
    options?: CallOptions,
  ): Promise<StoredEvent | undefined>;
  /** Deletes an event. Returns whether it existed. */
  delete(input: { readonly tenantId: string; readonly id: string }, options?: CallOptions): Promise<boolean>;
}
