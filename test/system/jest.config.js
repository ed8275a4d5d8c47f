import main from '../../jest.config.js';

/**
 * The tests that start processes of their own (`npm run test:system`): servers, databases, Redis, a cluster. They need a
 * redis-server and a caddy on the PATH and take minutes; an argument runs a part (`npm run test:system -- redis`).
 */
export default {
  ...main,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/system/**/*.spec.ts'],
  // One file at a time: what requests are measured to take must not be what another file's fault costs.
  maxWorkers: 1,
  // A cluster starts, breaks and heals within one test.
  testTimeout: 180_000,
  // The table of what each fault cost, above the closing line.
  reporters: ['default', '<rootDir>/test/system/faults/support/figures-reporter.cjs', ...main.reporters.slice(1)],
};
