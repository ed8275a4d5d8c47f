import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express, Request, Response } from 'express';
import { sendEnvelope } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { packageRoot } from '../package.js';

/** The generated documents in the repository. */
export const publicDocumentFile = path.join(packageRoot, 'openapi', 'public.json');
export const adminDocumentFile = path.join(packageRoot, 'openapi', 'admin.json');

const pageFolder = path.join(packageRoot, 'node_modules', 'swagger-ui-dist');
const pageFiles = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
];
/** Paths that Nest's Swagger module serves: the page, and the script with the document. */
const servedByNest: ReadonlySet<string> = new Set(['/', '/swagger-ui-init.js']);

/**
 * Serves the committed OpenAPI documents and a Swagger UI page for the public one. The documents are not generated at
 * startup, so that the served version is the reviewed one and the start stays fast.
 */
export function serveDocuments(app: NestExpressApplication): void {
  const router = app.getHttpAdapter().getInstance();
  const publicDocument = parse(publicDocumentFile);
  for (const [route, document] of [
    ['/openapi.json', publicDocument],
    ['/admin/openapi.json', parse(adminDocumentFile)],
  ] as const) {
    const body = Buffer.from(JSON.stringify(document));
    router.get(route, (_request, response) => void response.type('json').end(body));
  }
  servePageFiles(router);
  SwaggerModule.setup('docs', app, publicDocument, { customSiteTitle: publicDocument.info.title, raw: false });
}

/** Serves the files of Swagger UI from memory, in one call each, so that a slow client keeps no file open. */
function servePageFiles(router: Express): void {
  const bodies = new Map(pageFiles.map((name) => [`/${name}`, readFileSync(path.join(pageFolder, name))]));
  router.use('/docs', (request: Request, response: Response, next: () => void) => {
    const body = bodies.get(request.path);
    if (servedByNest.has(request.path)) next();
    else if (body !== undefined) response.type(path.extname(request.path)).end(body);
    else sendEnvelope(request, response, new ServiceError(errorCatalogue.routeNotFound));
  });
}

function parse(file: string): OpenAPIObject {
  return JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
}
