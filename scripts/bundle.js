import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'rolldown';

/**
 * Bundles the compiled files and the packages they need into a few files in `dist/bundle`. Without it, a server loads
 * about 1,500 modules, which takes more than twice as long and twice the CPU time.
 */
const root = path.resolve(import.meta.dirname, '..');
const programs = ['main', 'cli/admin', 'cli/ensure-indexes'];

/** Packages that are not bundled. */
const external = [
  // Has native code.
  'argon2',
  // Starts mongod's watchdog as a process, from a script beside its own code.
  'mongodb-memory-server',
  // Optional packages of Nest and the driver that are not installed.
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
  'class-validator',
  'gcp-metadata',
  'kerberos',
  'mongodb-client-encryption',
  'snappy',
  'socks',
];

/** Drops the source maps of packages, which would take 20 MB in a running server. */
const dropPackageSourceMaps = {
  name: 'drop-package-source-maps',
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
  plugins: [dropPackageSourceMaps],
  output: {
    dir,
    format: 'esm',
    // All in one folder, two levels below the root: src/config/package.ts relies on it.
    entryFileNames: '[name]-program.js',
    chunkFileNames: '[name]-[hash].js',
    // Keeps names, because they appear in the log.
    minify: { compress: true, mangle: false, codegen: true },
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});

// Each program is a file of its own, and its entry only checks the version of Node.js: an older one could fail to load the
// program, or start it and fail later. The entry must run there, so it has only old syntax.
const { engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node);
for (const name of programs.map((program) => path.basename(program))) {
  const entry = `const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  process.stderr.write('Node.js ' + process.versions.node + ' is too old: ${major}.${minor} or later is required.\\n');
  process.exit(1);
}
import('./${name}-program.js');
`;
  await writeFile(path.join(dir, `${name}.js`), entry);
}
