import { availableParallelism } from 'node:os';

/** Three kinds of test in one run: units beside the code, integration on a real mongod, contract tests against the built server. */
const swc = {
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

// Published as ES modules, which Jest's own loader has to translate.
const esmPackages = [
  '@nestjs',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@borewit',
  '@tokenizer',
  'p-limit',
  'yocto-queue',
];
// Its dynamic import() of Node's own modules is beyond that loader too; the driver stands beside Mongoose or inside it.
const driver = ['mongoose/node_modules/mongodb', 'mongodb'];

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/redis/', '<rootDir>/test/faults/'],
  transform: { '^.+\\.(t|j)s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${[...esmPackages, ...driver].join('|')})/)`],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Tests mostly wait, for the server that they started or for time to pass: more workers than cores.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
};
