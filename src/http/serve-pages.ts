import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { sendEnvelope, ServiceError } from '../errors/service-error.js';
import { packageRoot } from '../config/package.js';

/** The pages that the build writes. `npm run start:dev` has none. */
export const pagesFolder = path.join(packageRoot, 'dist', 'pages');

/** Content-Security-Policy of the pages: only files and requests of this server. Both frameworks set inline styles. */
export const pagePolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/**
 * Serves the files of the API reference and, if it is enabled, the console, which itself routes the paths below
 * `/console` that are not files. They are sent from memory, in one call each: a streamed file would end the process if
 * the request's body is malformed. The build has compressed them.
 */
export function servePages(app: NestExpressApplication, hasConsole: boolean): void {
  const names = existsSync(pagesFolder) ? readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' }) : [];
  const files = new Map<string, Buffer>();
  for (const name of names.filter((each) => path.extname(each) !== ''))
    files.set(`/${name}`, readFileSync(path.join(pagesFolder, name)));
  const serve = (request: Request, response: Response): void => {
    // A missing asset belongs to another version. It gets a 404 instead of the page.
    const isPage = /^\/console(?!\/assets\/)/.test(request.path) && !files.has(request.path);
    const name = isPage ? '/console/index.html' : request.path;
    const isCompressed = files.has(`${name}.gz`) && request.acceptsEncodings('gzip', 'identity') === 'gzip';
    const body = files.get(isCompressed ? `${name}.gz` : name);
    if (body === undefined) {
      sendEnvelope(request, response, new ServiceError(errorCatalogue.routeNotFound));
      return;
    }
    // The names in `assets` contain a hash of the content.
    const isHashed = path.dirname(name).endsWith('/assets');
    response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.setHeader('Content-Security-Policy', pagePolicy);
    if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
    response.vary('Accept-Encoding').type(path.extname(name)).end(body);
  };
  const router = app.getHttpAdapter().getInstance();
  router.get('/docs/*path', serve);
  if (hasConsole) router.get('/console{/*path}', serve);
}
