import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests build the bundle and synthesize the stack.
    testTimeout: 60_000,
    // Your own tests check the templates; the CDK's CloudFormation validation is disabled.
    env: { CDK_VALIDATION: 'false' },
  },
});
