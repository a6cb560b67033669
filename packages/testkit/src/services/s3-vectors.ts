import { defineOptions, integer, list, object } from '@sallyport/core/options';
import { type Service, ServiceError, startService } from './service.js';

/** An index of the local service. */
export interface StandInIndex {
  /** The name of its vector bucket. */
  readonly vectorBucketName: string;
  /** Its name. */
  readonly indexName: string;
  /** Numbers of each vector. */
  readonly dimension: number;
  /** Metric of distances. Default `cosine`. */
  readonly distanceMetric?: 'cosine' | 'euclidean';
  /** Keys that filters cannot use. Default: none. */
  readonly nonFilterableMetadataKeys?: readonly string[];
}

/** Options of {@link startS3Vectors}. */
export interface S3VectorsOptions {
  /** The module `@aws-sdk/client-s3vectors`, whose schemas define the operations. */
  readonly sdk: object;
  /** The indexes of the service. */
  readonly indexes: readonly StandInIndex[];
  /** Hits on one page. Default 100. */
  readonly pageSize?: number;
}

const OPTIONS = defineOptions<S3VectorsOptions>()({
  sdk: object().required(),
  indexes: list(object<StandInIndex>()).required(),
  pageSize: integer(1).default(100),
});

/** A local Amazon S3 Vectors service. */
export interface S3VectorsService extends Service {
  /** Keys of an index, sorted. */
  keysOf(indexName: string): readonly string[];
  /** Deletes the vectors of an index, or of all indexes if no name is given. */
  empty(indexName?: string): void;
  /** Invalidates all issued page tokens, as if they had expired. */
  expireTokens(): void;
}

type Json = Readonly<Record<string, unknown>>;

interface Vector {
  readonly key: string;
  readonly data: { readonly float32: readonly number[] };
  readonly metadata?: Json;
}

interface Search {
  readonly digest: string;
  readonly hits: readonly object[];
}

const MAX_BODY_BYTES = 20 * 1024 * 1024;
const MAX_WRITTEN = 500;
const MAX_READ = 100;
const MAX_TOP_K = 10_000;
const MAX_LISTED = 1000;
const MAX_KEY_CHARACTERS = 1024;
const MAX_METADATA = { keys: 50, bytes: 40 * 1024, filterableBytes: 2 * 1024 };

/**
 * Starts a local test server for Amazon S3 Vectors: vectors in memory, with the service's wire protocol and its documented
 * limits, filters and errors. Its search is exact; the service may miss a neighbour.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html
 * @example
 * const sdk = await import('@aws-sdk/client-s3vectors');
 * const service = await startS3Vectors({ sdk, indexes: [{ vectorBucketName: 'notes', indexName: 'texts', dimension: 3 }] });
 */
export async function startS3Vectors(options: S3VectorsOptions): Promise<S3VectorsService> {
  const { sdk, indexes, pageSize } = OPTIONS.parse(options);
  const stored = new Map(indexes.map((index) => [index.indexName, new Index(index, pageSize)]));
  const find = (input: Json): Index => {
    const { vectorBucketName, indexName } = addressOf(input);
    const index = stored.get(String(indexName));
    if (index?.definition.vectorBucketName !== vectorBucketName || !index) {
      throw new ServiceError('NotFoundException', 404, 'The specified index could not be found');
    }
    return index;
  };
  const service = await startService({
    sdk,
    maxBodyBytes: MAX_BODY_BYTES,
    handlers: {
      PutVectors: (input) => find(input).put(input.vectors as readonly Vector[]),
      GetVectors: (input) => find(input).get(input),
      DeleteVectors: (input) => find(input).delete(input.keys as readonly string[]),
      QueryVectors: (input) => find(input).query(input),
      ListVectors: (input) => find(input).list(input),
    },
  });
  const extras = {
    keysOf: (indexName: string) => stored.get(indexName)?.keys() ?? [],
    empty(indexName?: string) {
      for (const [name, index] of stored) if (indexName === undefined || indexName === name) index.empty();
    },
    expireTokens() {
      for (const index of stored.values()) index.expireTokens();
    },
  };
  return Object.assign(service, extras);
}

function addressOf(input: Json): Json {
  const byName = input.vectorBucketName !== undefined && input.indexName !== undefined;
  const [, vectorBucketName, indexName] = /bucket\/([^/]+)\/index\/([^/]+)$/.exec(String(input.indexArn)) ?? [];
  if (byName === (indexName !== undefined)) throw invalid('Name the index by its ARN, or by bucket and name');
  return byName ? input : { vectorBucketName, indexName };
}

