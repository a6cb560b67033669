import { ERROR_CODE_INVALID_INPUT, invalidConfig, unavailable, VectorStoreError } from '../../errors.js';
import type { Opened } from '../../internal/sdk.js';
import type { DistanceMetric } from '../store.js';
import { dimensionMismatch } from '../validators.js';
import type { KeyPage, Page, PageQuery, StoredVector, VectorBackend } from './backend.js';
import { toWireNumbers } from './chunks.js';
import { toWireFilter } from './filters.js';
import { toHit, toMetadata, toNumber, type WireVector } from './wire-values.js';

/** A class of the SDK with any constructor arguments, so that `() => import('@aws-sdk/client-s3vectors')` has the right type. */
type SdkClass = new (input: never) => object;

/** The used part of `@aws-sdk/client-s3vectors`. */
export interface S3VectorsSdk {
  /** The client. */
  readonly S3VectorsClient: SdkClass;
  /** Writes vectors. */
  readonly PutVectorsCommand: SdkClass;
  /** Reads vectors by key. */
  readonly GetVectorsCommand: SdkClass;
  /** Removes vectors. */
  readonly DeleteVectorsCommand: SdkClass;
  /** Searches. */
  readonly QueryVectorsCommand: SdkClass;
  /** Lists keys. */
  readonly ListVectorsCommand: SdkClass;
}

/**
 * Keys of one page, the maximum of the service.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_ListVectors.html
 */
const LIST_PAGE = 1000;

/** Identifies the index by name, or by its ARN. */
export type IndexAddress =
  | { readonly vectorBucketName: string; readonly indexName: string }
  | { readonly indexArn: string };

/** The requests of one index in S3 Vectors. */
export class S3Backend implements VectorBackend {
  readonly #open: () => Promise<Opened<S3VectorsSdk>>;
  readonly #address: IndexAddress;
  readonly #index: { readonly dimension: number; readonly metric: DistanceMetric };

  constructor(
    open: () => Promise<Opened<S3VectorsSdk>>,
    address: IndexAddress,
    index: { readonly dimension: number; readonly metric: DistanceMetric },
  ) {
    this.#open = open;
    this.#address = address;
    this.#index = index;
  }

  async open(): Promise<void> {
    await this.#open();
  }

  async put(records: readonly StoredVector[], signal: AbortSignal): Promise<void> {
    const vectors = records.map(({ key, data, metadata }) => ({
      key,
      data: { float32: toWireNumbers(data) },
      ...(metadata && { metadata }),
    }));
    await this.#send('PutVectorsCommand', { vectors }, signal);
  }

  async get(keys: readonly string[], returnMetadata: boolean, signal: AbortSignal): Promise<readonly StoredVector[]> {
    const answer = await this.#send('GetVectorsCommand', { keys, returnData: true, returnMetadata }, signal);
    return vectorsOf(answer).map(({ key = '', data, metadata }) => ({
      key,
      data: this.#toData(data?.float32),
      metadata: toMetadata(metadata),
    }));
  }

  async delete(keys: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#send('DeleteVectorsCommand', { keys }, signal);
  }

  async query(query: PageQuery, from: unknown, signal: AbortSignal): Promise<Page> {
    const { vector, topK, filter, returnMetadata } = query;
    const input = {
      topK,
      queryVector: { float32: toWireNumbers(vector) },
      ...(filter && { filter: toWireFilter(filter) }),
      returnMetadata,
      returnDistance: true,
      ...(from !== undefined && { nextToken: from }),
    };
    const answer = await this.#sendPage('QueryVectorsCommand', input, signal);
    this.#assertMetric(answer);
    const hits = vectorsOf(answer).map((vector) => {
      const hit = toHit(vector);
      if (hit === undefined) throw brokenAnswer('a hit without its distance');
      return hit;
    });
    return { hits, next: nextOf(answer) };
  }

  async list(from: unknown, signal: AbortSignal): Promise<KeyPage> {
    const input = { maxResults: LIST_PAGE, ...(from !== undefined && { nextToken: from }) };
    const answer = await this.#sendPage('ListVectorsCommand', input, signal);
    const keys = vectorsOf(answer).map(({ key }) => {
      if (typeof key !== 'string') throw brokenAnswer('a vector without its key');
      return key;
    });
    return { keys, next: nextOf(answer) };
  }

  toError(cause: unknown): Error {
    if (cause instanceof VectorStoreError) return cause;
    switch (errorNameOf(cause)) {
      case 'NotFoundException':
        return invalidConfig('vector bucket or index not found', cause);
      case 'ValidationException':
        return new VectorStoreError(ERROR_CODE_INVALID_INPUT, 'the service rejected the request', { cause });
      default:
        return unavailable(cause);
    }
  }

  /** True only for a rejection at the first attempt: an earlier attempt without an answer may have been applied. */
  wasRefused(cause: unknown): boolean {
    const { httpStatusCode: status = 0, attempts = 1 } = metadataOf(cause);
    return status >= 400 && status < 500 && status !== 408 && attempts === 1;
  }

  /** A page token is valid for minutes; the service rejects an old one like any wrong value. */
  async #sendPage(
    name: 'QueryVectorsCommand' | 'ListVectorsCommand',
    input: { readonly nextToken?: unknown },
    signal: AbortSignal,
  ): Promise<object> {
    return this.#send(name, input, signal).catch((error: unknown) => {
      const isOld = input.nextToken !== undefined && errorNameOf(error) === 'ValidationException';
      throw isOld ? unavailable(error, true) : error;
    });
  }

  async #send(
    name: Exclude<keyof S3VectorsSdk, 'S3VectorsClient'>,
    input: object,
    signal: AbortSignal,
  ): Promise<object> {
    const { module, client } = await this.#open();
    const command = new module[name]({ ...this.#address, ...input } as never);
    return ((await client.send(command, { abortSignal: signal })) ?? {}) as object;
  }

  #toData(numbers: readonly unknown[] | undefined): Float32Array {
    if (!Array.isArray(numbers)) throw brokenAnswer('a vector without numbers');
    if (numbers.length !== this.#index.dimension) {
      throw dimensionMismatch(numbers.length, this.#index.dimension);
    }
    return Float32Array.from(numbers, toNumber);
  }

  #assertMetric(answer: object): void {
    const { distanceMetric } = answer as { readonly distanceMetric?: string };
    if (distanceMetric === undefined || distanceMetric === this.#index.metric) return;
    throw invalidConfig(
      `the index does not measure by ${this.#index.metric}; set the option "metric" to the metric of the index`,
    );
  }
}

function nextOf(answer: object): string | undefined {
  const { nextToken } = answer as { readonly nextToken?: string };
  return nextToken === '' ? undefined : nextToken;
}

function vectorsOf(answer: object): readonly WireVector[] {
  const { vectors } = answer as { readonly vectors?: readonly WireVector[] };
  return Array.isArray(vectors) ? vectors : [];
}

function brokenAnswer(what: string): VectorStoreError {
  return new VectorStoreError('vectorstore.unavailable', `the service answered with ${what}`);
}

/** Errors are compared by name, because an injected client may come from another copy of the SDK. */
function errorNameOf(error: unknown): unknown {
  return ((error ?? {}) as { readonly name?: unknown }).name;
}

function metadataOf(error: unknown): { readonly httpStatusCode?: number; readonly attempts?: number } {
  return ((error ?? {}) as { readonly $metadata?: object }).$metadata ?? {};
}
