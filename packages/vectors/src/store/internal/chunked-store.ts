import type { FullClock } from '@sallyport/core';
import { withDeadline } from '@sallyport/core/internal';
import { ERROR_CODE_NOT_FOUND, invalidInput, VectorStoreError, type WriteProgress } from '../../errors.js';
import { failureOf, type Outcome, runBounded } from '../../internal/bounded.js';
import { MAX_GET_BATCH_SIZE, MAX_PUT_DELETE_BATCH_SIZE } from '../../schema.js';
import type {
  CallOptions,
  DeleteInput,
  GetInput,
  GetOutput,
  ListKeysInput,
  PutInput,
  QueryHit,
  QueryInput,
  Store,
  VectorIndexSettings,
  VectorRecord,
} from '../store.js';
import { normalizeTopK, toVector, validateKey } from '../validators.js';
import type { PageQuery, StoredVector, VectorBackend } from './backend.js';
import { chunkKeys, chunkRecords } from './chunks.js';
import { parseFilter } from './filters.js';
import { assertInput, toStoredVectors } from './records.js';

/** Settings of a {@link ChunkedStore}. */
export interface RequestSettings {
  /** Concurrent requests of one call. */
  readonly concurrency: number;
  /** Milliseconds for all attempts of one request. */
  readonly requestTimeoutMs: number;
  readonly clock: FullClock;
  /** Called for every call with valid arguments, before its first request. */
  readonly onCall?: (operation: 'put' | 'get' | 'delete' | 'query' | 'list', input: object) => void;
}

/**
 * A store over any backend: checks every argument first, splits calls into requests, limits the time of each request, and reports
 * the progress of writes.
 */
export class ChunkedStore implements Store {
  readonly settings: VectorIndexSettings;
  readonly #backend: VectorBackend;
  readonly #requests: RequestSettings;

  constructor(backend: VectorBackend, settings: VectorIndexSettings, requests: RequestSettings) {
    this.settings = settings;
    this.#backend = backend;
    this.#requests = requests;
  }

