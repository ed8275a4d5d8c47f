import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { requestIdHeader } from './request-id.js';

const exposedHeaders = [
  requestIdHeader,
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Allow',
];

/** What pages of the allowed origins may send and read; a browser's own credentials (cookies) are never among it. */
const allowed: CorsOptions = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'idem-key', requestIdHeader],
  exposedHeaders,
  credentials: false,
  maxAge: 600,
};

/** Lets pages of these origins, and of no others, call this server from a browser; without any nothing changes. */
export function allowOrigins(app: NestExpressApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.use(varyByOrigin);
  app.enableCors((request: Request, decide: (error: null, options: CorsOptions) => void) => {
    const { origin = '' } = request.headers;
    // Without an origin of ours the middleware does nothing: an OPTIONS is judged like any other method.
    if (!origins.includes(origin)) decide(null, { origin: false });
    else decide(null, { ...allowed, origin, preflightContinue: !isPreflight(request) });
  });
}

function isPreflight({ headers }: Request): boolean {
  return headers['access-control-request-method'] !== undefined;
}

/** What is answered to one origin must not be taken for what would be answered to another. */
function varyByOrigin(_request: Request, response: Response, next: NextFunction): void {
  response.vary('Origin');
  next();
}
