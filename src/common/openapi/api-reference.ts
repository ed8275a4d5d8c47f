import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { pagePolicy, pagesFolder } from '../http/serve-pages.js';
import { packageRoot } from '../package.js';

/** The generated documents in the repository. */
export const publicDocumentFile = path.join(packageRoot, 'openapi', 'public.json');
export const adminDocumentFile = path.join(packageRoot, 'openapi', 'admin.json');

/** Demo data with which the requests of the API reference succeed unedited. */
export interface DemoValues {
  readonly apiKey: string;
  /** The ID of a demo record for each example ID of the documents. */
  readonly ids: Readonly<Record<string, string>>;
}

/**
 * Serves the committed OpenAPI documents and the API reference, a page that shows them and sends requests. The documents
 * are not generated at startup, so that the served version is the reviewed one and the start stays fast.
 */
@Injectable()
export class ApiReference {
  private readonly documents = new Map<string, string>();
  private demoKey = '';

  /** Adds the routes. */
  serve(app: NestExpressApplication): void {
    const file = path.join(pagesFolder, 'docs', 'index.html');
    const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const router = app.getHttpAdapter().getInstance();
    router.get('/docs', (request, response) => {
      response.setHeader('Content-Security-Policy', pagePolicy);
      response.type('html').end(page.replace('{{apiKey}}', isLocal(request) ? this.demoKey : ''));
    });
    for (const [route, file] of [
      ['/openapi.json', publicDocumentFile],
      ['/admin/openapi.json', adminDocumentFile],
    ] as const) {
      this.documents.set(route, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))));
      router.get(route, (_request, response) => void response.type('json').end(this.documents.get(route)));
    }
  }

  /** Replaces the example IDs of the documents by those of demo records, and fills in the demo key. */
  useDemo({ apiKey, ids }: DemoValues): void {
    this.demoKey = apiKey;
    for (const [route, document] of this.documents) {
      const withIds = Object.entries(ids).reduce((text, [example, id]) => text.replaceAll(example, id), document);
      this.documents.set(route, withIds);
    }
  }
}

/** Returns true if a browser of this machine has sent the request, to which the demo key is shown. */
function isLocal({ socket, hostname }: Request): boolean {
  return (
    /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') && /^(?:localhost|127\..*|\[::1\])$/.test(hostname)
  );
}
