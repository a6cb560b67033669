import { CONNECTION_REGISTRY_OPTIONS } from '../../packages/connections/src/registry/dynamo-registry.js';
import { EMF_SINK_OPTIONS } from '../../packages/core/src/observability/emf-sink.js';
import { ERROR_NOTIFIER_OPTIONS } from '../../packages/core/src/observability/error-notifier.js';
import { LOGGER_OPTIONS } from '../../packages/core/src/observability/logger.js';
import { DYNAMO_RATE_LIMITER_OPTIONS } from '../../packages/ratelimit/src/limiter/dynamo-options.js';
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
  'packages/ratelimit/README.md': [
    {
      name: '@sallyport/ratelimit#createDynamoRateLimiter',
      kinds: DYNAMO_RATE_LIMITER_OPTIONS.kinds,
      source: 'packages/ratelimit/src/limiter/dynamo-options.ts',
      type: 'DynamoRateLimiterOptions',
    },
  ],
};
