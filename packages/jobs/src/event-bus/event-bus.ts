import { EVENTBUS_ERRORS } from '../internal/errors-of.js';
import { openTable } from '../internal/open-table.js';
import { parseStoreOptions, type StoreOptions } from '../internal/options.js';
import type { CallOptions, JsonValue, Page } from '../ledger/ledger.js';
import { EVENTBUS_TABLE_NAME_ENV } from '../schema.js';
import { createEventStore } from './internal/event-store.js';

export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly tenantId: string;
  readonly sourceId?: string;
  readonly payload: unknown;
  /** ISO 8601 with milliseconds, as `expiresAt`. */
  readonly publishedAt: string;
  readonly correlationId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  /** Of the row's form; 1. */
  readonly version: number;
  readonly expiresAt?: string;
}

export interface PublishInput {
  readonly tenantId: string;
  readonly type: string;
  readonly payload: JsonValue;
  /** Events with one id and one payload are one event. A random id without it. */
  readonly id?: string;
  readonly sourceId?: string;
  /** ISO 8601; now. */
  readonly publishedAt?: string;
  readonly correlationId?: string;
  /** At most 32 entries and 4 KB. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** At most 32. */
  readonly tags?: readonly string[];
  /** 30 days. */
  readonly ttlSeconds?: number;
}

export interface EventQuery {
  readonly tenantId: string;
  readonly type?: string;
  /** Inclusive, ISO 8601. */
  readonly from?: string;
  /** Inclusive, ISO 8601. */
  readonly to?: string;
  readonly tag?: string;
  /** `newest`. */
  readonly order?: 'newest' | 'oldest';
  /** 1 to 1,000; 100. */
  readonly limit?: number;
  readonly cursor?: string;
}

/**
 * Events that stay to be looked up. Delivery is the work of EventBridge or of the table's stream.
 *
 * Every method throws JobLedgerError `eventbus.invalid_input`, and `eventbus.internal_error` when the store fails.
 */
export interface EventBusStore {
  /** @throws JobLedgerError conflict `payload_mismatch` when the id stands for another payload */
  publish(
    input: PublishInput,
    options?: CallOptions,
  ): Promise<{ readonly event: StoredEvent; readonly outcome: 'created' | 'duplicate' }>;
  query(input: EventQuery, options?: CallOptions): Promise<Page<StoredEvent>>;
  get(
    input: { readonly tenantId: string; readonly id: string },
    options?: CallOptions,
  ): Promise<StoredEvent | undefined>;
  /** Whether there was such an event. */
  delete(input: { readonly tenantId: string; readonly id: string }, options?: CallOptions): Promise<boolean>;
}

/** Options of {@link createEventBusStore}. The table is `tableName`, else `FRAMEWORK_EVENTBUS_TABLE_NAME`. */
export interface EventBusStoreOptions extends StoreOptions {}

/**
 * An event store in one DynamoDB table. The AWS SDK is loaded at the first call.
 *
 * @throws FrameworkError `app.invalid_configuration`
 * @example await createEventBusStore().publish({ tenantId: 'acme', type: 'InvoicePaid', payload: { id: 7 } });
 */
export function createEventBusStore(options: EventBusStoreOptions = {}): EventBusStore {
  const { tableName, client, timeoutMs, clock, ids } = parseStoreOptions(options, EVENTBUS_TABLE_NAME_ENV);
  const store = openTable({ tableName, client, clock, timeoutMs }, EVENTBUS_ERRORS);
  return createEventStore({ store, clock, ids });
}
