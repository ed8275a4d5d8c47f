import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Request, type Response } from 'express';
import { sendEnvelope } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { packageRoot } from '../package.js';

/** The pages that the build writes. `npm run start:dev` has none. */
export const pagesFolder = path.join(packageRoot, 'dist', 'pages');

/** Content-Security-Policy of the pages: only files and requests of this server. Both frameworks set inline styles. */
export const pagePolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const options = { acceptRanges: false, cacheControl: false, index: false, redirect: false };

/**
 * Serves the files of the API reference and, if it is enabled, the console, which itself routes the paths below
 * `/console` that are not files. The build has compressed them.
 */
export function servePages(app: NestExpressApplication, hasConsole: boolean): void {
  const names = existsSync(pagesFolder) ? readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' }) : [];
  const files = new Set(names.filter((name) => path.extname(name) !== '').map((name) => `/${name}`));
  const send = express.static(pagesFolder, { ...options, setHeaders });
  const serve = (request: Request, response: Response): void => {
    // A missing asset is one of another version, for which a browser must not get the page.
    const isPage = /^\/console(?!\/assets\/)/.test(request.path) && !files.has(request.path);
    const file = isPage ? '/console/index.html' : request.path;
    const isCompressed = files.has(`${file}.gz`) && request.acceptsEncodings('gzip', 'identity') === 'gzip';
    request.url = isCompressed ? `${file}.gz` : file;
    send(request, response, () => {
      response.removeHeader('Content-Encoding');
      sendEnvelope(request, response, new ServiceError(errorCatalogue.routeNotFound));
    });
  };
  const router = app.getHttpAdapter().getInstance();
  router.get('/docs/*path', serve);
  if (hasConsole) router.get('/console{/*path}', serve);
}

/** Lets browsers keep files in `assets`, whose names contain a hash of their content. */
function setHeaders(response: Response, file: string): void {
  const isHashed = path.basename(path.dirname(file)) === 'assets';
  response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('Content-Security-Policy', pagePolicy);
  response.vary('Accept-Encoding');
  if (!file.endsWith('.gz')) return;
  response.setHeader('Content-Encoding', 'gzip');
  response.type(path.extname(file.slice(0, -'.gz'.length)));
}
