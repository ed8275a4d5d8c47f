import type { NestExpressApplication } from '@nestjs/platform-express';
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
  if (origins.length > 0) app.enableCors({ ...corsOptions, origin: [...origins] });
}
