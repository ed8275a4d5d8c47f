import type { NestExpressApplication } from '@nestjs/platform-express';
import { pagePolicy, StaticFiles } from './static-files.js';

/** Serves the admin console: its files, and its page at all other paths, which the page itself routes. */
export function serveConsole(app: NestExpressApplication): void {
  const files = new StaticFiles('console');
  const router = app.getHttpAdapter().getInstance();
  router.get('/console{/*path}', (request, response) => {
    const name = request.path.slice('/console/'.length);
    // A missing asset is one of another version, for which a browser must not get the page.
    const isFile = files.has(name) || name.startsWith('assets/');
    response.setHeader('Content-Security-Policy', pagePolicy);
    files.send(request, response, isFile ? name : 'index.html');
  });
}
