import { readFileSync } from 'node:fs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { adminDocumentFile, publicDocumentFile } from './paths.js';

/**
 * Publishes the committed OpenAPI documents, and a page that shows the public one and can send requests. They are
 * read, not made, so that what is served is what was reviewed, and the start is not slowed down.
 */
export function serveDocuments(app: NestExpressApplication): void {
  const publicDocument = read(publicDocumentFile);
  const adminDocument = read(adminDocumentFile);
  const router = app.getHttpAdapter().getInstance();
  router.get('/openapi.json', (_request, response) => void response.json(publicDocument));
  router.get('/admin/openapi.json', (_request, response) => void response.json(adminDocument));
  SwaggerModule.setup('docs', app, publicDocument, {
    customSiteTitle: publicDocument.info.title,
    raw: false,
  });
}

function read(file: string): OpenAPIObject {
  return JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
}
