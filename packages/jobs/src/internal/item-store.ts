/** What an attribute of an item may be. */
export type Value = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;
/** One row; a map without a prototype. */
export type Item = Readonly<Record<string, Value | undefined>>;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** What must hold of the item before a write. */
export type Condition =
  | { readonly absent: string }
  | { readonly present: string }
  | { readonly attribute: string; readonly is: '=' | '<=' | '>'; readonly value: string | number }
  | { readonly attribute: string; readonly isOneOf: readonly string[] }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/** Changes of one item. */
export interface Changes {
  readonly set?: Item;
  /** Set where the item has no such attribute. */
  readonly setIfAbsent?: Item;
  /** Adds `by` to the attribute, or to `from` where the item has none. */
  readonly count?: Readonly<Record<string, { readonly from: number; readonly by: number }>>;
  /** Takes the value of an entry of another attribute, a map. */
  readonly copy?: Readonly<Record<string, { readonly map: string; readonly entry: string }>>;
  readonly remove?: readonly string[];
}

export type WriteOutcome =
  /** The item after an update, before a put or a removal. */
  | { readonly applied: true; readonly item: Item | undefined }
  /** The item that refused. `retried`: an earlier attempt of this very call may have been the one that wrote it. */
  | { readonly applied: false; readonly item: Item | undefined; readonly retried: boolean };

export interface StoreQuery {
  /** The table itself without it. */
  readonly index?: string;
  readonly partition: { readonly name: string; readonly value: string };
  readonly sort?: { readonly name: string; readonly from: string; readonly to: string };
  readonly newestFirst?: boolean;
  readonly consistent?: boolean;
  readonly limit?: number;
  readonly start?: Item | undefined;
}

export interface StorePage {
  /** Of an index: keys only. */
  readonly items: readonly Item[];
  /** Whether there may be more behind the last item. */
  readonly more: boolean;
}

/** The operations that the ledger needs of a table. Each rejects with JobLedgerError `internal_error` when the store fails. */
export interface ItemStore {
  get(key: Key, consistent: boolean, signal?: AbortSignal): Promise<Item | undefined>;
  put(item: Item & Key, condition: Condition | undefined, signal?: AbortSignal): Promise<WriteOutcome>;
  update(key: Key, changes: Changes, condition: Condition, signal?: AbortSignal): Promise<WriteOutcome>;
  remove(key: Key, condition: Condition | undefined, signal?: AbortSignal): Promise<WriteOutcome>;
  query(query: StoreQuery, signal?: AbortSignal): Promise<StorePage>;
  /** In any order; what is absent is left out. At most 100 keys. */
  getMany(keys: readonly Key[], signal?: AbortSignal): Promise<readonly Item[]>;
}
