import config from '../../jest.config.mjs';

// The tests of the lab, which `npm test` leaves out.
export default {
  ...config,
  rootDir: '../..',
  testMatch: ['<rootDir>/scripts/lab/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
