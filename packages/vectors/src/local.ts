/** A store and an embedder for a developer's machine and for tests. */
export { createLocalEmbedder, type LocalEmbedderOptions } from './embedding/local-embedder.js';
export { createLocalVectorStore, type LocalVectorStore, type LocalVectorStoreOptions } from './local/local-store.js';
