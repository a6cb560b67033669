import type { CallOptions, VectorData } from '../store/store.js';

/** Makes vectors from texts: texts with similar meanings get vectors that are close to each other. */
export interface Embedder {
  /** Numbers of each vector. */
  readonly dimensions: number;
  /** The vector of a text. It is trimmed first; a blank text is rejected. */
  embed(text: string, options?: CallOptions): Promise<VectorData>;
  /** The vectors of many texts, in their order. Fails as a whole. */
  embedBatch(texts: readonly string[], options?: CallOptions): Promise<VectorData[]>;
}
