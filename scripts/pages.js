import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/**
 * Builds the web pages that the server serves: the console into `dist/console`, and the API reference's script and guides
 * into `dist/reference`. Copying the script keeps its package, and the 240 MB that it depends on, out of the image. Files
 * in `assets` have a hash in their name, so that browsers can keep them.
 */
const root = path.resolve(import.meta.dirname, '..');
const compressed = ['.css', '.html', '.js', '.json', '.svg'];
const minimumBytes = 1_024;

await build({ root: path.join(root, 'console'), logLevel: 'warn' });

// Shows the documents that the page lists in its configuration.
const start = `Scalar.createApiReference('#reference', JSON.parse(document.querySelector('#configuration').textContent));`;
const assets = path.join(root, 'dist/reference/assets');
const scalar = readFileSync(path.join(root, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'), 'utf8');
const script = `${scalar}\n${start}\n`;
const hash = createHash('sha256').update(script).digest('hex').slice(0, 8);
mkdirSync(assets, { recursive: true });
writeFileSync(path.join(assets, `reference-${hash}.js`), script);

for (const [name, file] of [
  ['guide', 'docs/integration-guide.md'],
  ['errors', 'docs/errors.md'],
]) {
  const document = documentOf(readFileSync(path.join(root, file), 'utf8'), name);
  writeFileSync(path.join(root, 'dist/reference', `${name}.json`), JSON.stringify(document));
}

// Compressed once, because the proxy does not compress and the script of the reference takes 0.2 s.
for (const folder of ['dist/console', 'dist/reference']) {
  for (const name of readdirSync(path.join(root, folder), { recursive: true })) {
    const file = path.join(root, folder, name);
    if (!compressed.includes(path.extname(file))) continue;
    const content = readFileSync(file);
    if (content.length < minimumBytes) continue;
    writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}

/** Returns a page of the documentation as an OpenAPI document without operations, which Scalar shows like the others. */
function documentOf(markdown, name) {
  const [heading] = /^# .*$/m.exec(markdown);
  const description = markdown
    .replace(heading, '')
    .replace(/<!--.*?-->/gs, '')
    .replaceAll('](errors.md)', '](/docs?api=errors)')
    .replaceAll('](#', `](/docs#${name}/description/`)
    // The sidebar lists the headings of the first level.
    .replace(/^##/gm, '#')
    // Other files of the repository are not served.
    .replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1');
  return {
    openapi: '3.0.3',
    info: { title: heading.slice(2), version: '', description: description.trim() },
    paths: {},
  };
}
