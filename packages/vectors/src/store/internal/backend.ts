import type { Metadata, QueryHit, VectorData } from '../store.js';
import type { Condition } from './filters.js';

/** A checked copy of a record. */
export interface StoredVector {
  readonly key: string;
  readonly data: VectorData;
  readonly metadata: Metadata | undefined;
}

/** A checked query. */
export interface PageQuery {
  readonly vector: VectorData;
  readonly topK: number;
  readonly filter: Condition | undefined;
  readonly returnMetadata: boolean;
}

/** One page of hits, the nearest first. */
export interface Page {
  readonly hits: readonly QueryHit[];
  /** The token of the next page; `undefined` after the last page. */
  readonly next: unknown;
}

/** One page of keys. */
export interface KeyPage {
  readonly keys: readonly string[];
  /** The token of the next page; `undefined` after the last page. */
  readonly next: unknown;
}

/** The requests of one kind of store. Arguments are checked and within the limits of the store. */
export interface VectorBackend {
  /** Loads the client, before the time limit of a request starts. */
  open?(): Promise<void>;
  /** Writes at most 500 records atomically. */
  put(records: readonly StoredVector[], signal: AbortSignal): Promise<void>;
  /** Reads at most 100 different keys; absent ones are left out. */
  get(keys: readonly string[], returnMetadata: boolean, signal: AbortSignal): Promise<readonly StoredVector[]>;
  /** Removes at most 500 keys. */
  delete(keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** One page; `from` is the `next` of the previous page, `undefined` for the first page. */
  query(query: PageQuery, from: unknown, signal: AbortSignal): Promise<Page>;
  /** One page of all keys; `from` as in a query. */
  list(from: unknown, signal: AbortSignal): Promise<KeyPage>;
  /** Converts the error of a failed request. */
  toError(cause: unknown): Error;
  /** True if a request with this error was certainly not applied. */
  wasRefused(cause: unknown): boolean;
}
