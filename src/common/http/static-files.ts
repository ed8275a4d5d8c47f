import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Request, Response } from 'express';
import { sendEnvelope } from '../errors/envelope.js';
import { errorCatalogue } from '../errors/error-catalogue.js';
import { ServiceError } from '../errors/service-error.js';
import { packageRoot } from '../package.js';

interface StaticFile {
  readonly body: Buffer;
  readonly gzip: Buffer | undefined;
}

/** Content-Security-Policy of the pages: only files and requests of this server. Both frameworks set inline styles. */
export const pagePolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** A folder of `dist` that is served from memory, so that a slow client keeps no file open. */
export class StaticFiles {
  private readonly files: ReadonlyMap<string, StaticFile>;

  /** @param name the folder, which does not exist in `npm run start:dev` */
  constructor(name: string) {
    const folder = path.join(packageRoot, 'dist', name);
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    const read = (file: string) => readFileSync(path.join(folder, file));
    const files = names.filter((file) => path.extname(file) !== '' && !file.endsWith('.gz'));
    const compressed = (file: string) => (names.includes(`${file}.gz`) ? read(`${file}.gz`) : undefined);
    this.files = new Map(files.map((file) => [file, { body: read(file), gzip: compressed(file) }]));
  }

  get names(): string[] {
    return [...this.files.keys()];
  }

  has(name: string): boolean {
    return this.files.has(name);
  }

  /**
   * Sends a file, compressed if the client accepts that, or 404 if there is none. Browsers keep files in `assets`, whose
   * names contain a hash of their content.
   */
  send(request: Request, response: Response, name: string): void {
    const file = this.files.get(name);
    if (file === undefined) {
      sendEnvelope(request, response, new ServiceError(errorCatalogue.routeNotFound));
      return;
    }
    const isHashed = name.startsWith('assets/');
    response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.vary('Accept-Encoding').type(path.extname(name));
    const gzip = request.acceptsEncodings('gzip', 'identity') === 'gzip' ? file.gzip : undefined;
    if (gzip) response.setHeader('Content-Encoding', 'gzip');
    response.end(gzip ?? file.body);
  }
}
