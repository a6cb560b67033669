import type { ErrorTable } from './error-tables.js';

/** The tables of error codes in READMEs, by the README. */
export const ERROR_TABLES: Readonly<Record<string, readonly ErrorTable[]>> = {
  'packages/core/README.md': [
    { name: '@sallyport/core', source: 'packages/core/src/errors/errors.ts', type: 'APP_CODES' },
  ],
  'packages/http/README.md': [
    { name: '@sallyport/http', source: 'packages/http/src/errors.ts', type: 'HttpErrorCode' },
    { name: '@sallyport/http/websocket', source: 'packages/http/src/errors.ts', type: 'WebSocketErrorCode' },
  ],
  'packages/dispatch/README.md': [
    { name: '@sallyport/dispatch', source: 'packages/dispatch/src/errors.ts', type: 'DispatchErrorCode' },
  ],
  'packages/secure/README.md': [
    { name: '@sallyport/secure', source: 'packages/secure/src/errors.ts', type: 'SecureErrorCode' },
  ],
  'packages/streams/README.md': [
    { name: '@sallyport/streams', source: 'packages/streams/src/errors.ts', type: 'StreamsErrorCode' },
  ],
  'packages/appsync/README.md': [
    { name: '@sallyport/appsync', source: 'packages/appsync/src/errors.ts', type: 'AppSyncErrorCode' },
  ],
  'packages/jobs/README.md': [{ name: '@sallyport/jobs', source: 'packages/jobs/src/errors.ts', type: 'JobErrorCode' }],
  'packages/ratelimit/README.md': [
    { name: '@sallyport/ratelimit', source: 'packages/ratelimit/src/errors.ts', type: 'RATE_LIMIT_CODES' },
  ],
  'packages/mcp/README.md': [
    { name: '@sallyport/mcp', source: 'packages/mcp/src/server/errors.ts', type: 'McpErrorCode' },
  ],
  'packages/bundle/README.md': [
    { name: '@sallyport/bundle', source: 'packages/bundle/src/errors.ts', type: 'BundleErrorCode' },
  ],
  'packages/cli/README.md': [
    { name: '@sallyport/cli', source: 'packages/cli/src/internal/errors.ts', type: 'CliErrorCode' },
  ],
  'packages/constructs/README.md': [
    { name: '@sallyport/constructs', source: 'packages/constructs/src/errors.ts', type: 'CONSTRUCT_CODES' },
  ],
  'packages/migrate/README.md': [
    { name: '@sallyport/migrate', source: 'packages/migrate/src/errors.ts', type: 'MigrateErrorCode' },
  ],
  'packages/connections/README.md': [
    { name: '@sallyport/connections', source: 'packages/connections/src/errors.ts', type: 'CONNECTION_ERROR_CODES' },
  ],
  'packages/durable/README.md': [
    { name: '@sallyport/durable', source: 'packages/durable/src/errors.ts', type: 'DURABLE_ERROR_CODES' },
    {
      name: '@sallyport/durable/start',
      source: 'packages/durable/src/start/errors.ts',
      type: 'EXECUTION_SERVICE_CODES',
    },
  ],
  'packages/parameters/README.md': [
    { name: '@sallyport/parameters', source: 'packages/parameters/src/errors.ts', type: 'PARAMETERS_ERROR_CODES' },
  ],
  'packages/triggers/README.md': [
    { name: '@sallyport/triggers', source: 'packages/triggers/src/errors.ts', type: 'TriggersErrorCode' },
  ],
  'packages/microvm/README.md': [
    { name: '@sallyport/microvm', source: 'packages/microvm/src/errors.ts', type: 'MICROVM_CODES' },
  ],
  'packages/objectstore/README.md': [
    { name: '@sallyport/objectstore', source: 'packages/objectstore/src/errors.ts', type: 'OBJECT_STORE_CODES' },
    { name: '@sallyport/objectstore#artifact', source: 'packages/objectstore/src/errors.ts', type: 'ARTIFACT_CODES' },
    {
      name: '@sallyport/objectstore/account',
      source: 'packages/objectstore/src/account/identity.ts',
      type: 'ACCOUNT_CODES',
    },
  ],
  'packages/vectors/README.md': [
    { name: '@sallyport/vectors', source: 'packages/vectors/src/errors.ts', type: 'VECTOR_STORE_CODES' },
  ],
  'packages/testkit/README.md': [
    { name: '@sallyport/testkit', source: 'packages/testkit/src/errors.ts', type: 'TestKitErrorCode' },
  ],
};