  async put(input: PutInput, { signal }: CallOptions = {}): Promise<void> {
    const records = toStoredVectors(input, this.settings);
    this.#requests.onCall?.('put', input);
    await this.#write(
      chunkRecords(records),
      ({ key }) => key,
      signal,
      (chunk, inner) => this.#backend.put(chunk, inner),
    );
  }

  async get(input: GetInput, { signal }: CallOptions = {}): Promise<GetOutput> {
    const keys = toKeys(input);
    const { returnMetadata = true, requireAll = false } = input;
    this.#requests.onCall?.('get', input);
    signal?.throwIfAborted();
    const found = new Map<string, StoredVector>();
    const outcomes = await this.#forEach(chunkKeys(keys, MAX_GET_BATCH_SIZE), async (chunk) => {
      const records = await this.#request(signal, (inner) => this.#backend.get(chunk, returnMetadata, inner));
      for (const record of records) found.set(record.key, record);
    });
    const failure = failureOf(outcomes);
    if (failure) throw failure.error;
    const missing = keys.filter((key) => !found.has(key));
    if (requireAll && missing.length > 0) {
      throw new VectorStoreError(ERROR_CODE_NOT_FOUND, `${missing.length} of ${keys.length} vectors not found`);
    }
    return { records: keys.flatMap((key) => toRecords(found.get(key), returnMetadata)), missing };
  }

  async delete(input: DeleteInput, { signal }: CallOptions = {}): Promise<void> {
    const keys = toKeys(input);
    this.#requests.onCall?.('delete', input);
    const chunks = chunkKeys(keys, MAX_PUT_DELETE_BATCH_SIZE);
    await this.#write(
      chunks,
      (key) => key,
      signal,
      (chunk, inner) => this.#backend.delete(chunk, inner),
    );
  }

  async query(input: QueryInput, options: CallOptions = {}): Promise<QueryHit[]> {
    const hits: QueryHit[] = [];
    for await (const page of this.queryPages(input, options)) hits.push(...page);
    return hits;
  }

  async *queryPages(input: QueryInput, { signal }: CallOptions = {}): AsyncGenerator<QueryHit[]> {
    const query = this.#toQuery(input);
    this.#requests.onCall?.('query', input);
    signal?.throwIfAborted();
    let left = query.topK;
    let from: unknown;
    do {
      const page = await this.#request(signal, (inner) => this.#backend.query(query, from, inner));
      if (page.next !== undefined && page.next === from) throw endless();
      const hits = page.hits.slice(0, left);
      left -= hits.length;
      from = page.next;
      yield hits;
    } while (from !== undefined && left > 0);
  }

  async *listKeys(input: ListKeysInput = {}, { signal }: CallOptions = {}): AsyncGenerator<string[]> {
    assertInput(input, 'input');
    const { prefix = '' } = input;
    if (typeof prefix !== 'string') throw invalidInput('prefix must be a string');
    this.#requests.onCall?.('list', input);
    signal?.throwIfAborted();
    let from: unknown;
    do {
      const page = await this.#request(signal, (inner) => this.#backend.list(from, inner));
      if (page.next !== undefined && page.next === from) throw endless();
      from = page.next;
      const keys = page.keys.filter((key) => key.startsWith(prefix));
      if (keys.length > 0) yield keys;
    } while (from !== undefined);
  }

  #toQuery(input: QueryInput): PageQuery {
    assertInput(input, 'query');
    const { dimension, metric, nonFilterableKeys } = this.settings;
    return {
      vector: toVector(input.vector, dimension, metric),
      topK: normalizeTopK(input.topK),
      filter: parseFilter(input.filter, nonFilterableKeys),
      returnMetadata: input.returnMetadata === true,
    };
  }

  /** Writes all chunks. If one fails, the chunks in progress are awaited, so that the error can report their outcome. */
  async #write<T>(
    chunks: readonly (readonly T[])[],
    keyOf: (item: T) => string,
    signal: AbortSignal | undefined,
    write: (chunk: readonly T[], signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    signal?.throwIfAborted();
    const refused = new Set<number>();
    const outcomes = await this.#forEach(chunks, (chunk, index) =>
      this.#request(
        signal,
        (inner) => write(chunk, inner),
        () => refused.add(index),
      ),
    );
    const failure = failureOf(outcomes);
    if (!failure) return;
    signal?.throwIfAborted();
    const keys = chunks.map((chunk) => chunk.map(keyOf));
    throw withProgress(failure.error, progressOf(keys, outcomes, refused));
  }

  #forEach<T>(items: readonly T[], run: (item: T, index: number) => Promise<void>): Promise<readonly Outcome[]> {
    return runBounded(items, { limit: this.#requests.concurrency }, run);
  }

  /** One request within its deadline; `onRefusal` is called if it was certainly not applied. */
  async #request<T>(
    signal: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<T>,
    onRefusal?: () => void,
  ): Promise<T> {
    const { requestTimeoutMs: ms, clock } = this.#requests;
    try {
      await this.#backend.open?.();
    } catch (error) {
      onRefusal?.();
      throw error;
    }
    try {
      return await withDeadline<T>({ ms, clock, signal }, run);
    } catch (error) {
      signal?.throwIfAborted();
      if (this.#backend.wasRefused(error)) onRefusal?.();
      throw this.#backend.toError(error);
    }
  }
}

/** The keys of a call, each once. */
function toKeys(input: GetInput | DeleteInput): readonly string[] {
  assertInput(input, 'input');
  if (!Array.isArray(input.keys) || input.keys.length === 0) throw invalidInput('at least one key is required');
  for (let at = 0; at < input.keys.length; at += 1) validateKey(input.keys[at] as string);
  return [...new Set(input.keys)];
}

function toRecords(record: StoredVector | undefined, returnMetadata: boolean): VectorRecord[] {
  if (record === undefined) return [];
  const { key, data, metadata } = record;
  return [{ key, data, ...(returnMetadata && metadata && { metadata }) }];
}

function progressOf(
  chunks: readonly (readonly string[])[],
  outcomes: readonly Outcome[],
  refused: ReadonlySet<number>,
): WriteProgress {
  const keysWhere = (wanted: (outcome: Outcome | undefined, index: number) => boolean) =>
    chunks.filter((_, index) => wanted(outcomes[index], index)).flat();
  return {
    total: chunks.flat().length,
    done: keysWhere((outcome) => outcome?.state === 'done'),
    unknown: keysWhere((outcome, index) => outcome?.state === 'failed' && !refused.has(index)),
  };
}

/** The same error with the progress of the call. */
export function withProgress(error: unknown, progress: WriteProgress): unknown {
  if (!(error instanceof VectorStoreError)) return error;
  const { code, message, retryable, cause } = error;
  const text = message.slice(message.indexOf(': ') + 2);
  return new VectorStoreError(code, text, { retryable, progress, ...(cause !== undefined && { cause }) });
}

function endless(): VectorStoreError {
  return new VectorStoreError('vectorstore.unavailable', 'the service answered with the same page token again');
}
