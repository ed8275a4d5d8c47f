/** Leaves samples for curl, TypeScript (`fetch`) and Python (`requests`, `httpx`). */
const hiddenClients = {
  shell: ['httpie', 'wget'],
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  python: ['httpx_async', 'python3'],
  ...Object.fromEntries(
    'c clojure csharp dart fsharp go http java kotlin node objc ocaml php powershell r ruby rust swift'
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

/**
 * Formats the page of the API reference, which Scalar fills.
 * @param script URL of Scalar
 * @param apiKey the key that is filled in
 */
export function referencePage(script: string, apiKey: string | undefined): string {
  const forPartners = { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token: apiKey } } };
  const forAdmins = { preferredSecurityScheme: 'adminToken' };
  const configurations = [
    { ...options, title: 'Public API', slug: 'public', url: '/openapi.json', authentication: forPartners },
    { ...options, title: 'Admin API', slug: 'admin', url: '/admin/openapi.json', authentication: forAdmins },
    { ...guideOptions, title: 'Integration guide', slug: 'guide', url: '/docs/guide.json' },
    { ...guideOptions, title: 'Errors', slug: 'errors', url: '/docs/errors.json' },
  ];
  // The page may contain no script, but a script element with data.
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
