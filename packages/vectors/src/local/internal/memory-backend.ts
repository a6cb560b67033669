import { unavailable, VectorStoreError } from '../../errors.js';
import type { KeyPage, Page, PageQuery, StoredVector, VectorBackend } from '../../store/internal/backend.js';
import type { DistanceMetric } from '../../store/store.js';
import { cloneMetadata, cloneVector } from '../../store/validators.js';
import { KEYS_PER_PAGE, searchPage } from './exact-search.js';

/** Vectors in a map. */
export class MemoryBackend implements VectorBackend {
  readonly #vectors = new Map<string, StoredVector>();
  readonly #metric: DistanceMetric;
  readonly #maxVectors: number;

  constructor(metric: DistanceMetric, maxVectors: number) {
    this.#metric = metric;
    this.#maxVectors = maxVectors;
  }

  get size(): number {
    return this.#vectors.size;
  }

  close(): void {
    this.#vectors.clear();
  }

  async put(records: readonly StoredVector[]): Promise<void> {
    const added = records.filter(({ key }) => !this.#vectors.has(key)).length;
    if (this.#vectors.size + added > this.#maxVectors) throw storeIsFull(this.#maxVectors);
    for (const record of records) this.#vectors.set(record.key, record);
  }

  async get(keys: readonly string[]): Promise<readonly StoredVector[]> {
    return keys.flatMap((key) => copyOf(this.#vectors.get(key)));
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#vectors.delete(key);
  }

  async query(query: PageQuery, from: unknown): Promise<Page> {
    const { hits, next } = searchPage(this.#vectors.values(), this.#metric, query, from);
    const copies = hits.map(({ metadata, ...hit }) => ({
      ...hit,
      ...(metadata && { metadata: cloneMetadata(metadata) ?? {} }),
    }));
    return { hits: copies, next };
  }

  async list(from: unknown): Promise<KeyPage> {
    const after = [...this.#vectors.keys()].filter((key) => from === undefined || key > String(from)).sort();
    const keys = after.slice(0, KEYS_PER_PAGE);
    return { keys, next: keys.length < after.length ? keys.at(-1) : undefined };
  }

  toError(cause: unknown): Error {
    return cause instanceof VectorStoreError ? cause : unavailable(cause);
  }

  /** Always true, because a put is atomic. */
  wasRefused(): boolean {
    return true;
  }
}

function copyOf(record: StoredVector | undefined): StoredVector[] {
  if (record === undefined) return [];
  return [{ key: record.key, data: cloneVector(record.data), metadata: cloneMetadata(record.metadata) }];
}

/** The error for more vectors than `maxVectors`. */
export function storeIsFull(maxVectors: number): VectorStoreError {
  return new VectorStoreError('vectorstore.unavailable', `the local store is full: maxVectors is ${maxVectors}`);
}
