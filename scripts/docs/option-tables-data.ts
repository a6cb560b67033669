import { CONNECTION_REGISTRY_OPTIONS } from '../../packages/connections/src/registry/dynamo-registry.js';
import { EMF_SINK_OPTIONS } from '../../packages/core/src/observability/emf-sink.js';
import { ERROR_NOTIFIER_OPTIONS } from '../../packages/core/src/observability/error-notifier.js';
import { LOGGER_OPTIONS } from '../../packages/core/src/observability/logger.js';
import { LOCAL_EMBEDDER_OPTIONS } from '../../packages/vectors/src/embedding/local-embedder.js';
import { TITAN_OPTIONS } from '../../packages/vectors/src/embedding/titan.js';
import { SEMANTIC_INDEX_OPTIONS } from '../../packages/vectors/src/index/semantic-index.js';
import { LOCAL_STORE_OPTIONS } from '../../packages/vectors/src/local/local-store.js';
import { S3_STORE_OPTIONS } from '../../packages/vectors/src/store/s3-store.js';
import type { OptionTable } from './option-tables.js';

/** The tables of options in READMEs, by the README. */
export const OPTION_TABLES: Readonly<Record<string, readonly OptionTable[]>> = {
  'packages/connections/README.md': [
    {
      name: '@sallyport/connections#createDynamoConnectionRegistry',
      kinds: CONNECTION_REGISTRY_OPTIONS.kinds,
      source: 'packages/connections/src/registry/dynamo-registry.ts',
      type: 'DynamoConnectionRegistryOptions',
    },
  ],
  'packages/core/README.md': [
    {
      name: '@sallyport/core#createLogger',
      kinds: LOGGER_OPTIONS.kinds,
      source: 'packages/core/src/observability/logger.ts',
      type: 'LoggerOptions',
    },
    {
      name: '@sallyport/core#createEmfSink',
      kinds: EMF_SINK_OPTIONS.kinds,
      source: 'packages/core/src/observability/emf-sink.ts',
      type: 'EmfSinkOptions',
    },
    {
      name: '@sallyport/core#createErrorNotifier',
      kinds: ERROR_NOTIFIER_OPTIONS.kinds,
      source: 'packages/core/src/observability/error-notifier.ts',
      type: 'ErrorNotifierOptions',
    },
  ],
  'packages/vectors/README.md': [
    {
      name: '@sallyport/vectors#createS3VectorStore',
      kinds: S3_STORE_OPTIONS.kinds,
      source: 'packages/vectors/src/store/s3-store.ts',
      type: 'S3VectorStoreOptions',
    },
    {
      name: '@sallyport/vectors#createTitanEmbedder',
      kinds: TITAN_OPTIONS.kinds,
      source: 'packages/vectors/src/embedding/titan.ts',
      type: 'TitanEmbedderOptions',
    },
    {
      name: '@sallyport/vectors#createSemanticIndex',
      kinds: SEMANTIC_INDEX_OPTIONS.kinds,
      source: 'packages/vectors/src/index/semantic-index.ts',
      type: 'SemanticIndexOptions',
    },
    {
      name: '@sallyport/vectors/local#createLocalVectorStore',
      kinds: LOCAL_STORE_OPTIONS.kinds,
      source: 'packages/vectors/src/local/local-store.ts',
      type: 'LocalVectorStoreOptions',
    },
    {
      name: '@sallyport/vectors/local#createLocalEmbedder',
      kinds: LOCAL_EMBEDDER_OPTIONS.kinds,
      source: 'packages/vectors/src/embedding/local-embedder.ts',
      type: 'LocalEmbedderOptions',
    },
  ],
};
