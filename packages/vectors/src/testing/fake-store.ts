import { systemClock } from '@sallyport/core';
import { defineOptions, integer } from '@sallyport/core/options';
import { invalidConfig, VectorStoreError } from '../errors.js';
import { MemoryBackend } from '../local/internal/memory-backend.js';
import type { KeyPage, Page, PageQuery, StoredVector, VectorBackend } from '../store/internal/backend.js';
import { ChunkedStore } from '../store/internal/chunked-store.js';
import { INDEX_KINDS, toSettings } from '../store/internal/index-options.js';
import type { DistanceMetric, Store } from '../store/store.js';

/** Options of {@link createFakeVectorStore}. */
export interface FakeVectorStoreOptions {
  /** Number of dimensions of each vector, 1 to 4,096. */
  readonly dimension: number;
  /** The distance metric. Default `cosine`. */
  readonly metric?: DistanceMetric;
  /** Metadata keys that every record must have. Default: none. */
  readonly requiredMetadata?: readonly string[];
  /** Metadata keys that filters cannot use; at most 10. Default: none. */
  readonly nonFilterableKeys?: readonly string[];
  /** Maximum number of vectors, 1 to 1,000,000. Default 100,000. */
  readonly maxVectors?: number;
}

/** The operations of a store. */
export type VectorOperation = 'put' | 'get' | 'delete' | 'query' | 'list';

/** One call with valid arguments. */
export interface VectorCall {
  /** The method; `queryPages` counts as `query`, `listKeys` as `list`. */
  readonly operation: VectorOperation;
  /** The argument of the call. */
  readonly input: object;
}

/** A store in memory that records its calls, and fails on demand. */
export interface FakeVectorStore extends Store {
  /** The number of vectors. */
  readonly size: number;
  /** The calls with valid arguments in order, at most the first 10,000; a copy. */
  calls(): readonly VectorCall[];
  /** Makes the next requests of an operation fail; one request without `times`. Default: `vectorstore.unavailable`, retryable. */
  failNext(operation: VectorOperation, error?: Error, options?: { readonly times?: number }): void;
  /** Makes the next put fail after it has written the given number of records. */
  partialAfter(records: number): void;
}

const OPTIONS = /* @__PURE__ */ defineOptions<FakeVectorStoreOptions>()(
  { ...INDEX_KINDS, maxVectors: integer(1, 1_000_000).default(100_000) },
  { fail: invalidConfig },
);

const MAX_CALLS = 10_000;

/**
 * A store for the tests of an application: real filters, distances and limits in memory, and failures on demand.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option
 * @example
 * const store = createFakeVectorStore({ dimension: 3 });
 * store.failNext('put');
 */
export function createFakeVectorStore(options: FakeVectorStoreOptions): FakeVectorStore {
  const { maxVectors, ...index } = OPTIONS.parse(options);
  return new FakeStore(new FailingBackend(index.metric, maxVectors), toSettings(index));
}

class FakeStore extends ChunkedStore implements FakeVectorStore {
  readonly #backend: FailingBackend;
  readonly #calls: VectorCall[];

  constructor(backend: FailingBackend, settings: Store['settings']) {
    const calls: VectorCall[] = [];
    const onCall = (operation: VectorOperation, input: object) => {
      if (calls.length < MAX_CALLS) calls.push({ operation, input });
    };
    super(backend, settings, { concurrency: 1, requestTimeoutMs: 60_000, clock: systemClock, onCall });
    this.#backend = backend;
    this.#calls = calls;
  }

  get size(): number {
    return this.#backend.size;
  }

  calls(): readonly VectorCall[] {
    return [...this.#calls];
  }

  failNext(operation: VectorOperation, error?: Error, options?: { readonly times?: number }): void {
    this.#backend.failNext(operation, error, options);
  }

  partialAfter(records: number): void {
    this.#backend.partialAfter(records);
  }
}

/** A memory backend that fails on demand. */
class FailingBackend extends MemoryBackend implements VectorBackend {
  readonly #failures: { readonly operation: VectorOperation; readonly error: Error; left: number }[] = [];
  #writable = Number.POSITIVE_INFINITY;

  failNext(
    operation: VectorOperation,
    error: Error = unavailable(),
    { times = 1 }: { readonly times?: number } = {},
  ): void {
    this.#failures.push({ operation, error, left: times });
  }

  partialAfter(records: number): void {
    this.#writable = records;
  }

  override async put(records: readonly StoredVector[]): Promise<void> {
    this.#fail('put');
    const written = records.slice(0, this.#writable);
    await super.put(written);
    this.#writable -= written.length;
    if (written.length === records.length) return;
    this.#writable = Number.POSITIVE_INFINITY;
    throw new PartialWrite();
  }

  override async get(keys: readonly string[]): Promise<readonly StoredVector[]> {
    this.#fail('get');
    return super.get(keys);
  }

  override async delete(keys: readonly string[]): Promise<void> {
    this.#fail('delete');
    return super.delete(keys);
  }

  override async query(query: PageQuery, from: unknown): Promise<Page> {
    this.#fail('query');
    return super.query(query, from);
  }

  override async list(from: unknown): Promise<KeyPage> {
    this.#fail('list');
    return super.list(from);
  }

  override toError(cause: unknown): Error {
    return cause instanceof PartialWrite ? unavailable() : super.toError(cause);
  }

  override wasRefused(cause?: unknown): boolean {
    return !(cause instanceof PartialWrite);
  }

  #fail(operation: VectorOperation): void {
    const failure = this.#failures.find((one) => one.operation === operation && one.left > 0);
    if (failure === undefined) return;
    failure.left -= 1;
    throw failure.error;
  }
}

/** A part of a chunk was written; the store does not report which part. */
class PartialWrite extends Error {}

function unavailable(): VectorStoreError {
  return new VectorStoreError('vectorstore.unavailable', 'vector store unavailable', { retryable: true });
}
