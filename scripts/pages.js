import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/**
 * Builds the web pages that the server serves into `dist/pages`: the console, and the API reference with its script and
 * guides. Copying the script keeps its package, and the 240 MB that it depends on, out of the image. Files in `assets`
 * have a hash in their name, so that browsers can keep them.
 */
const root = path.resolve(import.meta.dirname, '..');
const pages = path.join(root, 'dist/pages');
const compressed = ['.css', '.html', '.js', '.json', '.svg'];
const minimumBytes = 1_024;

/** Leaves samples for curl, TypeScript (`fetch`) and Python (`requests`, `httpx`). */
const hiddenClients = {
  shell: ['httpie', 'wget'],
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  python: ['aiohttp', 'httpx_async', 'python3'],
  ...Object.fromEntries(
    'c clojure csharp dart fsharp go http java julia kotlin node objc ocaml php powershell r ruby rust swift'
      .split(' ')
      .map((language) => [language, true]),
  ),
};

/** Options of Scalar for all documents: no request leaves this server, and no link leads to Scalar's own products. */
const options = {
  agent: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
};
const customCss = `
.section-column:has(> .sticky-cards) { display: none !important; }
.section-columns > .section-column { max-width: 60rem; flex: 1; }`;
/** The guides have no operations, so nothing to download or authenticate for. */
const guideOptions = { ...options, documentDownloadType: 'none', customCss };

await build({ root: path.join(root, 'console'), logLevel: 'warn' });

// Shows the documents that the page lists in its configuration.
const start = `Scalar.createApiReference('#reference', JSON.parse(document.querySelector('#configuration').textContent));`;
const docs = path.join(pages, 'docs');
const scalar = readFileSync(path.join(root, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'), 'utf8');
const script = `${scalar}\n${start}\n`;
const scriptName = `assets/reference-${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`;
mkdirSync(path.join(docs, 'assets'), { recursive: true });
writeFileSync(path.join(docs, scriptName), script);
writeFileSync(path.join(docs, 'index.html'), referencePage(`/docs/${scriptName}`));

for (const [name, file] of [
  ['guide', 'docs/integration-guide.md'],
  ['errors', 'docs/errors.md'],
]) {
  const document = documentOf(readFileSync(path.join(root, file), 'utf8'), name);
  writeFileSync(path.join(docs, `${name}.json`), JSON.stringify(document));
}

// Compressed once, because the proxy does not compress and the script of the reference takes 0.2 s.
for (const name of readdirSync(pages, { recursive: true })) {
  const file = path.join(pages, name);
  if (!compressed.includes(path.extname(file))) continue;
  const content = readFileSync(file);
  if (content.length < minimumBytes) continue;
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
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

/** Returns the page of the API reference, which Scalar fills. The server replaces `{{apiKey}}` by the key of the demo. */
function referencePage(script) {
  const forPartners = { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token: '{{apiKey}}' } } };
  const forAdmins = { preferredSecurityScheme: 'adminToken' };
  const configurations = [
    { ...options, title: 'Public API', slug: 'public', url: '/openapi.json', authentication: forPartners },
    { ...options, title: 'Admin API', slug: 'admin', url: '/admin/openapi.json', authentication: forAdmins },
    { ...guideOptions, title: 'Integration guide', slug: 'guide', url: '/docs/guide.json' },
    { ...guideOptions, title: 'Errors', slug: 'errors', url: '/docs/errors.json' },
  ];
  // The policy forbids inline scripts, but not data blocks.
  const json = JSON.stringify(configurations).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <script id="configuration" type="application/json">${json}</script>
    <script src="${script}"></script>
  </body>
</html>
`;
}
