/** The numbers of a vector. Results of a store have this type; inputs can also be lists of numbers. */
export type VectorData = Float32Array;

/** A vector as an argument of a store: its numbers are rounded to 32 bits. */
export type VectorInput = VectorData | readonly number[];

/** One value of metadata that filters can compare. */
export type Primitive = string | number | boolean;

/** Data of a vector: strings, finite numbers, booleans, and lists of them. */
export type Metadata = Readonly<Record<string, Primitive | readonly Primitive[]>>;

/** The measure of distance between two vectors: `1 − cos`, or the length of their difference. */
export type DistanceMetric = 'cosine' | 'euclidean';

/** A vector with its key. */
export interface VectorRecord {
  /** Unique in the index; 1 to 1,024 characters without white space at its ends. */
  readonly key: string;
  /** The numbers, as many as the index has dimensions. */
  readonly data: VectorData;
  /** The metadata of the vector. */
  readonly metadata?: Metadata;
}

/** A record as an argument of a store. */
export interface VectorRecordInput extends Omit<VectorRecord, 'data'> {
  /** The numbers; a list is rounded to 32 bits each. */
  readonly data: VectorInput;
}

/** The arguments of a put. */
export interface PutInput {
  /** Any number of records, at least one; each key once. */
  readonly records: readonly VectorRecordInput[];
}

/** The arguments of a read by key. */
export interface GetInput {
  /** Any number of keys, at least one; a repeated key is read once. */
  readonly keys: readonly string[];
  /** True if records are returned with their metadata. Default `true`. */
  readonly returnMetadata?: boolean;
  /** True if a missing key is an error. Default `false`. */
  readonly requireAll?: boolean;
}

/** The result of a read. */
export interface GetOutput {
  /** The records that exist, in the order of the requested keys. */
  readonly records: VectorRecord[];
  /** The keys that do not exist, in the requested order. */
  readonly missing: string[];
}

/** The arguments of a delete. */
export interface DeleteInput {
  /** Any number of keys, at least one. A missing key is not an error. */
  readonly keys: readonly string[];
}

/** The arguments of a listing. */
export interface ListKeysInput {
  /** Only keys that begin with this string. The store reads all keys of the index in any case. Default: all. */
  readonly prefix?: string;
}

/**
 * Comparisons of one key's value. If there are several, all of them must be true. A list in the metadata is equal if one of its
 * elements is equal.
 */
export interface FilterOperators {
  /** Equal. */
  readonly $eq?: Primitive;
  /** Not equal, or absent. */
  readonly $ne?: Primitive;
  /** A number greater than this number. */
  readonly $gt?: number;
  /** A number greater than or equal to this number. */
  readonly $gte?: number;
  /** A number less than this number. */
  readonly $lt?: number;
  /** A number less than or equal to this number. */
  readonly $lte?: number;
  /** Equal to one of these values; the list must not be empty. */
  readonly $in?: readonly Primitive[];
  /** Not equal to any of these values, or absent. */
  readonly $nin?: readonly Primitive[];
  /** True if the key exists. */
  readonly $exists?: boolean;
}

/**
 * Selects the vectors of a query by their metadata. A value without an operator means `$eq`. With several keys, all of them must
 * match. No value is converted: `1` is not `'1'`.
 *
 * @example const filter: Filter = { lang: 'en', $or: [{ year: { $gte: 2020 } }, { pinned: true }] };
 */
export interface Filter {
  /** All of these filters must match. */
  readonly $and?: readonly Filter[];
  /** At least one of these filters must match. */
  readonly $or?: readonly Filter[];
  /** A key of the metadata and the condition for its value. */
  readonly [key: string]: Primitive | FilterOperators | readonly Filter[] | undefined;
}

/** The arguments of a query. */
export interface QueryInput {
  /** The vector for which the nearest vectors are searched. */
  readonly vector: VectorInput;
  /**
   * Maximum number of hits. Missing, 0, negative and `NaN` mean 12; more than 10,000 means 10,000; fractions are rounded down.
   */
  readonly topK?: number;
  /** The compared vectors. Default: all. */
  readonly filter?: Filter;
  /** True if hits are returned with their metadata. Default `false`. */
  readonly returnMetadata?: boolean;
}

/** One hit of a query. */
export interface QueryHit {
  /** Its key. */
  readonly key: string;
  /** Its distance from the query's vector; smaller is nearer. */
  readonly distance: number;
  /** Its metadata, if it was requested. */
  readonly metadata?: Metadata;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The description of an index. */
export interface VectorIndexSettings {
  /** Number of dimensions of each vector. */
  readonly dimension: number;
  /** The distance metric. */
  readonly metric: DistanceMetric;
  /** Metadata keys that every record must have. */
  readonly requiredMetadata: readonly string[];
  /** Metadata keys that filters cannot use. */
  readonly nonFilterableKeys: readonly string[];
}

/**
 * A store of vectors. Every argument is checked before the first request; calls of any size are split into requests within
 * the service's limits. Every method rejects with a `VectorStoreError`, or with the reason of the caller's signal.
 */
export interface Store {
  /** The description of its index. */
  readonly settings: VectorIndexSettings;
  /**
   * Writes records; a record with the same key is replaced completely. If a chunk fails, `progress` of the error lists
   * the written keys.
   */
  put(input: PutInput, options?: CallOptions): Promise<void>;
  /** Reads records by key. */
  get(input: GetInput, options?: CallOptions): Promise<GetOutput>;
  /** Removes records. Missing keys are ignored. */
  delete(input: DeleteInput, options?: CallOptions): Promise<void>;
  /** Returns the nearest vectors, the nearest first. With a filter the result can have fewer than `topK` hits. */
  query(input: QueryInput, options?: CallOptions): Promise<QueryHit[]>;
  /** Returns the same hits in pages. If the consumer stops, no more pages are requested. */
  queryPages(input: QueryInput, options?: CallOptions): AsyncIterable<QueryHit[]>;
  /**
   * Returns the keys of the index in pages, in any order. Keys that are written or removed meanwhile may be missing or listed. If the
   * consumer stops, no more pages are requested. The time grows with the number of all vectors of the index.
   */
  listKeys(input?: ListKeysInput, options?: CallOptions): AsyncIterable<string[]>;
}
