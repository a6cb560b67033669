import { isText } from '@sallyport/core/internal';
import { defineOptions, kind, list, text, withMethods } from '@sallyport/core/options';
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
import type { CallOptions, ListKeysInput, Metadata, QueryHit, QueryInput, Store, VectorData } from '../store/store.js';
import { normalizeTopK, validateRequiredMetadata } from '../store/validators.js';
import { Owner } from './internal/owner.js';

/** A string with its key. The string is not stored: add it to the metadata, with a key that filters cannot use. */
export interface SemanticRecord {
  /** Unique in the index of the tenant. */
  readonly key: string;
  /** The embedded string. */
  readonly text: string;
  /** Metadata of the vector. */
  readonly metadata?: Metadata;
}

/** The arguments of a search. */
export interface SemanticQuery extends Omit<QueryInput, 'vector'> {
  /** The string for which similar strings are searched. */
  readonly text: string;
}

/** An index of strings that finds the strings with the most similar meaning. */
export interface SemanticIndex {
  /** Embeds and writes records in slices of 500. When a slice fails, `progress` of the error lists the written keys. */
  putText(records: readonly SemanticRecord[], options?: CallOptions): Promise<void>;
  /** Removes records. Missing keys are ignored. */
  deleteText(keys: readonly string[], options?: CallOptions): Promise<void>;
  /** Returns the records with the most similar strings, the most similar first. */
  queryText(query: SemanticQuery, options?: CallOptions): Promise<QueryHit[]>;
  /** Returns the keys of the index in pages, in any order. Reads the keys of all tenants of the store. */
  listKeys(input?: ListKeysInput, options?: CallOptions): AsyncIterable<string[]>;
  /**
   * Removes all records whose key begins with a prefix, such as the parts of a document before it is indexed again. Lists all keys of
   * the store.
   *
   * @returns the number of removed records
   * @throws VectorStoreError `vectorstore.invalid_input` for an empty prefix
   * @example await index.deleteByPrefix(`${documentId}/`);
   */
  deleteByPrefix(prefix: string, options?: CallOptions): Promise<number>;
}

/** Options of {@link createSemanticIndex}. */
export interface SemanticIndexOptions {
  /** The store of the vectors. */
  readonly store: Store;
  /** Creates vectors from strings. */
  readonly embedder: Embedder;
  /**
   * The tenant of the records. It is part of every key and of every filter, so a record of another tenant is never replaced, read,
   * removed or found, regardless of the caller's keys and filters. It is also the metadata `tenant` of every record. `false`: all
   * records of the store belong to one owner. The option is required, so that it cannot be omitted by mistake.
   */
  readonly tenant: string | false;
  /** Number of dimensions; store and embedder must have the same. Default: the dimension of the store. */
  readonly dimension?: number;
  /** Metadata keys that every record must have, in addition to the store's required keys. Default: none. */
  readonly requiredMetadata?: readonly string[];
}

/** Validators and defaults for {@link SemanticIndexOptions}. */
export const SEMANTIC_INDEX_OPTIONS = /* @__PURE__ */ defineOptions<SemanticIndexOptions>()(
  {
    store: withMethods<Store>('put', 'delete', 'query', 'listKeys').required(),
    embedder: withMethods<Embedder>('embed', 'embedBatch').required(),
    tenant: kind<string | false>('the id of a tenant, or false', isTenant).required(),
    dimension: dimensionOption,
    requiredMetadata: list(text()).default([]),
  },
  { fail: invalidConfig },
);

function isTenant(value: unknown): boolean {
  return value === false || (isText(value) && value.trim() === value && value.isWellFormed());
}

/**
 * Creates an index that stores and finds text by its meaning, for one tenant: `embedder` converts text to vectors, and `store` stores them.
 * Create it in each request with the caller's tenant; no call is sent until you use it.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option, or if the dimensions of store and embedder differ
 * @example
 * const index = createSemanticIndex({ store, embedder, tenant: ctx.tenantId });
 * await index.putText([{ key: 'note-1', text: 'Milk, one litre', metadata: { author: 'ada' } }]);
 * const hits = await index.queryText({ text: 'what to buy', topK: 3, filter: { author: 'ada' } });
 */
