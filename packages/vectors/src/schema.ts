/** Names and limits that infrastructure code and other runtimes share with the store. Imports nothing. */

/** Hits of a query without `topK`. */
export const DEFAULT_QUERY_TOP_K = 12;
/** The most hits of one query. */
export const MAX_QUERY_TOP_K = 10_000;
/** The most vectors of one `PutVectors` or `DeleteVectors` request. */
export const MAX_PUT_DELETE_BATCH_SIZE = 500;
/** The most keys of one `GetVectors` request. */
export const MAX_GET_BATCH_SIZE = 100;
/** The default length of an embedding. */
export const DEFAULT_EMBEDDING_DIMENSIONS = 1024;
/** The default model for embeddings. */
export const DEFAULT_TITAN_EMBED_TEXT_MODEL_ID = 'amazon.titan-embed-text-v2:0';

/**
 * The limits of an index, a vector and a request.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html
 */
export const VECTOR_LIMITS = {
  /** Dimensions of one vector. */
  dimension: 4096,
  /** Characters of a key. */
  keyCharacters: 1024,
  /** Keys of one vector's metadata. */
  metadataKeys: 50,
  /** Bytes of one vector's metadata: names in UTF-8 and values as JSON. */
  metadataBytes: 40 * 1024,
  /** Bytes of the part that filters can see. */
  filterableMetadataBytes: 2 * 1024,
  /** Keys of an index that filters cannot see. */
  nonFilterableKeys: 10,
  /** Bytes of one put, as counted by this package; the service accepts 20 MiB. */
  putBytes: 19 * 1024 * 1024,
  /** Conditions of one filter; a limit of this package. */
  filterConditions: 100,
  /** Levels of `$and` and `$or` in one filter; a limit of this package. */
  filterDepth: 10,
} as const;

/** Variables that `vectorStoreFromEnv` and `embedderFromEnv` read. */
export const VECTOR_VARIABLES = {
  /** The ARN of the index, instead of bucket and index. */
  indexArn: 'FRAMEWORK_VECTOR_INDEX_ARN',
  /** The name of the vector bucket. */
  vectorBucketName: 'FRAMEWORK_VECTOR_BUCKET_NAME',
  /** The name of the index in the bucket. */
  indexName: 'FRAMEWORK_VECTOR_INDEX_NAME',
  /** Number of dimensions of each vector. */
  dimension: 'FRAMEWORK_VECTOR_DIMENSION',
  /** The provider of embeddings: only `bedrock`. */
  embeddingProvider: 'FRAMEWORK_EMBEDDING_PROVIDER',
  /** The model for embeddings. */
  embeddingModelId: 'FRAMEWORK_EMBEDDING_MODEL_ID',
  /** Number of dimensions of an embedding: 256, 512 or 1024. */
  embeddingDimensions: 'FRAMEWORK_EMBEDDING_DIMENSIONS',
  /** `true` or `false`. */
  embeddingNormalize: 'FRAMEWORK_EMBEDDING_NORMALIZE',
} as const;

/** IAM actions of a store on its index, and of the embedder on its model. `query` is for queries with metadata and `get`; `write` is for put, delete and the listing of keys. */
export const VECTOR_ACTIONS = {
  query: ['s3vectors:QueryVectors', 's3vectors:GetVectors'],
  write: ['s3vectors:PutVectors', 's3vectors:DeleteVectors', 's3vectors:ListVectors'],
  embed: ['bedrock:InvokeModel'],
} as const;
