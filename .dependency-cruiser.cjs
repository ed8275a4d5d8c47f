/** The root files that put the application together may import everything. */
const anything = '^src/(cli|dev|platform)/|^src/(main|app\\.module|app\\.setup)\\.ts$';

/** Imports point one way: common ← database ← access, rate-limit, idempotency ← synchronization ← modules ← app. */
const direction = [
  {
    name: 'common-imports-nothing',
    comment: 'common must not import other folders.',
    from: { path: '^src/common/' },
    to: { path: '^src/', pathNot: '^src/common/' },
  },
  {
    name: 'database-imports-common',
    comment: 'The database layer knows no feature.',
    from: { path: '^src/database/' },
    to: { path: '^src/', pathNot: '^src/(common|database)/' },
  },
  {
    name: 'access-knows-no-module',
    comment: 'Modules implement what guards and interceptors need: see src/access/authentication.ts.',
    from: { path: '^src/(access|rate-limit|idempotency)/' },
    to: { path: ['^src/(modules|synchronization)/', anything] },
  },
  {
    name: 'synchronization-knows-no-module',
    comment: 'Modules pass their repository and rules: see src/synchronization/record-sync.ts.',
    from: { path: '^src/synchronization/' },
    to: { path: '^src/', pathNot: '^src/(common|database|access|idempotency|synchronization)/' },
  },
  {
    name: 'modules-know-no-application',
    comment: 'Only the application imports the platform, the development tools and the command line.',
    from: { path: '^src/modules/' },
    to: { path: anything },
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
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^src/.*/index\\.ts$' } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: '(^src/main\\.ts$|^src/cli/|\\.spec\\.ts$|\\.d\\.ts$)',
      },
      to: {},
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
