import { expectError } from '../support/expectations.js';
import { referenceScript } from '../support/pages.js';
import { RunningServer } from '../support/server.js';

const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

describe('the pages', () => {
  const server = RunningServer.forTests();
  let assets: string[];
  const page = (path: string) =>
    server
      .call('get', path)
      .expect(200)
      .expect('Content-Type', /^text\/html/);
  /** Returns a text file; of a JSON document or a package, only that it is there. */
  const textAt = async (path: string) => {
    const { headers, text } = await server.call('get', path).expect(200);
    const isText = /\.(go|java|md|mts|py|txt)$/.test(path);
    if (isText) expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    return isText ? text : '';
  };
  const file = (path: string, encoding: string) =>
    server.call('get', path).set('Accept-Encoding', encoding).responseType('blob').expect(200);

  beforeAll(async () => {
    const { text } = await page('/console');
    assets = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    assets.push(await referenceScript(server));
  });

  it('include the console, at each of its paths', async () => {
    const { text, headers } = await page('/console');
    expect(text).toContain('<div id="root">');
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-security-policy': policy });
    for (const path of ['/console/', '/console/organizations/1?tab=keys', '/console/no.such.file']) {
      expect((await page(path)).text).toBe(text);
    }
  });

  it('include the API reference', async () => {
    const { text, headers } = await page('/docs');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-security-policy': policy });
    const [, configuration = ''] = /<script id="configuration"[^>]*>(.*?)<\/script>/.exec(text) ?? [];
    const urls = (JSON.parse(configuration) as { url: string }[]).map(({ url }) => url);
    expect(urls).toEqual(expect.arrayContaining(['/openapi.json', '/docs/webhooks.json', '/docs/errors.json']));
    for (const path of [...urls, '/openapi-3.1.json']) {
      await server
        .call('get', path)
        .expect(200)
        .expect('Content-Type', /^application\/json/);
    }
  });

  it('include the guide as text, with everything that it links to', async () => {
    const seen = new Map([['/llms.txt', await textAt('/llms.txt')]]);
    for (const [, text] of seen) {
      const links = [...text.matchAll(/\]\((\/[^)#]+)(#[^)]*)?\)|public-api\}(\/docs\/[^\s"]+)/g)];
      for (const link of links.map(([, linked, , downloaded = '']) => linked ?? downloaded))
        if (!seen.has(link)) seen.set(link, await textAt(link));
    }
    const paths = [...seen.keys()];
    expect(paths.filter((path) => path.endsWith('.tgz'))).toHaveLength(1);
    expect(paths).toEqual(expect.arrayContaining(['/docs/requests.md', '/docs/examples/nightly-sync.mts']));
  });

  it('have files with a hash in their name, which browsers keep', async () => {
    expect(assets.length).toBeGreaterThan(2);
    for (const path of assets) {
      const { headers } = await server.call('head', path).expect(200);
      expect(path).toMatch(/-[\w-]{8}\.(?:css|js)$/);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['content-type']).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
    }
  });

  it('are compressed for clients that accept it', async () => {
    for (const path of assets) {
      const compressed = await file(path, 'br, gzip');
      expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      for (const encoding of ['identity', 'gzip;q=0']) {
        const plain = await file(path, encoding);
        expect(plain.headers).not.toHaveProperty('content-encoding');
        expect((compressed.body as Buffer).equals(plain.body as Buffer)).toBe(true);
        expect(2 * Number(compressed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']));
      }
    }
  });

  it('are small: the console has less than 350,000 compressed bytes', async () => {
    const files = ['/console', ...assets.filter((path) => path.startsWith('/console/'))];
    const sizes = files.map(async (path) => Number((await file(path, 'gzip')).headers['content-length']));
    const sum = (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
    expect(files.length).toBeGreaterThan(2);
    expect(sum).toBeLessThan(350_000);
  });

  it.each(['/console/assets/index-00000000.js', '/docs/assets/..%2f..%2fpackage.json'])(
    'have no file %s',
    async (path) => {
      expectError(await server.call('get', path), 40400);
    },
  );

  it('only accept GET and HEAD', async () => {
    for (const path of ['/console', '/console/keys', '/docs', '/DOCS/', '/llms.txt']) {
      const response = await server.call('post', path);
      expectError(response, 40500);
      expect(response.headers['allow']).toBe('GET, HEAD');
    }
  });

  it('need no credential and name no key without a demo', async () => {
    for (const path of ['/docs', '/docs/', '/docs/index.html']) {
      expect((await page(path)).text).toContain('"token":""');
    }
  });
});
