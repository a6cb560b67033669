import {
  createS3VectorStore,
  createSemanticIndex,
  createTitanEmbedder,
  DEFAULT_QUERY_TOP_K,
  embedderFromEnv,
  embeddingErrorCode,
  type Filter,
  MAX_PUT_DELETE_BATCH_SIZE,
  MAX_QUERY_TOP_K,
  type Metadata,
  normalizeTopK,
  type QueryHit,
  type S3VectorsSdk,
  type SemanticRecord,
  type TitanEmbedderOptions,
  VECTOR_STORE_CODES,
  VectorStoreError,
  type VectorStoreErrorCode,
  validateDimension,
  validateKey,
  validateMetadata,
  validateRequiredMetadata,
  validateVector,
  vectorStoreFromEnv,
} from '@sallyport/vectors';
import { createLocalVectorStore, type LocalVectorStore } from '@sallyport/vectors/local';
import {
  DEFAULT_EMBEDDING_DIMENSIONS,
  DEFAULT_TITAN_EMBED_TEXT_MODEL_ID,
  MAX_GET_BATCH_SIZE,
} from '@sallyport/vectors/schema';
import { createFakeEmbedder } from '@sallyport/vectors/testing';

type Args = Readonly<Record<string, unknown>>;

interface WireRecord {
  readonly key: string;
  readonly data: readonly number[];
  readonly metadata?: Metadata;
}

/** The constants and codes. */
export function limits(): object {
  return {
    default_query_top_k: DEFAULT_QUERY_TOP_K,
    max_query_top_k: MAX_QUERY_TOP_K,
    max_put_delete_batch_size: MAX_PUT_DELETE_BATCH_SIZE,
    max_get_batch_size: MAX_GET_BATCH_SIZE,
    default_embedding_dimensions: DEFAULT_EMBEDDING_DIMENSIONS,
    default_model: DEFAULT_TITAN_EMBED_TEXT_MODEL_ID,
    codes: VECTOR_STORE_CODES,
  };
}

const VALIDATORS: Readonly<Record<string, (args: Args) => void>> = {
  dimension: ({ value }) => validateDimension(value as number),
  key: ({ value }) => validateKey(value as string),
  vector: ({ value, dimension, metric }) =>
    validateVector(value as number[], dimension as number | undefined, metric as 'cosine' | undefined),
  metadata: ({ value, non_filterable_keys = [] }) =>
    validateMetadata(value as Metadata, { nonFilterableKeys: non_filterable_keys as string[] }),
  required_metadata: ({ value, keys }) => validateRequiredMetadata(value as Metadata | undefined, keys as string[]),
};

/** `{ "what": "vector", "values": [{ "value": [1, 2], "dimension": 3 }] }`: for each `"ok"`, or the error's code and message. */
export function validate({ what, values }: Args): unknown[] {
  return (values as Args[]).map((value) => outcomeOf(() => VALIDATORS[String(what)]?.(value)));
}

/** `{ "values": [0, 3.9, null] }`; null is a missing value. */
export function topK({ values }: Args): number[] {
  return (values as (number | null)[]).map((value) => normalizeTopK(value ?? undefined));
}

/** `{ "codes": ["vectorstore.not_found", "another", ""] }`: the code of an embedder that failed so; `""` is not a failure. */
export function embeddingCodes({ codes }: Args): string[] {
  return (codes as string[]).map((code) => {
    if (code === '') return embeddingErrorCode(undefined);
    const isOurs = code.startsWith('vectorstore.');
    return embeddingErrorCode(isOurs ? new VectorStoreError(code as VectorStoreErrorCode, 'any') : new Error(code));
  });
}

/**
 * A store in memory: `{ "index": { "dimension": 3, … }, "records": [ … ], "steps": [{ "call": "query", "vector": [ … ], "filter": { … } }] }`.
 * Distances are rounded to six digits.
 */
