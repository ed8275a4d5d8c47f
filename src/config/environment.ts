import * as z from 'zod';
import { isNetwork } from '../http/client-address.js';
import { emailProblem, passwordProblem } from '../validation/fields.js';
import { secretNames } from './secret-files.js';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function integer(minimum: number, maximum: number) {
  const message = `must be an integer from ${minimum} to ${maximum}`;
  const isInteger = (text: string) => /^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return z.string().refine(isInteger, { message }).transform(Number);
}

const port = integer(0, 65_535);

/** Two values, of which the first means true. */
function either(yes: string, no: string) {
  return z.enum([yes, no], { message: `must be ${yes} or ${no}` }).transform((text) => text === yes);
}

const ratio = z
  .string()
  .refine((text) => /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text), { message: 'must be a number from 0 to 1' })
  .transform(Number);
const longSecret = z.string().min(32, { message: 'must have at least 32 characters' });

/** A string with the same rule as a request field. */
function withRule(problem: (value: unknown) => string | undefined) {
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

/** Express's `trust proxy`, except for all addresses, which would accept any forged X-Forwarded-For. */
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

/** Returns whether a text is an origin as browsers send it: scheme, lower-case host and optional port. */
const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.parse(text)?.origin === text;

/** The same, with a path that does not end with a slash. */
function isOriginWithPath(text: string): boolean {
  const { origin = '', pathname = '' } = URL.parse(text) ?? {};
  return isOrigin(origin) && (text === origin || (text === origin + pathname && /^(?:\/[\w-]+)+$/.test(pathname)));
}

const origins = z
  .string()
  .refine((text) => !text.includes('*'), {
    message: "must list each origin: * would let any page send requests from its visitors' browsers",
  })
  .transform((text) => [...new Set(splitList(text))])
  .refine((listed) => listed.every(isOrigin), {
    message: 'must be a comma-separated list of origins such as https://app.example.com, without a path',
  });

const defaultLiveKeyPrefix = 'ffk_live_';
const keyPrefix = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,32}$/, { message: 'must have 1 to 32 letters, digits, hyphens or underscores' });

/** The environment variables, each with its rule and default. */
export const environmentSchema = z.object({
  NODE_ENV: z
    .string()
    // A mistyped `production` would start a server with demo data.
    .refine((text) => text === 'production' || !/^prod/i.test(text), { message: 'must be spelled production' })
    .default('development'),
  PORT: port.default(3000),
  HOST: z.string().default('0.0.0.0'),
  METRICS_PORT: z.union([z.literal('off'), port], { message: 'must be off or an integer from 0 to 65535' }).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  MONGODB_URI: url('mongodb:', 'mongodb+srv:').optional(),
  MONGOD_BINARY: z.string().optional(),
  DB_ENSURE_INDEXES: either('true', 'false').default(true),
  REDIS_URL: parsableUrl('redis:', 'rediss:').optional(),
  JWT_SECRET: longSecret.optional(),
  JWT_SECRET_SECONDARY: longSecret.optional(),
  SECOND_FACTOR_KEY: longSecret.optional(),
  SECOND_FACTOR_KEY_SECONDARY: longSecret.optional(),
  REQUIRE_SECOND_FACTOR: either('true', 'false').default(false),
  SUPER_ADMIN_EMAIL: withRule(emailProblem).toLowerCase().optional(),
  SUPER_ADMIN_PASSWORD: withRule(passwordProblem).optional(),
  LIVE_KEY_PREFIX: keyPrefix.default(defaultLiveKeyPrefix),
  TEST_KEY_PREFIX: keyPrefix.optional(),
  RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000_000).default(100),
  AUTH_FAILURES_PER_MINUTE: integer(1, 1_000_000_000).default(300),
  DELETED_PLAYER_RETENTION_DAYS: integer(1, 3_650).default(30),
  AUDIT_RETENTION_DAYS: integer(1, 3_650).optional(),
  CONSOLE: either('on', 'off').default(true),
  WEBHOOK_WORKER: either('on', 'off').default(true),
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: either('true', 'false').default(false),
  WEBHOOK_DELIVERIES_PER_HOUR: integer(1, 1_000_000_000).default(10_000),
  WEBHOOK_PROXY_URL: parsableUrl('http:', 'https:').optional(),
  MAX_REQUESTS_IN_FLIGHT: integer(1, 1_000_000).default(256),
  TRUST_PROXY: trustProxy.default(false),
  CORS_ORIGINS: origins.optional(),
  PUBLIC_URL: z
    .string()
    .refine(isOriginWithPath, {
      message:
        'must be an origin such as https://api.example.com, or one with a path such as https://api.example.com/c2',
    })
    .optional(),
  STOP_DELAY_SECONDS: integer(0, 60).default(0),
  OTEL_EXPORTER_OTLP_ENDPOINT: parsableUrl('http:', 'https:').optional(),
  OTEL_SDK_DISABLED: either('true', 'false').default(false),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, { message: 'must have at most 255 characters' })
    .default('flag-football-public-api'),
  OTEL_TRACES_EXPORTER: either('otlp', 'none').default(true),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
  OTEL_METRICS_EXPORTER: either('otlp', 'prometheus').default(false),
  OTEL_METRIC_EXPORT_INTERVAL: integer(1_000, 3_600_000).default(60_000),
  OTEL_LOGS_EXPORTER: either('otlp', 'console').default(false),
  LOG_LEVEL: z.enum(logLevels, { message: `must be one of ${logLevels.join(', ')}` }).default('info'),
});

