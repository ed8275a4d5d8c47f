import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import fastifyApiReference from '@scalar/fastify-api-reference';
import { build } from 'vite';
import { toBruno, toFullText, toYaml } from './documents.js';

/**
 * Builds what the server serves into `dist/pages`: the console, and the API reference with its script, the guide, the
 * examples, the module of the Python client and the package of the TypeScript client. Files in `assets` have a hash in their name, so that browsers can keep
 * them.
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

/** The guide: the name of each page, and its file in the repository. */
const guide = new Map([
  ['quickstart', 'docs/integration-guide/quickstart.md'],
  ['requests', 'docs/integration-guide/requests.md'],
  ['synchronize', 'docs/integration-guide/synchronize.md'],
  ['webhooks', 'docs/integration-guide/webhooks.md'],
  ['spreadsheets', 'docs/integration-guide/spreadsheets.md'],
  ['other-languages', 'docs/integration-guide/other-languages.md'],
  ['errors', 'docs/errors.md'],
  ['typescript', 'clients/typescript/README.md'],
  ['python', 'clients/python/README.md'],
]);

await build({ root: path.join(root, 'console'), logLevel: 'warn' });

// Shows the documents that the page lists in its configuration. Scalar itself does not follow links between them.
const start = `Scalar.createApiReference('#reference', JSON.parse(document.querySelector('#configuration').textContent));
const documentOf = (url) => new URL(url).hash.split('/')[0];
addEventListener('hashchange', ({ oldURL, newURL }) => {
  if (documentOf(oldURL) !== documentOf(newURL)) location.reload();
});`;
const docs = path.join(pages, 'docs');
const script = `${scriptOfScalar()}\n${start}\n`;
const scriptName = `assets/reference-${createHash('sha256').update(script).digest('hex').slice(0, 8)}.js`;
const pageTitles = new Map([...guide].map(([name, file]) => [name, /^# (.*)$/m.exec(readSource(file))[1]]));
mkdirSync(path.join(docs, 'assets'), { recursive: true });
writeFileSync(path.join(docs, scriptName), script);
writeFileSync(path.join(docs, 'index.html'), referencePage(`/docs/${scriptName}`));

for (const [name, file] of guide) {
  writeFileSync(path.join(docs, `${name}.json`), JSON.stringify(documentOf(name, file)));
  writeFileSync(
    path.join(docs, `${name}.md`),
    resolveLinks(file, (page) => `/docs/${page}.md`, '#'),
  );
}
cpSync(path.join(root, 'examples'), path.join(docs, 'examples'), { recursive: true });
cpSync(
  path.join(root, 'clients/python/src/flag_football/__init__.py'),
  path.join(docs, 'examples/python/flag_football.py'),
);
cpSync(path.join(root, 'docs/llms.txt'), path.join(pages, 'llms.txt'));
const publicDocument = JSON.parse(readSource('openapi/public.json'));
const texts = [...guide.keys()].map((name) => readFileSync(path.join(docs, `${name}.md`), 'utf8'));
writeFileSync(path.join(pages, 'llms-full.txt'), toFullText(readSource('docs/llms.txt'), texts, publicDocument));
writeFileSync(path.join(pages, 'openapi.yaml'), toYaml(publicDocument));
writeFileSync(path.join(docs, 'bruno.json'), JSON.stringify(toBruno(publicDocument)));
for (const command of ['run build', `pack --pack-destination ${docs}`])
  // Without scripts, because the client is already generated.
  execFileSync('npm', [...command.split(' '), '--ignore-scripts', '--silent'], {
    cwd: path.join(root, 'clients/typescript'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });

// Compressed once, because the proxy does not compress and the script of the reference takes 0.2 s.
for (const name of readdirSync(pages, { recursive: true })) {
  const file = path.join(pages, name);
  if (!compressed.includes(path.extname(file))) continue;
  const content = readFileSync(file);
  if (content.length < minimumBytes) continue;
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}

/**
 * Returns the script of the reference as Scalar's plugin serves it: `@scalar/api-reference`, which is built from the same
 * sources, depends on 231 packages more.
 */
function scriptOfScalar() {
  const routes = new Map();
  const server = { route: ({ url, handler }) => routes.set(url, handler) };
  const response = { header: () => response, send: (body) => body };
  fastifyApiReference(server, { configuration: { url: '/openapi.json' } }, () => undefined);
  return routes.get('/reference/js/scalar.js')(undefined, response);
}

function readSource(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Returns a page of the guide as an OpenAPI document without operations, which Scalar shows like the others. */
function documentOf(name, file) {
  const [heading] = /^# .*$/m.exec(readSource(file));
  const description = resolveLinks(file, (page) => `/docs#${page}`, '/description/')
    .replaceAll('](#', `](/docs#${name}/description/`)
    .replace(heading, '')
    .replace(/<!--.*?-->/gs, '')
    // The sidebar lists the headings of the first level.
    .replace(/^##/gm, '#');
  return {
    openapi: '3.0.3',
    info: { title: heading.slice(2), version: '', description: description.trim() },
    paths: {},
  };
}

/** Returns the text of a page whose links to other files lead to where the server has them. */
function resolveLinks(file, urlOf, headingSeparator) {
  const pageOf = new Map([...guide].map(([name, each]) => [each, name]));
  return readSource(file).replace(/\]\((?!\w+:|[/#])([^)#]+)(#?)/g, (_link, target, hash) => {
    const linked = path.posix.join(path.posix.dirname(file), target);
    const page = pageOf.get(linked);
    if (page === undefined && !linked.startsWith('examples/')) throw new Error(`${linked} is not served: ${file}`);
    return `](${page === undefined ? `/docs/${linked}` : urlOf(page)}${hash && headingSeparator}`;
  });
}

/** Returns the page of the API reference, which Scalar fills. The server replaces `{{apiKey}}` by the key of the demo. */
function referencePage(script) {
  const forPartners = { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token: '{{apiKey}}' } } };
  const forAdmins = { preferredSecurityScheme: 'adminToken' };
  const configurations = [
    { ...options, title: 'Public API', slug: 'public', url: '/openapi.json', authentication: forPartners },
    { ...options, title: 'Admin API', slug: 'admin', url: '/admin/openapi.json', authentication: forAdmins },
    ...[...pageTitles].map(([slug, title]) => ({ ...guideOptions, title, slug, url: `/docs/${slug}.json` })),
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
