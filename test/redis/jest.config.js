import main from '../../jest.config.js';

/**
 * The tests that need a redis-server on the PATH (`npm run test:redis`). They are kept out of `npm test`, because a
 * fresh machine has none.
 */
export default {
  ...main,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/redis/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // One file after the other: what hits are measured to take must not be what other files cost.
  maxWorkers: 1,
};
