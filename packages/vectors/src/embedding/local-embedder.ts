import { defineOptions, integer } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import type { CallOptions, VectorData } from '../store/store.js';
import type { Embedder } from './embedder.js';
import { toText, toTexts } from './internal/texts.js';

/** Options of {@link createLocalEmbedder}. */
export interface LocalEmbedderOptions {
  /** Number of dimensions of an embedding, 8 to 4,096. Default 256. */
  readonly dimensions?: number;
}

/** Validators and defaults for {@link LocalEmbedderOptions}. */
export const LOCAL_EMBEDDER_OPTIONS = /* @__PURE__ */ defineOptions<LocalEmbedderOptions>()(
  { dimensions: integer(8, 4096).default(256) },
  { fail: invalidConfig },
);

const MAX_CHARACTERS = 50_000;

/**
 * An embedder without a model, for development and tests: equal strings always have equal vectors, and strings with common words
 * or parts of words get similar vectors. It does not consider the meaning: `car` and `automobile` get very different vectors.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option
 * @example
 * const index = createSemanticIndex({ store: createLocalVectorStore({ dimension: 256 }), embedder: createLocalEmbedder() });
 */
export function createLocalEmbedder(options: LocalEmbedderOptions = {}): Embedder {
  const { dimensions } = LOCAL_EMBEDDER_OPTIONS.parse(options);
  return {
    dimensions,
    async embed(text: string, { signal }: CallOptions = {}) {
      const input = toText(text, MAX_CHARACTERS);
      signal?.throwIfAborted();
      return embedWords(input, dimensions);
    },
    async embedBatch(texts: readonly string[], { signal }: CallOptions = {}) {
      const inputs = toTexts(texts, MAX_CHARACTERS);
      signal?.throwIfAborted();
      return inputs.map((input) => embedWords(input, dimensions));
    },
  };
}

/** Weights of whole words and of their three-letter parts. Because of the parts, `note` and `notes` are similar. */
const WORD = 2;
const PART = 1;

function embedWords(text: string, dimensions: number): VectorData {
  const sums = new Float64Array(dimensions);
  const add = (feature: string, weight: number) => {
    const hash = hashOf(feature);
    const at = hash % dimensions;
    sums[at] = (sums[at] ?? 0) + ((hash & 0x8000_0000) === 0 ? weight : -weight);
  };
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    add(word, WORD);
    for (let at = 0; at + 3 <= word.length; at += 1) add(`#${word.slice(at, at + 3)}`, PART);
  }
  // Without this the vector could be zero: opposite signs can cancel each other, and some strings have no word.
  if (sums.every((sum) => sum === 0)) add(`=${text}`, 1);
  const length = Math.hypot(...sums);
  return Float32Array.from(sums, (sum) => sum / length);
}

/** FNV-1a over UTF-16 units, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
