import { availableParallelism } from 'node:os';

/** The tests of `npm test`: unit tests in src, and API tests against the built server with a mongod. */
const swc = {
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

// Published as ES modules, which Jest has to transform.
const esmPackages = [
  '@nestjs',
  '@scalar',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@borewit',
  '@tokenizer',
  'p-limit',
  'yocto-queue',
  'https-proxy-agent',
  'agent-base',
  'proxy-agent-negotiate',
];
// Its dynamic import() of Node's own modules needs the transform, too. npm installs it beside Mongoose or inside it.
const driver = ['mongoose/node_modules/mongodb', 'mongodb'];

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/api/**/*.spec.ts'],
  transform: { '^.+\\.(t|j)s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${[...esmPackages, ...driver].join('|')})/)`],
  // Written by the build of a watch run.
  watchPathIgnorePatterns: ['<rootDir>/dist/'],
  resolver: '<rootDir>/test/support/resolver.cjs',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/slowest-first.js',
  // One more worker than cores, because tests mostly wait.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
};
