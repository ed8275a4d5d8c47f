import { existsSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { pagePolicy, pagesFolder } from './serve-pages.js';
import { packageRoot } from '../config/package.js';

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
    const router = app.getHttpAdapter().getInstance();
    const file = path.join(pagesFolder, 'docs', 'index.html');
    const page = existsSync(file) && readFileSync(file, 'utf8');
    if (page !== false)
      router.get('/docs{/index.html}', (request, response) => {
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

/** Returns whether a browser of this machine has sent the request, and not a tunnel that runs on it. */
function isLocal({ socket, hostname, headers }: Request): boolean {
  const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers;
  const isHere = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
  return !isForwarded && isHere && isLoopback;
}
