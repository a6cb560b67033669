/** A value that JSON can represent. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. A write that was under way may have happened. */
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list. */
export interface Page<T> {
  /** May be fewer than the limit, also none, although there are more pages. */
  readonly items: readonly T[];
  /** Hand it in for the next page. Only a missing cursor means the end. */
  readonly cursor?: string;
}
