import type { CallOptions, VectorData } from '../store/store.js';

/** Creates vectors from strings: strings with similar meanings get vectors that are close to each other. */
export interface Embedder {
  /** The number of dimensions of each vector. */
  readonly dimensions: number;
  /** Returns the vector of a string, which is trimmed first; a blank string is rejected. */
  embed(text: string, options?: CallOptions): Promise<VectorData>;
  /** Returns the vectors of many strings, in their order. If one string fails, the whole call fails. */
  embedBatch(texts: readonly string[], options?: CallOptions): Promise<VectorData[]>;
}
