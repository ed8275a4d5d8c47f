import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { requestIdHeader } from './request-head.js';

/** What pages of the allowed origins may send and read, without browser credentials such as cookies. */
const corsOptions = {
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
    'Link',
    'Deprecation',
    'Sunset',
  ],
  maxAge: 600,
};

/** Enables CORS for these origins only. Does nothing without origins. */
export function enableCors(app: NestExpressApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.enableCors(({ headers, res }: Request, callback) => {
    // Caches must not reuse the response to one origin for another.
    res?.vary('Origin');
    const { origin = '' } = headers;
    const isPreflight = headers['access-control-request-method'] !== undefined;
    // For any other origin the middleware does nothing, and OPTIONS is handled like every other method.
    if (!origins.includes(origin)) callback(null, { origin: false });
    else callback(null, { ...corsOptions, origin, preflightContinue: !isPreflight });
  });
}
