import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { MISSING_PACKAGE } from '@sallyport/core/internal';

/** The key of a row. */
export interface RowKey {
  /** Rows of one partition are listed together. */
  readonly partition: string;
  /** Identifies the row within its partition, and determines its order. */
  readonly sort: string;
}

/** One row. */
export interface Row extends RowKey {
  /** The caller increments it; conditions compare it. */
  readonly version: number;
  /** Whole seconds since the epoch at which the row expires. */
  readonly ttl: number;
  /** The stored bytes, at most 256 KiB and one byte. */
  readonly data: Uint8Array;
  /**
   * The unique id of one write. A `put` that is retried after a lost response is recognised by it. Reads do not return it.
   */
  readonly writer?: string;
}

/** `absent`: write only if there is no row with this key. `version`: write only if the row has this version. */
export type PutCondition = 'absent' | { readonly version: number };

/** The last argument of every call of a store. */
export interface StoreCallOptions {
  /** Aborts shortly before the invocation ends. The call should stop then; it is not awaited any longer. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The store of sessions, parked calls and changes. For every method, an expired row counts as absent. All reads are strongly
 * consistent.
 */
export interface McpStore {
  /** Reads the row with this key; `undefined` if absent. */
  get(key: RowKey, options?: StoreCallOptions): Promise<Row | undefined>;
  /**
   * One conditional write; `false` if the condition fails. If the row has the `writer` of this write, the write is a repetition and
   * returns `true`. Rejects a row that is larger than the limit of the store, 400 KB in DynamoDB.
   */
  put(row: Row, when?: PutCondition, options?: StoreCallOptions): Promise<boolean>;
  /**
   * Deletes a row and returns it. Only one of several concurrent callers gets the row. If the response of the store is lost, possibly
   * no caller gets it.
   */
  take(key: RowKey, options?: StoreCallOptions): Promise<Row | undefined>;
  /** Lists at most `limit` rows of a partition whose `sort` is greater than `after` (`''`: all), in the order of UTF-8 bytes. */
  list(partition: string, after: string, limit: number, options?: StoreCallOptions): Promise<readonly Row[]>;
}

/**
 * The error of a failed call of the store. Its `cause` is the failure, which shows if it is transient: only then the end of work is
 * stored again.
 */
export function storeFailure(cause: unknown): FrameworkError {
  if (isFrameworkError(cause) && cause.code === MISSING_PACKAGE) return cause;
  return new FrameworkError('mcp.store', 'framework: the MCP store failed', { statusCode: 503, cause });
}

/** The store for values that are too large for a row. */
export interface McpSpill {
  /** Stores bytes under a new, unique key. */
  put(key: string, data: Uint8Array, options?: StoreCallOptions): Promise<void>;
  /** Reads the bytes of a key; `undefined` if absent. */
  get(key: string, options?: StoreCallOptions): Promise<Uint8Array | undefined>;
  /**
   * Deletes the bytes of a key that no row refers to. Optional: without it, all objects remain until a lifecycle rule deletes
   * them. An error is ignored.
   */
  delete?(key: string, options?: StoreCallOptions): Promise<void>;
}

/** Maximum size of row text, in bytes. */
export const MAX_ROW_TEXT_BYTES = 256 * 1024;
/** Maximum size of spilled text, in bytes. */
export const MAX_SPILLED_TEXT_BYTES = 5 * 1024 * 1024;

/** Encodes a value as row data in JSON. */
export function encodeRow(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

export function decodeRow<T>(row: Row): T {
  const { data } = row;
  return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')) as T;
}

/** Converts milliseconds since the epoch to the whole seconds of a `ttl`, rounded up. */
export function toTtl(ms: number): number {
  return Math.ceil(ms / 1000);
}
