import main from '../../jest.config.js';

/**
 * Tests of the pages in Chromium (`npm run test:browser`), against the built server. They require chromium-headless-shell
 * of Debian, or another Chromium at CHROMIUM_PATH.
 */
export default {
  ...main,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
  // A browser and a server per file take all of two cores.
  maxWorkers: 1,
  testTimeout: 180_000,
};
