import { CONNECTION_REGISTRY_OPTIONS } from '../../packages/connections/src/registry/dynamo-registry.js';
import { EMF_SINK_OPTIONS } from '../../packages/core/src/observability/emf-sink.js';
import { ERROR_NOTIFIER_OPTIONS } from '../../packages/core/src/observability/error-notifier.js';
import { LOGGER_OPTIONS } from '../../packages/core/src/observability/logger.js';
import { UPLOAD_GRANTS_OPTIONS } from '../../packages/objectstore/src/grants/grants.js';
import { S3_STORE_OPTIONS } from '../../packages/objectstore/src/store/s3-store.js';
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
  'packages/objectstore/README.md': [
    {
      name: '@sallyport/objectstore#createS3ObjectStore',
      kinds: S3_STORE_OPTIONS.kinds,
      source: 'packages/objectstore/src/store/s3-store.ts',
      type: 'S3ObjectStoreOptions',
    },
    {
      name: '@sallyport/objectstore#createUploadGrants',
      kinds: UPLOAD_GRANTS_OPTIONS.kinds,
      source: 'packages/objectstore/src/grants/grants.ts',
      type: 'UploadGrantsOptions',
    },
  ],
};