export function createSemanticIndex(options: SemanticIndexOptions): SemanticIndex {
  const { store, embedder, tenant, requiredMetadata, ...given } = SEMANTIC_INDEX_OPTIONS.parse(options);
  const dimension = given.dimension ?? store.settings.dimension;
  for (const [name, has] of [
    ['store', store.settings.dimension],
    ['embedder', embedder.dimensions],
  ] as const) {
    if (has !== dimension) throw invalidConfig(`the dimension is ${dimension}, and the ${name} has ${has}`);
  }
  return new JoinedIndex(store, embedder, new Owner(tenant, store.settings), requiredMetadata);
}

class JoinedIndex implements SemanticIndex {
  readonly #store: Store;
  readonly #embedder: Embedder;
  readonly #owner: Owner;
  readonly #requiredMetadata: readonly string[];

  constructor(store: Store, embedder: Embedder, owner: Owner, requiredMetadata: readonly string[]) {
    this.#store = store;
    this.#embedder = embedder;
    this.#owner = owner;
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
        const { done: written, unknown } = this.#owner.progressOf(error);
        throw withProgress(error, { total: records.length, done: [...done, ...written], unknown });
      }
      done.push(...slice.map(({ key }) => key));
    }
  }

  async deleteText(keys: readonly string[], options?: CallOptions): Promise<void> {
    if (!Array.isArray(keys)) throw invalidInput('at least one key is required');
    try {
      await this.#store.delete({ keys: keys.map((key) => this.#owner.toKey(key)) }, options);
    } catch (error) {
      if (!(error instanceof VectorStoreError) || error.progress === undefined) throw error;
      throw withProgress(error, { total: error.progress.total, ...this.#owner.progressOf(error) });
    }
  }

  async *listKeys(input: ListKeysInput = {}, options?: CallOptions): AsyncGenerator<string[]> {
    assertInput(input, 'input');
    const { prefix = '' } = input;
    if (typeof prefix !== 'string') throw invalidInput('prefix must be a string');
    for await (const keys of this.#store.listKeys({ prefix: this.#owner.prefix + prefix }, options)) {
      yield keys.map((key) => this.#owner.fromKey(key));
    }
  }

  async deleteByPrefix(prefix: string, options?: CallOptions): Promise<number> {
    if (!isText(prefix)) throw invalidInput('prefix is required');
    const keys: string[] = [];
    for await (const page of this.listKeys({ prefix }, options)) keys.push(...page);
    if (keys.length > 0) await this.deleteText(keys, options);
    return keys.length;
  }

  async queryText(query: SemanticQuery, options?: CallOptions): Promise<QueryHit[]> {
    assertInput(query, 'query');
    const { text: sought, topK, filter, returnMetadata } = query;
    if (!isText(sought)) throw invalidInput('query text is required');
    parseFilter(filter, this.#store.settings.nonFilterableKeys);
    const wanted = {
      topK: normalizeTopK(topK),
      returnMetadata: returnMetadata === true,
      ...this.#owner.filterOf(filter),
    };
    const vector = await embedding(this.#embedder.embed(sought, options), options);
    return this.#owner.own(await this.#store.query({ ...wanted, vector }, options));
  }

  /** Checks all records before the first record is embedded. */
  #check(records: readonly SemanticRecord[]): void {
    if (!Array.isArray(records) || records.length === 0) throw invalidInput('at least one semantic record is required');
    assertDifferentKeys(records);
    for (const record of records) {
      assertRecord(this.#owner.toStored(record), this.#store.settings);
      if (!isText(record.text)) throw invalidInput('semantic text is required');
      validateRequiredMetadata(record.metadata, this.#requiredMetadata);
    }
  }

  async #putSlice(slice: readonly SemanticRecord[], options: CallOptions): Promise<void> {
    const texts = slice.map(({ text: input }) => input);
    const vectors = await embedding(this.#embedder.embedBatch(texts, options), options);
    if (!Array.isArray(vectors) || vectors.length !== slice.length) {
      throw new VectorStoreError(ERROR_CODE_EMBEDDING_FAILED, 'embedding count mismatch');
    }
    const records = slice.map((record, at) => {
      return { ...this.#owner.toStored(record), data: vectors[at] as VectorData };
    });
    await this.#store.put({ records }, options);
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
