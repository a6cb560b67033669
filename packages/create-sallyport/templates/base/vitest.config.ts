import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The bundle is built and the stack put together in tests.
    testTimeout: 60_000,
    // Templates are read by tests of your own, not sent through the checks of CloudFormation.
    env: { CDK_VALIDATION: 'false' },
  },
});
