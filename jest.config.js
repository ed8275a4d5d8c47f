import { availableParallelism } from 'node:os';

/** The tests of `npm test`: units beside the code, and the promises of the API against the built server and a mongod. */
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
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/api/**/*.spec.ts'],
  transform: { '^.+\\.(t|j)s$': ['@swc/jest', swc] },
  transformIgnorePatterns: [`/node_modules/(?!(${[...esmPackages, ...driver].join('|')})/)`],
  // A run that watches writes it.
  watchPathIgnorePatterns: ['<rootDir>/dist/'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Tests mostly wait, for the server that they started or for time to pass: more workers than cores.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.cjs'],
};
