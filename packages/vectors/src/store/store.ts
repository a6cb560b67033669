/** The numbers of a vector. Everything that a store returns has this type; inputs may also be lists of numbers. */
export type VectorData = Float32Array;

/** A vector that is given to a store: its numbers are rounded to 32 bits. */
export type VectorInput = VectorData | readonly number[];

/** One value of metadata that filters can compare. */
export type Primitive = string | number | boolean;

/** What is kept with a vector: texts, finite numbers, booleans, and lists of them. */
export type Metadata = Readonly<Record<string, Primitive | readonly Primitive[]>>;

/** How far two vectors are from each other: `1 − cos`, or the length of their difference. */
export type DistanceMetric = 'cosine' | 'euclidean';

/** A vector with its key. */
export interface VectorRecord {
  /** Unique in the index; 1 to 1,024 characters without blanks at its ends. */
  readonly key: string;
  /** The numbers, as many as the index has dimensions. */
  readonly data: VectorData;
  /** What is kept with it. */
  readonly metadata?: Metadata;
}

/** A record as it is given to a store. */
export interface VectorRecordInput extends Omit<VectorRecord, 'data'> {
  /** The numbers; a list is rounded to 32 bits each. */
  readonly data: VectorInput;
}

/** What is put. */
export interface PutInput {
  /** Any number of records, at least one; each key once. */
  readonly records: readonly VectorRecordInput[];
}

/** What is read by key. */
export interface GetInput {
  /** Any number of keys, at least one; a repeated key is read once. */
  readonly keys: readonly string[];
  /** Whether records come with their metadata. Default `true`. */
  readonly returnMetadata?: boolean;
  /** Whether a missing key is an error. Default `false`. */
  readonly requireAll?: boolean;
}

/** What a read found. */
export interface GetOutput {
  /** What is there, in the order asked. */
  readonly records: VectorRecord[];
  /** Keys that are not there, in the order asked. */
  readonly missing: string[];
}

/** What is deleted. */
export interface DeleteInput {
  /** Any number of keys, at least one. A key that is not there is not an error. */
  readonly keys: readonly string[];
}

/** Comparisons of one key's value. Several mean all of them. A list in the metadata is equal when one of its elements is. */
export interface FilterOperators {
  /** Equal. */
  readonly $eq?: Primitive;
  /** Not equal, or not there. */
  readonly $ne?: Primitive;
  /** A number greater than this one. */
  readonly $gt?: number;
  /** A number greater than or equal to this one. */
  readonly $gte?: number;
  /** A number less than this one. */
  readonly $lt?: number;
  /** A number less than or equal to this one. */
  readonly $lte?: number;
  /** Equal to one of these, at least one. */
  readonly $in?: readonly Primitive[];
  /** Equal to none of these, or not there. */
  readonly $nin?: readonly Primitive[];
  /** Whether the key is there. */
  readonly $exists?: boolean;
}

/**
 * Which vectors a query looks at, by their metadata. A bare value means `$eq`, several keys mean all of them. No value is
 * converted: `1` is not `'1'`.
 *
 * @example const filter: Filter = { lang: 'en', $or: [{ year: { $gte: 2020 } }, { pinned: true }] };
 */
export interface Filter {
  /** All of them hold. */
  readonly $and?: readonly Filter[];
  /** At least one holds. */
  readonly $or?: readonly Filter[];
  /** A key of the metadata and what its value must be. */
  readonly [key: string]: Primitive | FilterOperators | readonly Filter[] | undefined;
}

/** What is searched. */
export interface QueryInput {
  /** The vector whose neighbours are wanted. */
  readonly vector: VectorInput;
  /** Hits at most: missing, 0, negative and `NaN` are 12, more than 10,000 is 10,000, fractions are cut. */
  readonly topK?: number;
  /** Which vectors are looked at. Default: all. */
  readonly filter?: Filter;
  /** Whether hits come with their metadata. Default `false`. */
  readonly returnMetadata?: boolean;
}

/** A neighbour. */
export interface QueryHit {
  /** Its key. */
  readonly key: string;
  /** How far it is; less is nearer. */
  readonly distance: number;
  /** What is kept with it, when it was asked for. */
  readonly metadata?: Metadata;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a store knows of its index. */
export interface VectorIndexSettings {
  /** Numbers of each vector. */
  readonly dimension: number;
  /** How distances are measured. */
  readonly metric: DistanceMetric;
  /** Metadata keys that every record must have. */
  readonly requiredMetadata: readonly string[];
  /** Metadata keys that filters cannot see. */
  readonly nonFilterableKeys: readonly string[];
}

/**
 * A store of vectors. Every argument is checked before the first request; calls of any size are split into requests within
 * the service's limits. Every method rejects with a `VectorStoreError`, or with the reason of the caller's signal.
 */
export interface Store {
  /** What the store knows of its index. */
  readonly settings: VectorIndexSettings;
  /**
   * Writes records; a record with the same key is replaced completely. When a chunk fails, `progress` of the error lists
   * the written keys.
   */
  put(input: PutInput, options?: CallOptions): Promise<void>;
  /** Reads records by key. */
  get(input: GetInput, options?: CallOptions): Promise<GetOutput>;
  /** Removes records; keys that are not there are no error. */
  delete(input: DeleteInput, options?: CallOptions): Promise<void>;
  /** The nearest vectors, the nearest first. With a filter there may be fewer than `topK`. */
  query(input: QueryInput, options?: CallOptions): Promise<QueryHit[]>;
  /** The same, page by page; when the consumer stops, no further page is requested. */
  queryPages(input: QueryInput, options?: CallOptions): AsyncIterable<QueryHit[]>;
}
