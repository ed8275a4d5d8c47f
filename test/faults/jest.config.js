import main from '../../jest.config.js';

/**
 * The tests in which something breaks while requests run (`npm run test:faults`): they need a redis-server and a caddy on
 * the PATH, and minutes. They are kept out of `npm test`, because a fresh machine has none of both.
 */
export default {
  ...main,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/faults/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // One fault at a time: what requests are measured to take must not be what another file's fault costs.
  maxWorkers: 1,
  // A cluster starts, breaks and heals within one test.
  testTimeout: 180_000,
  // The table of what each fault cost, above the closing line.
  reporters: ['default', '<rootDir>/test/faults/support/figures-reporter.cjs', ...main.reporters.slice(1)],
};
