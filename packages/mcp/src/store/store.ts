import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { MISSING_PACKAGE } from '@sallyport/core/pipeline';

/** What names a row. */
export interface RowKey {
  /** Rows of one partition are listed together. */
  readonly partition: string;
  /** Names the row within its partition, and orders it. */
  readonly sort: string;
}

/** One row. The caller counts `version`; `ttl` is in seconds since the epoch. */
export interface Row extends RowKey {
  /** Counted by the caller; conditions compare it. */
  readonly version: number;
  /** Whole seconds since the epoch at which the row expires. */
  readonly ttl: number;
  /** What is stored, at most 256 KiB and one byte. */
  readonly data: Uint8Array;
  /**
   * The unique id of one write. A `put` that is retried after a lost answer is recognised by it. Reads do not return it.
   */
  readonly writer?: string;
}

/** `absent`: only when no row with this key is there. `version`: only when the row has this one. */
export type PutCondition = 'absent' | { readonly version: number };

/**
 * The store of sessions, parked calls and changes. An expired row counts as absent for every method. All reads
 * are strongly consistent.
 */
export interface McpStore {
  /** The row with this key; `undefined` when there is none. */
  get(key: RowKey): Promise<Row | undefined>;
  /**
   * One conditional write; `false` when the condition fails. If the row has the `writer` of this write, the write is a
   * repetition and returns `true`. Rejects a row that is larger than the store can take, DynamoDB's 400 KB.
   */
  put(row: Row, when?: PutCondition): Promise<boolean>;
  /**
   * Deletes a row and returns it; of several callers only one gets the row. When an answer of the store is lost, possibly
   * none.
   */
  take(key: RowKey): Promise<Row | undefined>;
  /** At most `limit` rows of a partition whose `sort` is greater than `after` (`''`: all), in order of UTF-8 bytes. */
  list(partition: string, after: string, limit: number): Promise<readonly Row[]>;
}

/** What a call of a store that failed rejects with. */
export function storeFailure(cause: unknown): FrameworkError {
  if (isFrameworkError(cause) && cause.code === MISSING_PACKAGE) return cause;
  return new FrameworkError('mcp.store', 'framework: the MCP store failed', { statusCode: 503, cause });
}

/** Where events go that are too large for a row. */
export interface McpSpill {
  /** Stores bytes under a key that nobody else uses. */
  put(key: string, data: Uint8Array): Promise<void>;
  /** The bytes under a key; `undefined` when there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
}

/** Row data as JSON. */
export function encodeRow(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

export function decodeRow<T>(row: Row): T {
  const { data } = row;
  return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')) as T;
}

/** Milliseconds since the epoch as the whole seconds of a `ttl`, rounded up. */
export function toTtl(ms: number): number {
  return Math.ceil(ms / 1000);
}
