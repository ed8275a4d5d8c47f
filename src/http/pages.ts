import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Configuration } from '../config/configuration.js';
import { packageRoot } from '../config/package.js';
import { sendEnvelope, ServiceError } from '../errors/service-error.js';

/** The generated documents in the repository. */
export const publicDocumentFile = path.join(packageRoot, 'openapi', 'public.json');
export const publicDocument31File = path.join(packageRoot, 'openapi', 'public-3.1.json');
export const adminDocumentFile = path.join(packageRoot, 'openapi', 'admin.json');

/** The pages that the build writes. `npm run start:dev` has none. */
const pagesFolder = path.join(packageRoot, 'dist', 'pages');

const consolePage = '/console/index.html';

/** Files that browsers show as text. */
const textFiles = ['.go', '.java', '.md', '.mts', '.py'];

/** Documents for tools that need the URL of the server: `{{origin}}`. Each with its route, file and type. */
const documents: readonly (readonly [string, string, string])[] = [
  ['/openapi.json', publicDocumentFile, 'json'],
  ['/openapi-3.1.json', publicDocument31File, 'json'],
  ['/admin/openapi.json', adminDocumentFile, 'json'],
  ['/openapi.yaml', `${pagesFolder}/openapi.yaml`, 'application/yaml'],
  ['/docs/bruno.json', `${pagesFolder}/docs/bruno.json`, 'json'],
];

/** The slash of a link, in HTML, JSON or Markdown, from a page to another one of this server. */
const ownLink = /(?<=["(])\/(?=(?:console|docs|openapi|admin\/openapi|llms)\b)/g;

/** Content-Security-Policy of the pages: only files and requests of this server. Both frameworks set inline styles. */
const pagePolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Demo data with which the requests of the API reference succeed unedited. */
export interface DemoValues {
  readonly apiKey: string;
  /** The ID of a demo record for each example ID of the documents. */
  readonly ids: Readonly<Record<string, string>>;
}

/**
 * Serves the committed OpenAPI documents, the API reference, a page that shows them and sends requests, and the console.
 * The documents are not generated at startup, so that the served version is the reviewed one and the start stays fast.
 */
@Injectable()
export class Pages {
  private readonly documents = new Map<string, string>();
  private demoKey = '';

  serve(
    app: NestExpressApplication,
    { servesConsole, publicUrl, basePath }: Pick<Configuration, 'servesConsole' | 'publicUrl' | 'basePath'>,
  ): void {
    const router = app.getHttpAdapter().getInstance();
    const files = listPages();
    if (files.has('/docs/index.html'))
      router.get('/docs{/index.html}', (request, response) => {
        const reference = contents.memo('/docs/index.html').toString();
        response.setHeader('Content-Security-Policy', pagePolicy);
        response.type('html').end(reference.replace('{{apiKey}}', isLocal(request) ? this.demoKey : ''));
      });
    const withBase = (text: string) => text.replaceAll(ownLink, `${basePath}/`);
    // Not in the files with a hash in their name, which have no such links.
    for (const name of basePath === '' ? [] : files) {
      if (!/(?<!\/assets\/[^/]*)\.(?:html|json|md|txt)$/.test(name)) continue;
      contents.set(name, Buffer.from(withBase(readFileSync(pagesFolder + name, 'utf8'))));
      files.delete(`${name}.gz`);
    }
    const send = (request: Request, response: Response) => sendPage(files, request, response);
    // Before the other pages, because their text depends on the server.
    for (const [route, file, type] of documents) {
      const isBuilt = file.startsWith(pagesFolder);
      if (isBuilt && !files.has(route)) continue;
      const text = withBase(readFileSync(file, 'utf8'));
      const withServer = () => JSON.stringify({ ...(JSON.parse(text) as object), servers: [{ url: '{{origin}}' }] });
      this.documents.set(route, isBuilt ? text : withServer());
      router.get(route, (request, response) => {
        const origin = publicUrl ?? `${request.protocol}://${request.host}`;
        response.type(type).end(this.documents.get(route)?.replace('{{origin}}', () => origin));
      });
    }
    router.get(['/docs/*path', '/llms.txt', '/llms-full.txt'], send);
    if (servesConsole) router.get('/console{/*path}', send);
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

/** The files of the pages by their paths, read once they are requested. All together take 6 MB. */
const contents = new LRUCache<string, Buffer>({ max: 1_000, memoMethod: (name) => readFileSync(pagesFolder + name) });

function listPages(): Set<string> {
  const names = existsSync(pagesFolder) ? readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' }) : [];
  return new Set(names.filter((name) => path.extname(name) !== '').map((name) => `/${name}`));
}

/**
 * Sends a file of the API reference or the console, which itself routes the paths below `/console` that are not files.
 * Sends it from memory, in one call: a streamed file would end the process if the request's body is malformed. The build
 * has compressed the files.
 */
function sendPage(files: ReadonlySet<string>, request: Request, response: Response): void {
  // A missing asset belongs to another version. It gets a 404 instead of the page.
  const isPage = /^\/console(?!\/assets\/)/.test(request.path) && !files.has(request.path);
  const name = isPage ? consolePage : request.path;
  const isCompressed = files.has(`${name}.gz`) && request.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (!files.has(name)) {
    sendEnvelope(request, response, new ServiceError('routeNotFound'));
    return;
  }
  // Before the headers, which an error must not have.
  const body = contents.memo(isCompressed ? `${name}.gz` : name);
  // The names in `assets` contain a hash of the content.
  const isHashed = path.dirname(name).endsWith('/assets');
  response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('Content-Security-Policy', pagePolicy);
  if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
  const extension = path.extname(name);
  response
    .vary('Accept-Encoding')
    .type(textFiles.includes(extension) ? 'txt' : extension)
    .end(body);
}

/** Returns whether a browser of this machine has sent the request, and not a tunnel that runs on it. */
function isLocal({ socket, hostname, headers }: Request): boolean {
  const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers;
  const isHere = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  const isLoopback =
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
  return !isForwarded && isHere && isLoopback;
}