class Index {
  readonly definition: StandInIndex;
  readonly #pageSize: number;
  readonly #vectors = new Map<string, Vector>();
  readonly #searches = new Map<string, Search>();
  readonly #lists = new Map<string, readonly string[]>();
  #tokens = 0;

  constructor(definition: StandInIndex, pageSize: number) {
    this.definition = definition;
    this.#pageSize = pageSize;
  }

  keys(): readonly string[] {
    return [...this.#vectors.keys()].sort();
  }

  empty(): void {
    this.#vectors.clear();
  }

  expireTokens(): void {
    this.#searches.clear();
    this.#lists.clear();
  }

  put(vectors: readonly Vector[]): object {
    between(vectors.length, 1, MAX_WRITTEN, 'vectors');
    for (const vector of vectors) this.#check(vector);
    for (const { key, data, metadata } of vectors) {
      const float32 = data.float32.map(Math.fround);
      this.#vectors.set(key, { key, data: { float32 }, ...(metadata && { metadata }) });
    }
    return {};
  }

  get(input: Json): object {
    const { keys, returnData = false, returnMetadata = false } = input as { keys: readonly string[] } & Json;
    between(keys.length, 1, MAX_READ, 'keys');
    const found = keys.flatMap((key) => this.#vectors.get(key) ?? []);
    return {
      vectors: found.map(({ key, data, metadata }) => ({
        key,
        ...(returnData === true && { data }),
        ...(returnMetadata === true && metadata && { metadata }),
      })),
    };
  }

  delete(keys: readonly string[]): object {
    between(keys.length, 1, MAX_WRITTEN, 'keys');
    for (const key of keys) this.#vectors.delete(key);
    return {};
  }

  query(input: Json): object {
    const { nextToken, ...rest } = input as { nextToken?: string } & Json;
    const digest = JSON.stringify(rest);
    const search = nextToken === undefined ? { digest, hits: this.#search(rest) } : this.#searches.get(nextToken);
    if (search?.digest !== digest) throw invalid('The page token is invalid or has expired');
    const left = search.hits.slice(this.#pageSize);
    return {
      vectors: search.hits.slice(0, this.#pageSize),
      distanceMetric: this.#metric,
      ...(left.length > 0 && { nextToken: this.#remember({ digest, hits: left }) }),
    };
  }

  list({ maxResults = 500, nextToken }: Json): object {
    between(Number(maxResults), 1, MAX_LISTED, 'maxResults');
    const left = nextToken === undefined ? this.keys() : this.#lists.get(String(nextToken));
    if (left === undefined) throw invalid('The page token is invalid or has expired');
    const size = Math.min(Number(maxResults), this.#pageSize);
    const vectors = left.slice(0, size).map((key) => ({ key }));
    if (left.length <= size) return { vectors };
    this.#tokens += 1;
    const token = `list-${this.#tokens}`;
    this.#lists.set(token, left.slice(size));
    return { vectors, nextToken: token };
  }

  get #metric(): 'cosine' | 'euclidean' {
    return this.definition.distanceMetric ?? 'cosine';
  }

  #remember(search: Search): string {
    this.#tokens += 1;
    const token = `page-${this.#tokens}`;
    this.#searches.set(token, search);
    return token;
  }

  #search(input: Json): readonly object[] {
    const { topK, queryVector, filter, returnMetadata, returnDistance } = input;
    between(Number(topK), 1, MAX_TOP_K, 'topK');
    const wanted = (queryVector as Vector['data']).float32;
    this.#checkNumbers(wanted);
    if (filter !== undefined) this.#checkFilter(filter);
    return [...this.#vectors.values()]
      .filter(({ metadata = {} }) => filter === undefined || passes(filter as Json, metadata))
      .map((vector) => ({ ...vector, distance: distance(this.#metric, wanted, vector.data.float32) }))
      .sort((left, right) => left.distance - right.distance || (left.key < right.key ? -1 : 1))
      .slice(0, Number(topK))
      .map(({ key, metadata, distance: measured }) => ({
        key,
        ...(returnDistance === true && { distance: measured }),
        ...(returnMetadata === true && metadata && { metadata }),
      }));
  }

  #check({ key, data, metadata = {} }: Vector): void {
    between([...key].length, 1, MAX_KEY_CHARACTERS, 'the characters of a key');
    this.#checkNumbers(data.float32);
    between(Object.keys(metadata).length, 0, MAX_METADATA.keys, 'metadata keys');
    const hidden = this.definition.nonFilterableMetadataKeys ?? [];
    const filterable = Object.entries(metadata).filter(([name]) => !hidden.includes(name));
    between(bytesOf(Object.entries(metadata)), 0, MAX_METADATA.bytes, 'bytes of metadata');
    between(bytesOf(filterable), 0, MAX_METADATA.filterableBytes, 'bytes of filterable metadata');
    for (const value of Object.values(metadata).flat()) {
      if (!['string', 'number', 'boolean'].includes(typeof value)) throw invalid('Invalid metadata value');
    }
  }

  #checkNumbers(numbers: readonly number[]): void {
    if (numbers.length !== this.definition.dimension) throw invalid('Invalid vector dimension');
    if (!numbers.every((value) => Number.isFinite(Math.fround(value)))) throw invalid('Invalid vector value');
    const isZero = numbers.every((value) => Math.fround(value) === 0);
    if (isZero && this.#metric === 'cosine') throw invalid('Zero vectors are not allowed');
  }

  #checkFilter(filter: unknown): void {
    const hidden = this.definition.nonFilterableMetadataKeys ?? [];
    for (const [key, operand] of Object.entries(filter as Json)) {
      if (key === '$and' || key === '$or') for (const part of operand as readonly unknown[]) this.#checkFilter(part);
      else if (key.startsWith('$') || hidden.includes(key)) throw invalid('Invalid filter');
    }
  }
}

/** Names in UTF-8 and values as JSON: how the service counts is not documented. */
function bytesOf(metadata: readonly (readonly [string, unknown])[]): number {
  return metadata.reduce((sum, [name, value]) => sum + Buffer.byteLength(name + JSON.stringify(value)), 0);
}

function between(value: number, least: number, most: number, what: string): void {
  if (!(value >= least && value <= most)) throw invalid(`${what} must be between ${least} and ${most}`);
}

function invalid(message: string): ServiceError {
  return new ServiceError('ValidationException', 400, message);
}

function distance(metric: 'cosine' | 'euclidean', left: readonly number[], right: readonly number[]): number {
  const sum = (term: (at: number) => number) => left.reduce((total, _, at) => total + term(at), 0);
  const at = (list: readonly number[], index: number) => list[index] ?? 0;
  if (metric === 'euclidean') return Math.sqrt(sum((i) => (at(left, i) - at(right, i)) ** 2));
  const product = sum((i) => at(left, i) * at(right, i));
  const lengths = Math.sqrt(sum((i) => at(left, i) ** 2)) * Math.sqrt(sum((i) => at(right, i) ** 2));
  return Math.max(0, 1 - product / lengths);
}

/** A separate implementation of the filter's documentation, which detects mistakes in the package's implementation. */
function passes(filter: Json, metadata: Json): boolean {
  return Object.entries(filter).every(([key, operand]) => {
    if (key === '$and') return (operand as readonly Json[]).every((part) => passes(part, metadata));
    if (key === '$or') return (operand as readonly Json[]).some((part) => passes(part, metadata));
    const isBare = typeof operand !== 'object' || operand === null;
    const tests: Json = isBare ? { $eq: operand } : (operand as Json);
    return Object.entries(tests).every(([operator, wanted]) =>
      test(operator, wanted, metadata[key], Object.hasOwn(metadata, key)),
    );
  });
}

function test(operator: string, wanted: unknown, value: unknown, isThere: boolean): boolean {
  const values = isThere ? [value].flat() : [];
  const isAny = (list: readonly unknown[]) => values.some((one) => list.includes(one));
  const compares = typeof value === 'number' && isThere ? value - Number(wanted) : Number.NaN;
  switch (operator) {
    case '$eq':
      return isAny([wanted]);
    case '$ne':
      return !isAny([wanted]);
    case '$in':
      return isAny(wanted as readonly unknown[]);
    case '$nin':
      return !isAny(wanted as readonly unknown[]);
    case '$exists':
      return isThere === wanted;
    case '$gt':
      return compares > 0;
    case '$gte':
      return compares >= 0;
    case '$lt':
      return compares < 0;
    case '$lte':
      return compares <= 0;
    default:
      throw invalid('Invalid filter');
  }
}
