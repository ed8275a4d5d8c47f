import { rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'rolldown';

/**
 * Puts what the compiler made into few files, with the packages that it needs: `dist/bundle`. A server that has to find,
 * read and link some 1,500 modules takes more than twice as long to start, and twice the processor time.
 */
const root = path.resolve(import.meta.dirname, '..');
const programs = ['main', 'cli/admin', 'cli/ensure-indexes'];

/** What stays a package of its own beside the bundle. */
const external = [
  // Native code.
  'argon2',
  // Finds its files beside itself.
  'swagger-ui-dist',
  // What Nest and the driver could use, and is not installed.
  '@aws-sdk/credential-providers',
  '@fastify/static',
  '@fastify/view',
  '@mongodb-js/zstd',
  '@nestjs/microservices',
  '@nestjs/websockets',
  'aws4',
  'class-transformer',
  'class-transformer/storage',
  'class-transformer/cjs/storage',
  'gcp-metadata',
  'kerberos',
  'mongodb-client-encryption',
  'snappy',
  'socks',
];

/** A running server that knows each line of the packages' sources takes 20 MB more. */
const mapOursAlone = {
  name: 'map ours alone',
  transform: {
    filter: { id: /node_modules/ },
    handler: (code) => ({ code, map: { version: 3, names: [], sources: [], mappings: '' } }),
  },
};

const dir = path.join(root, 'dist/bundle');
await rm(dir, { recursive: true, force: true });
await build({
  cwd: root,
  input: programs.map((program) => `dist/${program}.js`),
  platform: 'node',
  external: external.map((name) => new RegExp(`^${name}(/|$)`)),
  resolve: { mainFields: ['es2015', 'module', 'main'] },
  plugins: [mapOursAlone],
  output: {
    dir,
    format: 'esm',
    // All in one folder, two levels below the package's own: see src/common/package.ts.
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Names stay as they are: the log tells them.
    minify: { compress: true, mangle: false, codegen: true },
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});