export async function storeSteps({ index, records, steps }: Args): Promise<unknown[]> {
  const { dimension, metric = 'cosine', non_filterable_keys = [], required_metadata = [] } = index as Args;
  const store = createLocalVectorStore({
    dimension: dimension as number,
    metric: metric as 'cosine',
    nonFilterableKeys: non_filterable_keys as string[],
    requiredMetadata: required_metadata as string[],
  });
  if (records !== undefined) await store.put({ records: records as WireRecord[] });
  const answers: unknown[] = [];
  for (const step of steps as Args[]) answers.push(await outcomeOfAsync(() => CALLS[String(step.call)]?.(store, step)));
  return answers;
}

const CALLS: Readonly<Record<string, (store: LocalVectorStore, step: Args) => Promise<unknown>>> = {
  put: (store, { records }) => store.put({ records: records as WireRecord[] }),
  delete: (store, { keys }) => store.delete({ keys: keys as string[] }),
  async get(store, { keys, require_all, return_metadata = true }) {
    const input = {
      keys: keys as string[],
      requireAll: require_all === true,
      returnMetadata: return_metadata === true,
    };
    const { records, missing } = await store.get(input);
    return { records: records.map(({ data, ...record }) => ({ ...record, data: [...data] })), missing };
  },
  async query(store, { vector, top_k, filter, return_metadata }) {
    const hits = await store.query({
      vector: vector as number[],
      ...(top_k !== undefined && { topK: top_k as number }),
      ...(filter !== undefined && { filter: filter as Filter }),
      returnMetadata: return_metadata === true,
    });
    return hits.map(toWireHit);
  },
};

function toWireHit({ distance, ...hit }: QueryHit): object {
  return { ...hit, distance: Number(distance.toFixed(6)) };
}

/** Requests of a store, as an AWS client receives them. */
function recordingSdk(): { readonly sdk: S3VectorsSdk; readonly inputs: Record<string, unknown>[] } {
  const inputs: Record<string, unknown>[] = [];
  class Command {
    readonly input: Readonly<Record<string, unknown>>;

    constructor(input: Readonly<Record<string, unknown>>) {
      this.input = input;
    }
  }
  class Client {
    async send({ input }: Command): Promise<object> {
      inputs.push(input);
      return { vectors: [] };
    }
  }
  const sdk = {
    S3VectorsClient: Client,
    PutVectorsCommand: Command,
    GetVectorsCommand: Command,
    DeleteVectorsCommand: Command,
    QueryVectorsCommand: Command,
    ListVectorsCommand: Command,
  };
  return { sdk, inputs };
}

/** `{ "dimension": 1024, "count": 5000, "text_bytes": 0 }`: the number of records in each request of a put, the largest first. */
export async function putSizes({ dimension, count, text_bytes = 0 }: Args): Promise<number[]> {
  const { sdk, inputs } = recordingSdk();
  const store = createS3VectorStore({
    vectorBucketName: 'bucket',
    indexName: 'index',
    dimension: dimension as number,
    nonFilterableKeys: ['text'],
    loadSdk: async () => sdk,
  });
  const data = new Float32Array(dimension as number).fill(1);
  const text = 'x'.repeat(Number(text_bytes));
  const records = Array.from({ length: Number(count) }, (_, at) => ({
    key: `key-${String(at).padStart(6, '0')}`,
    data,
    ...(text !== '' && { metadata: { text } }),
  }));
  await store.put({ records });
  return inputs.map(({ vectors }) => (vectors as unknown[]).length).toSorted((left, right) => right - left);
}

/** `{ "filter": { … } }`: the sent filter. */
export async function sentFilter({ filter }: Args): Promise<unknown> {
  const { sdk, inputs } = recordingSdk();
  const names = { vectorBucketName: 'bucket', indexName: 'index' };
  const store = createS3VectorStore({ ...names, dimension: 1, loadSdk: async () => sdk });
  await store.query({ vector: [1], filter: filter as Filter });
  return inputs[0]?.filter;
}

