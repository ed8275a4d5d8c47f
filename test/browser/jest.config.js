import main from '../../jest.config.js';

/**
 * Tests of the pages in Chromium (`npm run test:browser`), against the built server. They require chromium-headless-shell
 * of Debian, or another Chromium at CHROMIUM_PATH.
 */
export default {
  ...main,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
  // Two files at a time, because they mostly wait for pages.
  maxWorkers: 2,
  testTimeout: 180_000,
};
