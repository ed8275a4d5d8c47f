import { rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

/**
 * Puts what the compiler made into few files, with the packages that it needs: `dist/bundle`. A server that has to find,
 * read and link some 1,500 modules takes more than twice as long to start, and twice the processor time.
 */
const root = path.resolve(import.meta.dirname, '..');
const programs = ['main', 'commands/admin', 'commands/ensure-indexes'];

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
  'class-transformer/storage',
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

/**
 * An object that begins with those of another (`{ ...one, more }`) gets hidden classes of its own each time it is made, with the V8
 * of Node 20: ten times slower to make than with anything before the dots, slow to read, and garbage that only a whole collection
 * takes away. To name the prototype that it has anyway is something before the dots.
 */
const spreadIntoKnownShapes = {
  name: 'spread into known shapes',
  transform(code, id, { magicString, moduleType }) {
    if (!code.includes('...')) return undefined;
    let changed = false;
    const visitor = new Visitor({
      ObjectExpression({ start, properties }) {
        if (properties[0]?.type !== 'SpreadElement') return;
        if (properties.some(({ key }) => (key?.name ?? key?.value) === '__proto__')) return;
        magicString.appendRight(start + 1, ' __proto__: Object.prototype,');
        changed = true;
      },
    });
    visitor.visit(parseSync(id, code, { lang: moduleType }).program);
    return changed ? { code: magicString } : undefined;
  },
};
const isNode20 = process.versions.node.startsWith('20.');

const dir = path.join(root, 'dist/bundle');
await rm(dir, { recursive: true, force: true });
await build({
  cwd: root,
  input: programs.map((program) => `dist/${program}.js`),
  platform: 'node',
  external: external.map((name) => new RegExp(`^${name}(/|$)`)),
  resolve: { mainFields: ['es2015', 'module', 'main'] },
  plugins: [...(isNode20 ? [spreadIntoKnownShapes] : []), mapOursAlone],
  experimental: { nativeMagicString: true },
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
