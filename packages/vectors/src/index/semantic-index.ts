import { defineOptions, list, text, withMethods } from '@sallyport/core/options';
import type { Embedder } from '../embedding/embedder.js';
import {
  ERROR_CODE_EMBEDDING_FAILED,
  embeddingErrorCode,
  invalidConfig,
  invalidInput,
  VectorStoreError,
} from '../errors.js';
import { MAX_PUT_DELETE_BATCH_SIZE } from '../schema.js';
import { withProgress } from '../store/internal/chunked-store.js';
import { chunkKeys } from '../store/internal/chunks.js';
import { parseFilter } from '../store/internal/filters.js';
import { dimensionOption } from '../store/internal/index-options.js';
import { assertDifferentKeys, assertInput, assertRecord } from '../store/internal/records.js';
import type { CallOptions, Metadata, QueryHit, QueryInput, Store, VectorData } from '../store/store.js';
import { normalizeTopK, validateRequiredMetadata, validateVector } from '../store/validators.js';

/** A text with its key. The text itself is not stored: put it into the metadata, under a key that filters cannot see. */
export interface SemanticRecord {
  /** Unique in the index. */
  readonly key: string;
  /** The text that is embedded. */
  readonly text: string;
  /** Metadata that is stored with the vector. */
  readonly metadata?: Metadata;
}

/** The arguments of a search. */
export interface SemanticQuery extends Omit<QueryInput, 'vector'> {
  /** The text for which similar texts are searched. */
  readonly text: string;
}

/** An index of texts that finds the texts with the most similar meaning. */
export interface SemanticIndex {
  /** Embeds and writes records in slices of 500. When a slice fails, `progress` of the error lists the written keys. */
  putText(records: readonly SemanticRecord[], options?: CallOptions): Promise<void>;
  /** Removes records. Missing keys are ignored. */
  deleteText(keys: readonly string[], options?: CallOptions): Promise<void>;
  /** Returns the records with the most similar texts, the most similar first. */
  queryText(query: SemanticQuery, options?: CallOptions): Promise<QueryHit[]>;
}

/** Options of {@link createSemanticIndex}. */
export interface SemanticIndexOptions {
  /** The store of the vectors. */
  readonly store: Store;
  /** Makes vectors from texts. */
  readonly embedder: Embedder;
  /** Number of dimensions; store and embedder must have the same. Default: that of the store. */
  readonly dimension?: number;
  /** Metadata keys that every record must have, in addition to those of the store. Default: none. */
  readonly requiredMetadata?: readonly string[];
}

/** The options of {@link createSemanticIndex}. */
export const SEMANTIC_INDEX_OPTIONS = /* @__PURE__ */ defineOptions<SemanticIndexOptions>()(
  {
    store: withMethods<Store>('put', 'delete', 'query').required(),
    embedder: withMethods<Embedder>('embed', 'embedBatch').required(),
    dimension: dimensionOption,
    requiredMetadata: list(text()).default([]),
  },
  { fail: invalidConfig },
);

/**
 * Joins a store and an embedder.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option, or when the dimensions of store and embedder differ
 * @example
 * const index = createSemanticIndex({ store: vectorStoreFromEnv(), embedder: embedderFromEnv() });
 * await index.putText([{ key: 'note-1', text: 'Milk, one litre', metadata: { author: 'ada' } }]);
 * const hits = await index.queryText({ text: 'what to buy', topK: 3, filter: { author: 'ada' } });
 */
export function createSemanticIndex(options: SemanticIndexOptions): SemanticIndex {
  const { store, embedder, requiredMetadata, ...given } = SEMANTIC_INDEX_OPTIONS.parse(options);
  const dimension = given.dimension ?? store.settings.dimension;
  for (const [name, has] of [
    ['store', store.settings.dimension],
    ['embedder', embedder.dimensions],
  ] as const) {
    if (has !== dimension) throw invalidConfig(`the dimension is ${dimension}, and that of the ${name} is ${has}`);
  }
  return new JoinedIndex(store, embedder, requiredMetadata);
}

class JoinedIndex implements SemanticIndex {
  readonly #store: Store;
  readonly #embedder: Embedder;
  readonly #requiredMetadata: readonly string[];

  constructor(store: Store, embedder: Embedder, requiredMetadata: readonly string[]) {
    this.#store = store;
    this.#embedder = embedder;
    this.#requiredMetadata = requiredMetadata;
  }

  async putText(records: readonly SemanticRecord[], options: CallOptions = {}): Promise<void> {
    this.#check(records);
    const done: string[] = [];
    for (const slice of chunkKeys(records, MAX_PUT_DELETE_BATCH_SIZE)) {
      options.signal?.throwIfAborted();
      try {
        await this.#putSlice(slice, options);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof VectorStoreError)) throw error;
        const { done: written = [], unknown = [] } = error.progress ?? {};
        throw withProgress(error, { total: records.length, done: [...done, ...written], unknown });
      }
      done.push(...slice.map(({ key }) => key));
    }
  }

  deleteText(keys: readonly string[], options?: CallOptions): Promise<void> {
    return this.#store.delete({ keys }, options);
  }

  async queryText(query: SemanticQuery, options?: CallOptions): Promise<QueryHit[]> {
    assertInput(query, 'query');
    const { text: sought, topK, filter, returnMetadata } = query;
    if (isBlank(sought)) throw invalidInput('query text is required');
    parseFilter(filter, this.#store.settings.nonFilterableKeys);
    const wanted = { topK: normalizeTopK(topK), returnMetadata: returnMetadata === true, ...(filter && { filter }) };
    const vector = await embedding(this.#embedder.embed(sought, options), options);
    this.#checkVector(vector);
    return this.#store.query({ ...wanted, vector }, options);
  }

  /** Checks all records before the first of them is embedded. */
  #check(records: readonly SemanticRecord[]): void {
    if (!Array.isArray(records) || records.length === 0) throw invalidInput('at least one semantic record is required');
    assertDifferentKeys(records);
    for (const record of records) {
      assertRecord(record, this.#store.settings);
      if (isBlank(record.text)) throw invalidInput('semantic text is required');
      validateRequiredMetadata(record.metadata, this.#requiredMetadata);
    }
  }

  async #putSlice(slice: readonly SemanticRecord[], options: CallOptions): Promise<void> {
    const texts = slice.map(({ text: input }) => input);
    const vectors = await embedding(this.#embedder.embedBatch(texts, options), options);
    if (!Array.isArray(vectors) || vectors.length !== slice.length) {
      throw new VectorStoreError(ERROR_CODE_EMBEDDING_FAILED, 'embedding count mismatch');
    }
    const records = slice.map(({ key, metadata }, at) => {
      const data = vectors[at] as VectorData;
      this.#checkVector(data);
      return { key, data, ...(metadata && { metadata }) };
    });
    await this.#store.put({ records }, options);
  }

  #checkVector(vector: VectorData): void {
    validateVector(vector, this.#store.settings.dimension, this.#store.settings.metric);
  }
}

/** Calls an embedder. Errors of other packages become `embedding_failed`, with the original error as cause. */
async function embedding<T>(answer: Promise<T>, { signal }: CallOptions = {}): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof VectorStoreError) throw cause;
    throw new VectorStoreError(embeddingErrorCode(cause) || ERROR_CODE_EMBEDDING_FAILED, 'embedding failed', { cause });
  }
}

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}
