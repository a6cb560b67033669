/** Deterministic parts for tests. The root entry does not import them. */
export { vectorStoreConformance } from './testing/conformance.js';
export { createFakeEmbedder, type FakeEmbedder, type FakeEmbedderOptions } from './testing/fake-embedder.js';
export {
  createFakeVectorStore,
  type FakeVectorStore,
  type FakeVectorStoreOptions,
  type VectorCall,
  type VectorOperation,
} from './testing/fake-store.js';
export type { ConformanceCase, ConformanceStoreOptions, VectorStoreHarness } from './testing/harness.js';
