import type { Metadata, QueryHit, VectorData } from '../store.js';
import type { Condition } from './filters.js';

/** A checked record that nobody else holds. */
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
  /** Asks for the next page; `undefined` after the last. */
  readonly next: unknown;
}

/** What is particular to one kind of store: requests within its limits, with arguments that were checked. */
export interface VectorBackend {
  /** What must be there before a request's time begins: a loaded client. */
  open?(): Promise<void>;
  /** Writes at most 500 records, all or none. */
  put(records: readonly StoredVector[], signal: AbortSignal): Promise<void>;
  /** Reads at most 100 different keys; absent ones are left out. */
  get(keys: readonly string[], returnMetadata: boolean, signal: AbortSignal): Promise<readonly StoredVector[]>;
  /** Removes at most 500 keys. */
  delete(keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** One page; `from` is the `next` of the page before, `undefined` for the first. */
  query(query: PageQuery, from: unknown, signal: AbortSignal): Promise<Page>;
  /** Makes the error of a request that failed. */
  toError(cause: unknown): Error;
  /** Whether a request that failed so was surely not applied. */
  wasRefused(cause: unknown): boolean;
}