export type Environment = z.output<typeof environmentSchema>;

/**
 * Returns the variables that are none of ours although they begin like one: with its first two words, or with its first if it
 * has two, such as `RATE_LIMIT_PER_MIN`. Those of Node, of OpenTelemetry's exporters and of Kubernetes' services are others'.
 */
export function unknownVariables(names = Object.keys(process.env)): string[] {
  const known = [...Object.keys(environmentSchema.shape), ...secretNames.map((name) => `${name}_FILE`)];
  const beginnings = known
    .filter((name) => !/^(NODE|OTEL)_/.test(name))
    .map((name) => /^(([A-Z]+_){1,2})[A-Z]/.exec(name)?.[1]);
  const isOfService = (name: string) => /_(SERVICE|PORT)(_|$)/.test(name);
  const isLike = (name: string) =>
    beginnings.some((beginning) => beginning !== undefined && name.startsWith(beginning));
  return names.filter((name) => isLike(name) && !known.includes(name) && !isOfService(name));
}

/** Returns the prefix of the keys of sandboxes: by default that of live keys with `test` instead of `live`, or after `test_`. */
export function testKeyPrefixOf(live: string, test?: string): string {
  return test ?? (live.includes('live') ? live.replace('live', 'test') : `test_${live}`);
}

/** Returns the variables that others require or exclude. Separate from the schema, so that all problems are reported. */
export function combinationProblems(
  variables: Record<string, string | undefined>,
  unreadable: readonly string[],
): string[] {
  const isProduction = variables['NODE_ENV'] === 'production';
  const requiresSecondFactor = variables['REQUIRE_SECOND_FACTOR'] === 'true';
  const requirements = [
    { name: 'MONGODB_URI', because: 'NODE_ENV=production', applies: isProduction },
    { name: 'JWT_SECRET', because: 'NODE_ENV=production', applies: isProduction },
    { name: 'SECOND_FACTOR_KEY', because: 'REQUIRE_SECOND_FACTOR=true', applies: requiresSecondFactor },
    { name: 'SUPER_ADMIN_EMAIL', because: 'SUPER_ADMIN_PASSWORD', applies: 'SUPER_ADMIN_PASSWORD' in variables },
    ...['OTEL_METRICS_EXPORTER', 'OTEL_LOGS_EXPORTER'].map((exporter) => {
      const applies = variables[exporter] === 'otlp';
      return { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', because: `${exporter}=otlp`, applies };
    }),
    { name: 'SUPER_ADMIN_PASSWORD', because: 'SUPER_ADMIN_EMAIL', applies: 'SUPER_ADMIN_EMAIL' in variables },
  ];
  const isGiven = (name: string) => name in variables || unreadable.includes(name);
  const missing = requirements.filter(({ name, applies }) => applies && !isGiven(name));
  const problems = missing.map(({ name, because }) => `${name} is required with ${because}`);
  if (isProduction && variables['WEBHOOK_ALLOW_PRIVATE_ADDRESSES'] === 'true')
    problems.push('WEBHOOK_ALLOW_PRIVATE_ADDRESSES is refused with NODE_ENV=production');
  const live = variables['LIVE_KEY_PREFIX'] ?? defaultLiveKeyPrefix;
  const test = testKeyPrefixOf(live, variables['TEST_KEY_PREFIX']);
  if (keyPrefix.safeParse(live).success && (live.startsWith(test) || test.startsWith(live)))
    problems.push('TEST_KEY_PREFIX must not equal LIVE_KEY_PREFIX or begin with it, nor the other way around');
  return problems;
}
