// Assertions for the `expect` of jest and vitest.
export { matchers, type TestkitMatchers } from './matchers/matchers.js';
