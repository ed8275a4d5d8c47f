import main from '../../jest.config.js';

/**
 * Tests that start processes of their own (`npm run test:system`): servers, databases, Redis, a cluster; `in-process`
 * has those of the application without HTTP, with an injected clock or spied repositories. They require redis-server,
 * caddy and python3 on the PATH and take minutes; an argument selects some (`npm run test:system -- redis`).
 */
export default {
  ...main,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/system/**/*.spec.ts'],
  // One file at a time, so that the faults of one file do not affect the times measured in another.
  maxWorkers: 1,
  // A cluster starts, fails and recovers within one test.
  testTimeout: 180_000,
};
