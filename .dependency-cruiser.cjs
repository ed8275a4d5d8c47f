/** What other folders build on, in no order among themselves. */
const foundation = '^src/(access|config|errors|http|observability|validation|workarounds)/';
/** Only these may import everything. */
const application = '^src/(cli|dev|lifecycle)/|^src/(main|app\\.module|app\\.setup)\\.ts$';

/** Imports point one way: foundation ← database, rate-limit ← records ← modules ← guards, overload ← application. */
const direction = [
  {
    name: 'foundation-imports-nothing',
    comment: 'Only the application imports the filter, which also handles errors of the database.',
    from: { path: foundation, pathNot: '^src/errors/error\\.filter\\.ts$' },
    to: { path: '^src/', pathNot: foundation },
  },
  {
    name: 'database-and-rate-limit-know-no-feature',
    from: { path: '^src/(database|rate-limit)/' },
    to: { path: '^src/', pathNot: [foundation, '^src/(database|rate-limit)/'] },
  },
  {
    name: 'records-know-no-module',
    comment: 'The services and repositories of modules extend those of src/records.',
    from: { path: '^src/records/' },
    to: { path: '^src/', pathNot: [foundation, '^src/(database|records)/'] },
  },
  {
    name: 'modules-know-no-application',
    from: { path: '^src/modules/' },
    to: { path: application },
  },
  {
    name: 'only-the-application-imports-guards-and-overload',
    comment: 'They authenticate with the services of modules.',
    from: { path: '^src/', pathNot: ['^src/(guards|overload)/', application] },
    to: { path: '^src/(guards|overload)/' },
  },
  {
    name: 'modules-build-on-each-other',
    comment: 'Administration and seasons import no other resource; no-cycles keeps the others in order.',
    from: { path: '^src/modules/(audit|users|organizations|auth|api-keys|health|seasons)/' },
    to: { path: '^src/modules/(teams|players|schedules|statistics)/' },
  },
].map((rule) => ({ ...rule, severity: 'error' }));

module.exports = {
  forbidden: [
    ...direction,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^(console/)?src/.*/index\\.ts$' } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        path: '^(console/)?src/',
        pathNot: '(^(console/)?src/main\\.tsx?$|^src/cli/|\\.spec\\.ts$|\\.d\\.ts$)',
      },
      to: {},
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$|^src/cli/openapi/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/generated/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
