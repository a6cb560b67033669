import { availableParallelism } from 'node:os';

export default {
  testMatch: ['<rootDir>/{packages,examples,tools}/*/test/**/*.test.ts', '<rootDir>/scripts/**/*.test.ts'],
  // Instruments of research run on demand: `npm run lab:test`.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/scripts/lab/'],
  testEnvironment: 'node',
  // Real servers and compilers on a busy two-core machine: only a test that hangs takes longer. Only runs on demand have another limit.
  testTimeout: 600_000,
  // One more than there are cores: many files wait for a browser, DynamoDB Local or other processes. They start first (`sequencer.mjs`).
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/scripts/jest/sequencer.mjs',
  // Modules of a test file remain in memory until its process exits: one process for all files fills its heap and gets slower with each.
  workerIdleMemoryLimit: '1GB',
  testEnvironmentOptions: { customExportConditions: ['@sallyport/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  resolver: '<rootDir>/scripts/jest-resolver.cjs',
  // Test data in the form of separate services is not part of the workspace.
  modulePathIgnorePatterns: [
    '<rootDir>/.*/dist/',
    '<rootDir>/packages/migrate/test/golden/',
    '<rootDir>/packages/migrate/test/services/',
    '<rootDir>/packages/create-sallyport/templates/',
  ],
  transform: {
    '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: '<rootDir>/tsconfig.jest.json', diagnostics: false }],
  },
  setupFiles: ['<rootDir>/scripts/quiet-logs.mjs'],
  setupFilesAfterEnv: ['<rootDir>/scripts/jest/failure.mjs'],
  // One DynamoDB Local for the whole run, started by the first test that uses it.
  globalSetup: '<rootDir>/tools/dynamodb-local/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/tools/dynamodb-local/jest/global-teardown.mjs',
  reporters: ['default', '<rootDir>/scripts/totals-reporter.mjs'],
};
