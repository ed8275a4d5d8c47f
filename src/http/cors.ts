import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { requestIdHeader } from './request-id.middleware.js';

/** What pages of the allowed origins may send and read, without browser credentials such as cookies. */
const corsOptions: CorsOptions = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: `Authorization, Content-Type, idem-key, Idempotency-Key, If-Match, If-None-Match, ${requestIdHeader}`,
  exposedHeaders: [
    requestIdHeader,
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'Retry-After',
    'Idempotent-Replayed',
    'ETag',
    'Allow',
  ],
  credentials: false,
  maxAge: 600,
};

/** Enables CORS for these origins only. Does nothing without origins. */
export function enableCors(app: NestExpressApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.use((_request: Request, response: Response, next: NextFunction) => {
    // Caches must not reuse the response to one origin for another.
    response.vary('Origin');
    next();
  });
  app.enableCors((request: Request, callback: (error: null, options: CorsOptions) => void) => {
    const { origin = '' } = request.headers;
    // For any other origin the middleware does nothing, and OPTIONS is handled like every other method.
    if (!origins.includes(origin)) callback(null, { origin: false });
    else callback(null, { ...corsOptions, origin, preflightContinue: !isPreflight(request) });
  });
}

function isPreflight({ headers }: Request): boolean {
  return headers['access-control-request-method'] !== undefined;
}
