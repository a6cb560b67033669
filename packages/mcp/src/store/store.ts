import { FrameworkError, isFrameworkError } from '@sallyport/core';
import { MISSING_PACKAGE } from '@sallyport/core/pipeline';

/** What names a row. */
export interface RowKey {
  /** Rows of one partition are listed together. */
  readonly partition: string;
  /** Names the row within its partition, and orders it. */
  readonly sort: string;
}

/** One row. `version` is the caller's to count, `ttl` is in seconds since the epoch. */
export interface Row extends RowKey {
  /** Counted by the caller; conditions compare it. */
  readonly version: number;
  /** Whole seconds since the epoch at which the row expires. */
  readonly ttl: number;
  /** What is stored, at most 256 KiB and one byte. */
  readonly data: Uint8Array;
  /**
   * Names one write, and is never used for another. A `put` that comes again because its answer was lost is recognised by it. Reads
   * do not return it.
   */
  readonly writer?: string;
}

/** `absent`: only when no row with this key is there. `version`: only when the row has this one. */
export type PutCondition = 'absent' | { readonly version: number };

/**
 * Where sessions, parked calls and changes are kept. A row whose `ttl` has passed is absent for every method. All reads
 * are strongly consistent.
 */
export interface McpStore {
  /** The row with this key; `undefined` when there is none. */
  get(key: RowKey): Promise<Row | undefined>;
  /**
   * One conditional write; `false` when the condition did not hold. Where the row has the `writer` of this one, the write is a
   * repetition of the one that made it, and is `true`. Rejects a row that is larger than the store can take, DynamoDB's 400 KB.
   */
  put(row: Row, when?: PutCondition): Promise<boolean>;
  /** Deletes and returns; of several callers one gets the row. When an answer of the store is lost, it may be none. */
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
