import eslint from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** The rules of CONTRIBUTING.md that ESLint can check. `.dependency-cruiser.cjs` checks the direction of imports. */
const readsEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only src/config reads the environment.',
};
const forwardReference = {
  selector: "CallExpression[callee.name='forwardRef']",
  message: 'A forward reference hides a cycle: move the shared rule to the lower module.',
};
/** The subpaths that a package documents are public. */
const innerModule = {
  regex: '^(?!node:|\\.|@scalar/openapi-upgrader/)(@[^/]+/)?[^@/]+/.',
  message: 'A release may change inner modules: use what the package exports, or src/workarounds.',
};
const defaultExport = { selector: 'ExportDefaultDeclaration', message: 'Use named exports.' };

const conditionalHook = {
  selector:
    ':matches(IfStatement, ConditionalExpression, LogicalExpression, SwitchStatement, TryStatement, :matches(For, ForIn, ForOf, While, DoWhile)Statement) CallExpression[callee.name=/^use[A-Z]/]',
  message: 'Call hooks unconditionally, at the top of a component.',
};
const effectWithoutDependencies = {
  selector: 'CallExpression[callee.name=/^use(Effect|LayoutEffect|Memo|Callback)$/][arguments.length<2]',
  message: 'Name the dependencies of the hook.',
};
const rawHtml = { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Let React escape texts.' };

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '**/generated/', 'coverage/', '.data/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.mts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/dot-notation': 'off',
      // Records and responses are plain objects in the shape of their class.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'no-restricted-syntax': ['error', readsEnvironment, forwardReference, defaultExport],
    },
  },
  { files: ['src/**/*.ts'], ignores: ['src/**/*.spec.ts'], rules: { 'max-lines': ['error', 250] } },
  { files: ['src/**/*.controller.ts'], rules: { 'max-lines': ['error', 170] } },
  {
    files: ['src/config/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', forwardReference, defaultExport] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/workarounds/**'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [innerModule] }] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: [
      'src/**/*.schema.ts',
      'src/**/*.repository.ts',
      'src/{database,workarounds}/**',
      'src/dev/embedded-mongod/**',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...['mongoose', 'mongodb'].map((name) => ({
              name,
              message: 'Only schemas, repositories and src/database import Mongoose or the driver.',
            })),
            {
              name: '@nestjs/mongoose',
              allowImportNames: ['MongooseModule'],
              message: 'Only modules, schemas, repositories, src/database and field() use it.',
            },
            {
              name: '@nestjs/swagger',
              importNames: ['PartialType'],
              message: 'UpdateDto, because null would pass every rule of a partial type.',
            },
          ],
        },
      ],
    },
  },
  { files: ['src/validation/dto.ts', 'src/validation/field.ts'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['test/**/*.ts', 'src/**/*.spec.ts', 'bench/peers/nest/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', forwardReference, defaultExport], 'no-restricted-imports': 'off' },
  },
  {
    // Programs for partners to copy, which do not follow the rules of the server.
    files: ['examples/**/*.mts'],
    rules: {
      'no-restricted-syntax': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['console/**/*.ts', 'console/**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { project: './console/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'max-lines': ['error', 200],
      'no-restricted-globals': ['error', 'fetch', 'localStorage', 'sessionStorage'],
      'no-restricted-syntax': ['error', conditionalHook, effectWithoutDependencies, rawHtml, defaultExport],
    },
  },
  {
    // Vite reads the default export.
    files: ['console/vite.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // Its generics are those that the generated calls pass; not all are used.
    files: ['clients/typescript/src/**/*.ts'],
    languageOptions: {
      parserOptions: { project: ['./clients/typescript/tsconfig.json', './clients/typescript/tsconfig.cli.json'] },
    },
    rules: {
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_' }],
    },
  },
  {
    // A program, which has no configuration but the environment.
    files: ['clients/typescript/src/cli/main.ts'],
    rules: { 'no-restricted-syntax': ['error', forwardReference, defaultExport] },
  },
  {
    // They import clients that `scripts/clients.js` generates, so it compiles them.
    files: ['scripts/clients/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { project: false } },
    rules: { 'no-restricted-syntax': 'off' },
  },
  { files: ['**/*.js', '**/*.cjs'], languageOptions: { globals: globals.node } },
);
