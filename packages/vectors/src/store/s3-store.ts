import type { Clock } from '@sallyport/core';
import { completeClock, LAMBDA_MAX_TIMEOUT_MS, throwMissing } from '@sallyport/core/internal';
import { defineOptions, func, integer, kind, type ParsedOptions, withMethods } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import { lazyClient, type SdkClient, type SdkConfig } from '../internal/sdk.js';
import { ChunkedStore } from './internal/chunked-store.js';
import { INDEX_KINDS, toSettings } from './internal/index-options.js';
import { type IndexAddress, S3Backend, type S3VectorsSdk } from './internal/s3-backend.js';
import type { DistanceMetric, Store } from './store.js';

/** Options of {@link createS3VectorStore}. Set `indexArn`, or `vectorBucketName` and `indexName`. */
export interface S3VectorStoreOptions {
  /** The name of the vector bucket. */
  readonly vectorBucketName?: string;
  /** The name of the index in the bucket. */
  readonly indexName?: string;
  /** The ARN of the index, instead of bucket and index. */
  readonly indexArn?: string;
  /** Number of dimensions of each vector, 1 to 4,096; the same as in the index. */
  readonly dimension: number;
  /** The distance metric; the same as in the index. Default `cosine`. */
  readonly metric?: DistanceMetric;
  /** Metadata keys that every record must have. Default: none. */
  readonly requiredMetadata?: readonly string[];
  /** Metadata keys that filters cannot use, the same as in the index; at most 10. Default: none. */
  readonly nonFilterableKeys?: readonly string[];
  /** The client of `@aws-sdk/client-s3vectors`. Default: a client of the framework with five attempts, created at the first call. */
  readonly client?: SdkClient;
  /** Configuration of the framework's client: region, credentials, endpoint. */
  readonly config?: SdkConfig;
  /** Loads the AWS package. Default: imports the installed package at the first call. */
  readonly loadSdk?: () => Promise<S3VectorsSdk>;
  /** Concurrent requests of one call, 1 to 16. Default 4. */
  readonly concurrency?: number;
  /** Milliseconds for all attempts of one request, 1 to 900,000. Default 30,000. Loading the AWS package is not counted. */
  readonly requestTimeoutMs?: number;
  /** The clock for requests. Default: the system's clock. */
  readonly clock?: Clock;
}

/**
 * 3 to 63 characters, the first and the last a letter or a digit.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-buckets-naming.html
 */
const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const INDEX_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const INDEX_ARN = /^arn:aws[a-z-]*:s3vectors:[a-z0-9-]+:\d{12}:bucket\/([^/]+)\/index\/([^/]+)$/;

const isName = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

/** Validators and defaults for {@link S3VectorStoreOptions}. */
export const S3_STORE_OPTIONS = /* @__PURE__ */ defineOptions<S3VectorStoreOptions>()(
  {
    vectorBucketName: kind<string>('the name of a vector bucket', isName(BUCKET_NAME)),
    indexName: kind<string>('the name of a vector index', isName(INDEX_NAME)),
    indexArn: kind<string>('the ARN of a vector index', isIndexArn),
    ...INDEX_KINDS,
    client: withMethods<SdkClient>('send'),
    config: kind<SdkConfig>('an object', (value) => typeof value === 'object' && value !== null),
    loadSdk: func<() => Promise<S3VectorsSdk>>(),
    concurrency: integer(1, 16).default(4),
    requestTimeoutMs: integer(1, LAMBDA_MAX_TIMEOUT_MS, 'milliseconds').default(30_000),
    clock: withMethods<Clock>('now'),
  },
  { fail: invalidConfig },
);

function isIndexArn(value: unknown): boolean {
  const [, bucket = '', index = ''] = (typeof value === 'string' && INDEX_ARN.exec(value)) || [];
  return BUCKET_NAME.test(bucket) && INDEX_NAME.test(index);
}

/**
 * Attempts of the framework's client for one request. An index accepts a limited number of vectors in each second; above it, the
 * service answers 429.
 */
const MAX_ATTEMPTS = 5;

const PACKAGE = '@aws-sdk/client-s3vectors';

/**
 * Creates a store that writes vectors to an index of Amazon S3 Vectors and finds the nearest vectors of a query. Its requests time out
 * after 30 s by default. The AWS package is an optional peer dependency and imported at the first call.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option, or if the index has both a name and an ARN, or is missing; its calls
 *   reject with FrameworkError `app.missing_package` without the AWS package
 * @example
 * const store = createS3VectorStore({ vectorBucketName: 'notes', indexName: 'texts', dimension: 1024 });
 * await store.put({ records: [{ key: 'note-1', data: vector, metadata: { lang: 'en' } }] });
 * const hits = await store.query({ vector, topK: 5, filter: { lang: 'en' } });
 */
export function createS3VectorStore(options: S3VectorStoreOptions): Store {
  const parsedOptions = S3_STORE_OPTIONS.parse(options);
  const { client, config, concurrency, requestTimeoutMs, clock } = parsedOptions;
  const { loadSdk = importSdk } = parsedOptions;
  const sdk = lazyClient(
    PACKAGE,
    loadSdk,
    (module) => client ?? (new module.S3VectorsClient({ maxAttempts: MAX_ATTEMPTS, ...config } as never) as SdkClient),
  );
  const settings = toSettings(parsedOptions);
  return new ChunkedStore(new S3Backend(sdk, toAddress(parsedOptions), settings), settings, {
    concurrency,
    requestTimeoutMs,
    clock: completeClock(clock),
  });
}

function importSdk(): Promise<S3VectorsSdk> {
  return import('@aws-sdk/client-s3vectors').catch(throwMissing(PACKAGE)) as Promise<unknown> as Promise<S3VectorsSdk>;
}

function toAddress(options: ParsedOptions<typeof S3_STORE_OPTIONS.kinds>): IndexAddress {
  const { vectorBucketName, indexName, indexArn } = options;
  if (indexArn !== undefined && vectorBucketName === undefined && indexName === undefined) return { indexArn };
  if (indexArn === undefined && vectorBucketName !== undefined && indexName !== undefined) {
    return { vectorBucketName, indexName };
  }
  throw invalidConfig('the index must be named by indexArn, or by vectorBucketName and indexName');
}
