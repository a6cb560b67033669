/** A value of an attribute. */
export type Value = string | number | boolean | Uint8Array | readonly string[] | Readonly<Record<string, string>>;

/** One item by attribute; a map without a prototype. */
export type Item = Readonly<Record<string, Value | undefined>>;

/** The primary key of all tables of the framework. */
export interface Key {
  /** Partition key. */
  readonly pk: string;
  /** Sort key. */
  readonly sk: string;
}

/** A condition on the stored item, checked before a write. */
export type Condition =
  | { readonly absent: string }
  | { readonly present: string }
  | { readonly attribute: string; readonly is: '=' | '<>' | '<=' | '>'; readonly value: string | number }
  | { readonly attribute: string; readonly isOneOf: readonly string[] }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/** Changes of one item. They are applied together or not at all. */
export interface Changes {
  /** Attributes and their new values; `undefined` keeps an attribute unchanged. */
  readonly set?: Item;
  /** Values for attributes that the item does not have yet. */
  readonly setIfAbsent?: Item;
  /** Adds a number to an attribute; an absent attribute counts as 0. */
  readonly add?: Readonly<Record<string, number>>;
  /** Adds `by` to the attribute, or to `from` if the attribute is absent. */
  readonly count?: Readonly<Record<string, { readonly from: number; readonly by: number }>>;
  /** Copies the value of an entry of another attribute, which is a map. */
  readonly copy?: Readonly<Record<string, { readonly map: string; readonly entry: string }>>;
  /** Attributes to remove. */
  readonly remove?: readonly string[];
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a read. */
export interface ReadOptions extends CallOptions {
  /** True if the read is strongly consistent. It costs twice as much. Default `false`. */
  readonly consistent?: boolean | undefined;
  /**
   * The returned attributes; default: all. It saves time and memory, but no read units: DynamoDB charges by the size of the item
   * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ProjectionExpressions.html). For `get` only.
   */
  readonly attributes?: readonly string[] | undefined;
}

/** Options of all writes. */
interface WriteCall extends CallOptions {
  /**
   * True if the item is read after a failed condition without a returned item, because the item is absent or the server does not
   * support `ReturnValuesOnConditionCheckFailure`. Default `true`.
   */
  readonly reread?: boolean | undefined;
}

/** Makes a write recognizable if the client retries it. */
interface Identified {
  /**
   * A unique id of this write. It is stored with the item as {@link WRITER_ATTRIBUTE}, so that a retry detects that the write
   * was already applied.
   */
  readonly writer: string;
}

interface Conditional {
  /** Condition on the stored item. If it is false, the write is rejected. */
  readonly condition: Condition;
}

interface SentOnce {
  /**
   * True if the write is sent at most once, even if the client would retry. Use it for a change that must not be applied twice,
   * if no condition can detect a retry. A lost response rejects the call. Default `false`.
   */
  readonly once: true;
}

interface WithHistory {
  /**
   * True if an update also stores the ids of the two previous writes. A retry is then detected, and not applied again, even if up to
   * two other writes with `history` were applied in between. This needs two short attributes. Default `false`.
   */
  readonly history: true;
}

/** Options of a put. It replaces the item with all ids of earlier writes, so only its condition prevents a second application. */
export type PutOptions = WriteCall & Identified & Conditional;

/** Options of an update. Without a condition it requires `history` or `once`. */
export type UpdateOptions = WriteCall &
  Identified &
  (Conditional | WithHistory | SentOnce) & {
    readonly condition?: Condition | undefined;
    readonly history?: boolean | undefined;
    readonly once?: boolean | undefined;
  };

/**
 * Options of a removal. It stores no id, so a retry could remove an item that another caller has put in the meantime. To prevent
 * that, use `once` or a condition that identifies the item, such as its owner. For an item that others may put again, write an
 * expired item with `history` instead.
 */
export type RemoveOptions = WriteCall &
  (Conditional | SentOnce) & {
    readonly condition?: Condition | undefined;
    readonly once?: boolean | undefined;
  };

/** The attribute with the id of an item's last write. */
export const WRITER_ATTRIBUTE = 'w';

/** The attributes with the ids of the two writes before the last write, for writes with `history`. */
export const EARLIER_WRITER_ATTRIBUTES = ['w1', 'w2'] as const;

/** True if an item contains the id of a write: as its last write, or as one of the two previous writes. */
export function isWrittenBy(item: Item | undefined, writer: string | undefined): boolean {
  if (item === undefined || writer === undefined) return false;
  return [WRITER_ATTRIBUTE, ...EARLIER_WRITER_ATTRIBUTES].some((name) => item[name] === writer);
}

/** The condition that an item does not have the id of a write. */
export function notWrittenBy(writer: string): Condition {
  const names = [WRITER_ATTRIBUTE, ...EARLIER_WRITER_ATTRIBUTES];
  return { all: names.map((name) => ({ any: [{ absent: name }, { attribute: name, is: '<>', value: writer }] })) };
}

/** The outcome of a conditional write. */
export type WriteOutcome =
  | {
      readonly applied: true;
      /** After an update the new item, after a put or a removal the previous item; `undefined` if unknown. */
      readonly item: Item | undefined;
      /** True if an earlier attempt of this write was applied and its response did not arrive. */
      readonly repeated: boolean;
    }
  | {
      readonly applied: false;
      /** The item for which the condition was false. */
      readonly item: Item | undefined;
      /** True if there was an earlier attempt: without a `writer` that attempt may have written `item`. */
      readonly retried: boolean;
    };

/** One change of a transaction. */
export interface TransactedChange {
  /** Key of the item. */
  readonly key: Key;
  /** The changes. Without them only the condition is checked. */
  readonly changes?: Changes | undefined;
  /** Condition on the item. If it is false, the whole transaction is rejected. Required without `changes`. */
  readonly condition?: Condition | undefined;
  /** An id of this transaction, stored on the item like an update with `history`. At least one change must have it. */
  readonly writer?: string | undefined;
}

/** The outcome of a transaction. */
export type TransactOutcome =
  | {
      readonly applied: true;
      /** True if an earlier attempt was applied and its response did not arrive. */
      readonly repeated: boolean;
    }
  | {
      readonly applied: false;
      /** For each change: `held` is true if its condition was true; `item` is the item that rejected it. */
      readonly refusals: readonly { readonly held: boolean; readonly item: Item | undefined }[];
    };

/** Selects items of one partition. */
export interface ItemQuery {
  /** Name of a global secondary index. Default: the table. */
  readonly index?: string;
  /** Name and value of the partition key. */
  readonly partition: { readonly name: string; readonly value: string };
  /** Bounds of the sort key: from and to, both included, or all keys after a key. */
  readonly sort?:
    | { readonly name: string; readonly from: string; readonly to: string }
    | { readonly name: string; readonly after: string };
  /** True if the sort key descends. Default `false`. */
  readonly newestFirst?: boolean;
  /** True if the query is strongly consistent. Default `false`. */
  readonly consistent?: boolean;
  /** Maximum number of items to read. Default: one page of DynamoDB. */
  readonly limit?: number;
  /** The key after which the page starts. */
  readonly start?: Item | Key | undefined;
}

/** One page of a query. */
export interface ItemPage {
  /** The items; from an index that projects only keys, their keys. */
  readonly items: readonly Item[];
  /** True if more items may follow. */
  readonly more: boolean;
}

/** The operations of a table that stores use. */
export interface ItemTable {
  /** Resolves when the client is loaded. Read the time of a request after it, because loading takes time. */
  ready(): Promise<void>;
  /** Opens the connection, for the init phase of a function. Costs half a read unit. */
  warm(options?: CallOptions): Promise<void>;
  /** Reads one item; `undefined` if absent. */
  get(key: Key, options?: ReadOptions): Promise<Item | undefined>;
  /** Replaces the whole item. */
  put(item: Item & Key, options: PutOptions): Promise<WriteOutcome>;
  /** Changes some attributes; creates the item if absent. */
  update(key: Key, changes: Changes, options: UpdateOptions): Promise<WriteOutcome>;
  /** Removes an item. */
  remove(key: Key, options: RemoveOptions): Promise<WriteOutcome>;
  /** Reads one page of a partition. */
  query(query: ItemQuery, options?: CallOptions): Promise<ItemPage>;
  /** Returns items in any order, without absent items. At most 100 keys. */
  getMany(keys: readonly Key[], options?: ReadOptions): Promise<readonly Item[]>;
  /** Changes up to 100 items in one transaction. Costs twice the units of single updates. */
  transact(changes: readonly TransactedChange[], options?: CallOptions): Promise<TransactOutcome>;
}
