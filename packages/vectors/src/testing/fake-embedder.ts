import { defineOptions, integer, kind, oneOf } from '@sallyport/core/options';
import type { Embedder } from '../embedding/embedder.js';
import { toText, toTexts } from '../embedding/internal/texts.js';
import { createLocalEmbedder } from '../embedding/local-embedder.js';
import { ERROR_CODE_EMBEDDING_FAILED, invalidConfig, VectorStoreError } from '../errors.js';
import type { CallOptions, VectorData, VectorInput } from '../store/store.js';
import { cloneVector } from '../store/validators.js';

/** Options of {@link createFakeEmbedder}. */
export interface FakeEmbedderOptions {
  /** Number of dimensions of an embedding, 1 to 4,096. Default 256. */
  readonly dimensions?: number;
  /** Vectors by trimmed string. Default: none. */
  readonly vectors?: Readonly<Record<string, VectorInput>>;
  /**
   * The result for a string that is not in `vectors`: a vector of its words (`local`, at least 8 dimensions), or an error
   * (`fail`). Default `local`.
   */
  readonly fallback?: 'local' | 'fail';
}

/** An embedder without a model that records the embedded strings. */
export interface FakeEmbedder extends Embedder {
  /** The embedded strings in order, at most the first 10,000; a copy. */
  readonly calls: readonly string[];
}

const OPTIONS = /* @__PURE__ */ defineOptions<FakeEmbedderOptions>()(
  {
    dimensions: integer(1, 4096).default(256),
    vectors: kind<Readonly<Record<string, VectorInput>>>(
      'an object',
      (value) => typeof value === 'object' && value !== null,
    ),
    fallback: oneOf('local', 'fail').default('local'),
  },
  { fail: invalidConfig },
);

const MAX_CALLS = 10_000;
const MAX_CHARACTERS = 50_000;

/**
 * An embedder for the tests of an application.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option
 * @example
 * const embedder = createFakeEmbedder({ dimensions: 3, vectors: { milk: [1, 0, 0] }, fallback: 'fail' });
 */
export function createFakeEmbedder(options: FakeEmbedderOptions = {}): FakeEmbedder {
  const { dimensions, vectors = {}, fallback } = OPTIONS.parse(options);
  const local = fallback === 'local' ? createLocalEmbedder({ dimensions }) : undefined;
  const calls: string[] = [];
  const one = async (text: string): Promise<VectorData> => {
    if (calls.length < MAX_CALLS) calls.push(text);
    const known = Object.hasOwn(vectors, text) ? vectors[text] : undefined;
    if (known) return cloneVector(known);
    if (local) return local.embed(text);
    throw new VectorStoreError(ERROR_CODE_EMBEDDING_FAILED, 'embedding not found');
  };
  return {
    dimensions,
    get calls() {
      return [...calls];
    },
    async embed(text: string, { signal }: CallOptions = {}) {
      const input = toText(text, MAX_CHARACTERS);
      signal?.throwIfAborted();
      return one(input);
    },
    async embedBatch(texts: readonly string[], { signal }: CallOptions = {}) {
      const inputs = toTexts(texts, MAX_CHARACTERS);
      signal?.throwIfAborted();
      return Promise.all(inputs.map(one));
    },
  };
}
