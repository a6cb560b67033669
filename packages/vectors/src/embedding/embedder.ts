import type { CallOptions, VectorData } from '../store/store.js';

/** Makes vectors from strings: strings with similar meanings get vectors that are close to each other. */
export interface Embedder {
  /** The number of dimensions of each vector. */
  readonly dimensions: number;
  /** Returns the vector of a string. The text is trimmed first; a blank text is rejected. */
  embed(text: string, options?: CallOptions): Promise<VectorData>;
  /** Returns the vectors of many strings, in their order. If one text fails, the whole call fails. */
  embedBatch(texts: readonly string[], options?: CallOptions): Promise<VectorData[]>;
}
