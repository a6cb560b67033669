import { systemClock } from '@sallyport/core';
import { defineOptions, integer, text } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import { ChunkedStore } from '../store/internal/chunked-store.js';
import { INDEX_KINDS, toSettings } from '../store/internal/index-options.js';
import type { DistanceMetric, Store } from '../store/store.js';
import { MemoryBackend } from './internal/memory-backend.js';
import { SqliteBackend } from './internal/sqlite-backend.js';

/** Options of {@link createLocalVectorStore}. */
export interface LocalVectorStoreOptions {
  /** Number of dimensions of each vector, 1 to 4,096. */
  readonly dimension: number;
  /** The distance metric. Default `cosine`. */
  readonly metric?: DistanceMetric;
  /** Metadata keys that every record must have. Default: none. */
  readonly requiredMetadata?: readonly string[];
  /** Metadata keys that filters cannot use; at most 10. Default: none. */
  readonly nonFilterableKeys?: readonly string[];
  /** A file for the vectors, created if it does not exist. Needs Node 22.13 or later. Default: the vectors are in memory. */
  readonly path?: string;
  /** Maximum number of vectors, 1 to 1,000,000. Default 100,000. */
  readonly maxVectors?: number;
}

/** A store in this process, for development and tests. */
export interface LocalVectorStore extends Store {
  /** The number of vectors. */
  readonly size: number;
  /** Closes the file, or removes the vectors from memory. */
  close(): void;
}

/** Validators and defaults for {@link LocalVectorStoreOptions}. */
export const LOCAL_STORE_OPTIONS = /* @__PURE__ */ defineOptions<LocalVectorStoreOptions>()(
  {
    ...INDEX_KINDS,
    path: text('the path of a file'),
    maxVectors: integer(1, 1_000_000).default(100_000),
  },
  { fail: invalidConfig },
);

/**
 * A store in this process with the limits, filters, distances and errors of S3 Vectors: in memory, or with `path` in a SQLite file
 * that is written with every call. It compares every vector, which is exact, but slow for many vectors.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option, or a file of another dimension, metric or program;
 *   `vectorstore.unsupported_operation` for a `path` on a Node without `node:sqlite`
 * @example
 * const store = createLocalVectorStore({ dimension: 256, path: '.data/notes.vectors' });
 */
export function createLocalVectorStore(options: LocalVectorStoreOptions): LocalVectorStore {
  const { path, maxVectors, ...index } = LOCAL_STORE_OPTIONS.parse(options);
  const settings = toSettings(index);
  const backend =
    path === undefined ? new MemoryBackend(settings.metric, maxVectors) : new SqliteBackend(path, settings, maxVectors);
  return new LocalStore(backend, settings);
}

class LocalStore extends ChunkedStore implements LocalVectorStore {
  readonly #backend: MemoryBackend | SqliteBackend;

  constructor(backend: MemoryBackend | SqliteBackend, settings: Store['settings']) {
    super(backend, settings, LOCAL_REQUESTS);
    this.#backend = backend;
  }

  get size(): number {
    return this.#backend.size;
  }

  close(): void {
    this.#backend.close();
  }
}

/** One request at a time. Requests are synchronous, so they need no time limit. */
const LOCAL_REQUESTS = { concurrency: 1, requestTimeoutMs: 60_000, clock: systemClock };
