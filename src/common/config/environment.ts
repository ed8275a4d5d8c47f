import * as z from 'zod';
import { isNetwork } from '../http/client-address.js';
import { emailProblem, passwordProblem } from '../validation/fields.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function whole(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  const isWhole = (text: string) => /^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return z.string().refine(isWhole, { message }).transform(Number);
}

const port = whole(0, 65_535);

/** A text under a rule of request fields. */
function ruled(problem: (value: unknown) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = problem(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function url(...protocols: string[]) {
  const message = `must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return z.string().refine((text) => protocols.some((protocol) => text.startsWith(`${protocol}//`)), { message });
}

function parsableUrl(...protocols: string[]) {
  return url(...protocols).refine((text) => URL.canParse(text), { message: 'must be a URL' });
}

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** Express's `trust proxy`, but never everybody, as any forged X-Forwarded-For would be believed then. */
const trustProxy = z.string().transform((text, context) => {
  if (text === 'off') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text) === 0 ? false : Number(text);
  const addresses = splitList(text);
  const named = ['loopback', 'linklocal', 'uniquelocal'];
  if (addresses.every((address) => named.includes(address) || (isNetwork(address) && !/\/0+$/.test(address)))) {
    return addresses;
  }
  context.addIssue({ code: 'custom', message: 'must be off, a hop count, or a comma-separated list of addresses' });
  return z.NEVER;
});

/** Origins as browsers send them: a scheme, a host in lower case and an optional port. */
const origins = z.string().transform((text, context) => {
  const listed = splitList(text);
  const isOrigin = (each: string) => /^https?:[^*]+$/.test(each) && URL.canParse(each) && new URL(each).origin === each;
  if (listed.every(isOrigin)) return [...new Set(listed)];
  const message = text.includes('*')
    ? 'must name each origin: with * any page could send requests from the browsers of its visitors'
    : 'must be a comma-separated list of origins such as https://app.example.com, without a path';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** The environment variables that the server reads, each with its rule and default. */
export const environmentSchema = z.object({
  NODE_ENV: z
    .string()
    // A mistyped `production` would start a server with a demo key instead.
    .refine((text) => text === 'production' || !/^prod/i.test(text), { message: 'must be written production' })
    .default('development'),
  PORT: port.default(3000),
  HOST: z.string().default('0.0.0.0'),
  METRICS_PORT: z
    .union([z.literal('off'), port], { message: 'must be off or a whole number from 0 to 65535' })
    .optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  MONGODB_URI: url('mongodb:', 'mongodb+srv:').optional(),
  MONGOD_BINARY: z.string().optional(),
  DB_ENSURE_INDEXES: z
    .enum(['true', 'false'], { message: 'must be true or false' })
    .transform((text) => text === 'true')
    .default(true),
  REDIS_URL: parsableUrl('redis:', 'rediss:').optional(),
  JWT_SECRET: z.string().min(32, { message: 'must have at least 32 characters' }).optional(),
  SUPER_ADMIN_EMAIL: ruled(emailProblem).toLowerCase().optional(),
  SUPER_ADMIN_PASSWORD: ruled(passwordProblem).optional(),
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
  OTEL_EXPORTER_OTLP_ENDPOINT: parsableUrl('http:', 'https:').optional(),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, { message: 'must have at most 255 characters' })
    .default('flag-football-public-api'),
  LOG_LEVEL: z.enum(logLevels, { message: `must be one of ${logLevels.join(', ')}` }).default('info'),
});

export type Environment = z.output<typeof environmentSchema>;

/** Returns which variables others require; apart from the schema, so that these faults are reported beside its own. */
export function missingVariables(variables: Record<string, string | undefined>): string[] {
  const isProduction = variables['NODE_ENV'] === 'production';
  const needs = [
    { name: 'MONGODB_URI', because: 'NODE_ENV=production', when: isProduction },
    { name: 'JWT_SECRET', because: 'NODE_ENV=production', when: isProduction },
    { name: 'SUPER_ADMIN_EMAIL', because: 'SUPER_ADMIN_PASSWORD', when: 'SUPER_ADMIN_PASSWORD' in variables },
    { name: 'SUPER_ADMIN_PASSWORD', because: 'SUPER_ADMIN_EMAIL', when: 'SUPER_ADMIN_EMAIL' in variables },
  ];
  return needs
    .filter(({ name, when }) => when && !(name in variables))
    .map(({ name, because }) => `${name} is required with ${because}`);
}
