export type { Embedder } from './embedding/embedder.js';
export type { BedrockSdk } from './embedding/internal/model.js';
export { createTitanEmbedder, type TitanEmbedderOptions } from './embedding/titan.js';
export {
  ERR_DIMENSION_MISMATCH,
  ERR_EMBEDDING_FAILED,
  ERR_INVALID_CONFIG,
  ERR_INVALID_INPUT,
  ERR_INVALID_VECTOR,
  ERR_NOT_FOUND,
  ERR_UNSUPPORTED_OPERATION,
  ERROR_CODE_DIMENSION_MISMATCH,
  ERROR_CODE_EMBEDDING_FAILED,
  ERROR_CODE_INVALID_CONFIG,
  ERROR_CODE_INVALID_INPUT,
  ERROR_CODE_INVALID_VECTOR,
  ERROR_CODE_NOT_FOUND,
  ERROR_CODE_UNSUPPORTED_OPERATION,
  embeddingErrorCode,
  isVectorStoreError,
  VECTOR_STORE_CODES,
  VectorStoreError,
  type VectorStoreErrorCode,
  type VectorStoreErrorInit,
  type WriteProgress,
} from './errors.js';
export {
  createSemanticIndex,
  type SemanticIndex,
  type SemanticIndexOptions,
  type SemanticQuery,
  type SemanticRecord,
} from './index/semantic-index.js';
export type { SdkClient, SdkConfig } from './internal/sdk.js';
export { DEFAULT_QUERY_TOP_K, MAX_PUT_DELETE_BATCH_SIZE, MAX_QUERY_TOP_K } from './schema.js';
export { embedderFromEnv, vectorStoreFromEnv } from './store/from-env.js';
export type { S3VectorsSdk } from './store/internal/s3-backend.js';
export { createS3VectorStore, type S3VectorStoreOptions } from './store/s3-store.js';
export type {
  CallOptions,
  DeleteInput,
  DistanceMetric,
  Filter,
  FilterOperators,
  GetInput,
  GetOutput,
  ListKeysInput,
  Metadata,
  Primitive,
  PutInput,
  QueryHit,
  QueryInput,
  Store,
  VectorData,
  VectorIndexSettings,
  VectorInput,
  VectorRecord,
  VectorRecordInput,
} from './store/store.js';
export {
  cloneMetadata,
  cloneVector,
  type MetadataRules,
  normalizeTopK,
  validateDimension,
  validateKey,
  validateMetadata,
  validateRequiredMetadata,
  validateVector,
} from './store/validators.js';