/** `{ "text": "…", "options": { … }, "answer": "…" }`: the request to the model, and the length of its vector. */
export async function embed({ text, options = {}, answer }: Args): Promise<object> {
  let sent: unknown;
  class Command {
    constructor(input: unknown) {
      sent = input;
    }
  }
  class Client {
    async send(): Promise<object> {
      return { body: new TextEncoder().encode(String(answer)) };
    }
  }
  const loadSdk = async () => ({ BedrockRuntimeClient: Client, InvokeModelCommand: Command });
  const embedder = createTitanEmbedder({ ...(options as TitanEmbedderOptions), loadSdk });
  const vector = await embedder.embed(text as string);
  const { modelId, contentType, accept, body } = sent as Readonly<Record<string, string>>;
  return { model_id: modelId, content_type: contentType, accept, body, length: vector.length };
}

/** `{ "vectors": { "milk": [1, 0] }, "records": [ … ], "query": { … } }` on an empty index in memory. */
export async function semanticSteps({
  vectors,
  records,
  query,
  tenant = false,
  required_metadata = [],
}: Args): Promise<unknown> {
  const [first = []] = Object.values(vectors as Readonly<Record<string, readonly number[]>>);
  const dimensions = first.length;
  const embedder = createFakeEmbedder({ dimensions, vectors: vectors as Record<string, number[]>, fallback: 'fail' });
  const store = createLocalVectorStore({ dimension: dimensions });
  const index = createSemanticIndex({
    store,
    embedder,
    tenant: tenant as string | false,
    requiredMetadata: required_metadata as string[],
  });
  await index.putText(records as SemanticRecord[]);
  const { text, top_k, filter } = query as Args;
  const hits = await index.queryText({
    text: text as string,
    ...(top_k !== undefined && { topK: top_k as number }),
    ...(filter !== undefined && { filter: filter as Filter }),
  });
  return hits.map(toWireHit);
}

/**
 * `{ "vectors": { … }, "puts": [{ "tenant": "acme", "records": [ … ] }], "query": { "tenant": "acme", "text": "…" }, "remove": { … } }`
 * on one store in memory: the stored keys, the hits of the tenant, and the stored keys after its records with a prefix were
 * removed.
 */
export async function tenantSteps({ vectors, puts, query, remove }: Args): Promise<unknown> {
  const [first = []] = Object.values(vectors as Readonly<Record<string, readonly number[]>>);
  const dimensions = first.length;
  const embedder = createFakeEmbedder({ dimensions, vectors: vectors as Record<string, number[]>, fallback: 'fail' });
  const store = createLocalVectorStore({ dimension: dimensions });
  const indexOf = (tenant: unknown) => createSemanticIndex({ store, embedder, tenant: tenant as string | false });
  for (const { tenant, records } of puts as readonly Args[]) await indexOf(tenant).putText(records as SemanticRecord[]);
  const storedKeys = async () => {
    const keys: string[] = [];
    for await (const page of store.listKeys()) keys.push(...page);
    return keys.sort();
  };
  const stored = await storedKeys();
  const { tenant, text, filter } = query as Args;
  const wanted = {
    text: text as string,
    returnMetadata: true,
    ...(filter !== undefined && { filter: filter as Filter }),
  };
  const hits = await indexOf(tenant).queryText(wanted);
  const { tenant: owner, prefix } = remove as Args;
  const removed = await indexOf(owner).deleteByPrefix(prefix as string);
  return { stored, hits: hits.map(toWireHit), removed, left: await storedKeys() };
}

/** `{ "environment": { … } }`: the settings of the store, or of the embedder with `"what": "embedder"`. */
export function fromEnvironment({ what, environment }: Args): object {
  const variables = environment as Readonly<Record<string, string>>;
  if (what === 'embedder') return { dimensions: embedderFromEnv(variables).dimensions };
  const { dimension, metric } = vectorStoreFromEnv(variables).settings;
  return { dimension, metric };
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return run() ?? 'ok';
  } catch (error) {
    return failure(error);
  }
}

async function outcomeOfAsync(run: () => Promise<unknown> | undefined): Promise<unknown> {
  try {
    return (await run()) ?? 'ok';
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): object {
  const { code, message } = error as VectorStoreError;
  return { code, message };
}
