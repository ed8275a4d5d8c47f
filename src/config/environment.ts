import * as z from 'zod';
import { isNetwork } from '../common/http/client-address.js';
import { emailProblem, passwordProblem } from '../common/validation/fields.js';

/**
 * The environment variables, each with its rule. A variable that is set but empty counts as not set, as Docker
 * compose passes unset variables on as empty texts.
 */

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const wholeNumber = /^\d{1,10}$/;

function whole(minimum: number, maximum: number) {
  return z
    .string()
    .refine((text) => wholeNumber.test(text) && Number(text) >= minimum && Number(text) <= maximum, {
      message: `must be a whole number from ${minimum} to ${maximum}`,
    })
    .transform(Number);
}

/** A text under a rule of the fields of requests. */
function ruled(problem: (value: unknown) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = problem(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function url(...protocols: string[]) {
  const expected = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return z.string().refine((text) => protocols.some((protocol) => text.startsWith(`${protocol}//`)), {
    message: `must begin with ${expected}`,
  });
}

/** An address or a network, but not one of everybody's. */
function isTrustworthy(text: string): boolean {
  return isNetwork(text) && !/\/0+$/.test(text);
}

const namedNetworks = ['loopback', 'linklocal', 'uniquelocal'];

/** Express's `trust proxy`: never «everybody», which would believe any forged X-Forwarded-For. */
const trustProxy = z.string().transform((text, context) => {
  if (text === 'off') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text) === 0 ? false : Number(text);
  const addresses = text.split(',').map((address) => address.trim());
  if (addresses.every((address) => isTrustworthy(address) || namedNetworks.includes(address))) return addresses;
  context.addIssue({ code: 'custom', message: 'must be off, a hop count, or a comma-separated list of addresses' });
  return z.NEVER;
});

/** Origins as browsers send them: a scheme, a host in lower case and perhaps a port, and nothing behind it. */
const origins = z.string().transform((text, context) => {
  const listed = text.split(',').map((origin) => origin.trim());
  if (listed.every(isOrigin)) return [...new Set(listed)];
  const message = text.includes('*')
    ? 'must name each origin: with * any page could send requests from the browsers of its visitors'
    : 'must be a comma-separated list of origins such as https://app.example.com, without a path';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const flag = z.enum(['true', 'false'], { message: 'must be true or false' }).transform((text) => text === 'true');

/** Where the metrics are served; `off`: nowhere. */
const metricsPort = z.string().transform((text, context) => {
  if (text === 'off') return text;
  if (wholeNumber.test(text) && Number(text) <= 65_535) return Number(text);
  context.addIssue({ code: 'custom', message: 'must be off or a whole number from 0 to 65535' });
  return z.NEVER;
});

const password = ruled(passwordProblem);

/** A mistyped `production` would start a server with a demo key instead. */
const nodeEnvironment = z.string().refine((text) => text === 'production' || !/^prod/i.test(text), {
  message: 'must be written production',
});

export const environmentSchema = z.object({
  NODE_ENV: nodeEnvironment.default('development'),
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().default('0.0.0.0'),
  METRICS_PORT: metricsPort.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  MONGODB_URI: url('mongodb:', 'mongodb+srv:').optional(),
  MONGOD_BINARY: z.string().optional(),
  DB_ENSURE_INDEXES: flag.default(true),
  REDIS_URL: url('redis:', 'rediss:')
    .refine((text) => URL.canParse(text), { message: 'must be a URL' })
    .optional(),
  JWT_SECRET: z.string().min(32, { message: 'must have at least 32 characters' }).optional(),
  SUPER_ADMIN_EMAIL: ruled(emailProblem).toLowerCase().optional(),
  SUPER_ADMIN_PASSWORD: password.optional(),
  LIVE_KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,32}$/, { message: 'must have 1 to 32 letters, digits, hyphens or underscores' })
    .default('ffk_live_'),
  RATE_LIMIT_PER_MINUTE: whole(1, 1_000_000_000).default(100),
  AUTH_FAILURES_PER_MINUTE: whole(1, 1_000_000_000).default(300),
  MAX_REQUESTS_IN_FLIGHT: whole(1, 1_000_000).default(256),
  TRUST_PROXY: trustProxy.default(false),
  CORS_ORIGINS: origins.optional(),
  STOP_DELAY_SECONDS: whole(0, 60).default(0),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:')
    .refine((text) => URL.canParse(text), { message: 'must be a URL' })
    .optional(),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, { message: 'must have at most 255 characters' })
    .default('flag-football-public-api'),
  LOG_LEVEL: z.enum(logLevels, { message: `must be one of ${logLevels.join(', ')}` }).default('info'),
});

/** What one variable demands of another: kept apart, so that these faults are told beside those of single variables. */
export function missingVariables(variables: Record<string, string | undefined>): string[] {
  const needs = [
    { name: 'MONGODB_URI', because: 'NODE_ENV=production', when: variables['NODE_ENV'] === 'production' },
    { name: 'JWT_SECRET', because: 'NODE_ENV=production', when: variables['NODE_ENV'] === 'production' },
    { name: 'SUPER_ADMIN_EMAIL', because: 'SUPER_ADMIN_PASSWORD', when: 'SUPER_ADMIN_PASSWORD' in variables },
    { name: 'SUPER_ADMIN_PASSWORD', because: 'SUPER_ADMIN_EMAIL', when: 'SUPER_ADMIN_EMAIL' in variables },
  ];
  return needs
    .filter(({ name, when }) => when && !(name in variables))
    .map(({ name, because }) => `${name} is required with ${because}`);
}

export type Environment = z.output<typeof environmentSchema>;
