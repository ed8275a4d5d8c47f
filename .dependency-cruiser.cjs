/** Imports point one way; each layer may use what stands to its left and nothing to its right. */
const layers = [
  ['common'],
  ['config', 'dev/embedded-mongod'],
  ['database'],
  ['rate-limit', 'idempotency'],
  ['audit'],
  ['organizations', 'users'],
  ['api-keys', 'auth'],
  ['access'],
  ['seasons'],
  ['teams'],
  ['players'],
  ['schedules'],
  ['statistics'],
  ['dev/demo', 'health'],
  ['platform'],
];

const pathOf = (names) => `^src/(${names.join('|')})/`;

const direction = layers.slice(0, -1).map((layer, index) => ({
  name: `${layer.join('-')}-looks-left`,
  comment: `${layer.join(', ')} must not know a later layer, nor the application that puts all together`,
  severity: 'error',
  from: { path: pathOf(layer) },
  to: {
    path: [
      pathOf(layers.slice(index + 1).flat()),
      '^src/(app\\.setup|app\\.module|main)\\.ts$',
      '^src/(commands|lifecycle|openapi|tracing)/',
    ],
  },
}));

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
        pathNot: '(^src/main\\.ts$|^src/commands/|\\.spec\\.ts$|\\.d\\.ts$)',
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
