import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Environment, environmentSchema, missingVariables } from './environment.js';
import { StartError } from './start-error.js';

/** All that is wrong with the environment, a line for each variable; never a value, which may be a secret. */
export class ConfigurationError extends StartError {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** Where Prometheus looks for a program's own metrics by habit. */
const defaultMetricsPort = 9464;

/** The typed settings of one server process. Also the token under which Nest hands them out. */
export class Configuration {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Where the metrics are served; undefined: nowhere. Where no port was given, the server can do without its own. */
  readonly metrics: { port: number; given: boolean; host: string } | undefined;
  readonly logLevel: Environment['LOG_LEVEL'];
  /** What Express may believe of X-Forwarded-For: nothing, so many hops, or these addresses. */
  readonly trustProxy: Environment['TRUST_PROXY'];
  /** Whose pages may call this server from a browser: exact origins, none by default. */
  readonly corsOrigins: readonly string[];
  /** `uri` undefined: the embedded database under `dataFolder`. */
  readonly database: { uri: string | undefined; mongodBinary: string | undefined; ensureIndexes: boolean };
  readonly redisUrl: string | undefined;
  /** `given` is false where the secret was made up for this process, so that tokens end with it. */
  readonly jwtSecret: { value: string; given: boolean };
  readonly superAdmin: { email: string; password: string } | undefined;
  readonly liveKeyPrefix: string;
  readonly rateLimitPerMinute: number;
  readonly authFailuresPerMinute: number;
  /** For how long the server still takes requests when it is told to stop, while it says that it is not ready. */
  readonly stopDelayMilliseconds: number;
  /** Where traces go and under which name; undefined: nothing is traced. */
  readonly tracing: { endpoint: string; serviceName: string } | undefined;
  /** How many requests may be in service at once, whatever they wait for; while the event loop is busy a 32nd of it. */
  readonly maxRequestsInFlight: number;
  /** The folder of the embedded database and of the demo's key, below the folder that the server was started in. */
  readonly dataFolder = '.data';

  constructor(environment: Environment) {
    const { SUPER_ADMIN_EMAIL: email, SUPER_ADMIN_PASSWORD: password } = environment;
    this.production = environment.NODE_ENV === 'production';
    this.port = environment.PORT;
    this.host = environment.HOST;
    const { METRICS_PORT: metricsPort, METRICS_HOST: metricsHost } = environment;
    this.metrics =
      metricsPort === 'off'
        ? undefined
        : { port: metricsPort ?? defaultMetricsPort, given: metricsPort !== undefined, host: metricsHost };
    this.logLevel = environment.LOG_LEVEL;
    this.trustProxy = environment.TRUST_PROXY;
    this.corsOrigins = environment.CORS_ORIGINS ?? [];
    this.database = {
      uri: environment.MONGODB_URI,
      mongodBinary: environment.MONGOD_BINARY,
      ensureIndexes: environment.DB_ENSURE_INDEXES,
    };
    this.redisUrl = environment.REDIS_URL;
    this.jwtSecret = {
      value: environment.JWT_SECRET ?? randomBytes(32).toString('base64url'),
      given: environment.JWT_SECRET !== undefined,
    };
    this.superAdmin = email !== undefined && password !== undefined ? { email, password } : undefined;
    this.liveKeyPrefix = environment.LIVE_KEY_PREFIX;
    this.rateLimitPerMinute = environment.RATE_LIMIT_PER_MINUTE;
    this.authFailuresPerMinute = environment.AUTH_FAILURES_PER_MINUTE;
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = environment;
    this.tracing = endpoint === undefined ? undefined : { endpoint, serviceName };
    this.stopDelayMilliseconds = environment.STOP_DELAY_SECONDS * 1_000;
    this.maxRequestsInFlight = environment.MAX_REQUESTS_IN_FLIGHT;
  }
}

/** What another layer knows of a variable: by its name, what is wrong with a value, or undefined. */
export type VariableChecks = Readonly<Record<string, (value: string) => string | undefined>>;

/**
 * Checks the variables and gives the typed settings.
 * @throws ConfigurationError with every fault, by name
 */
export function parseConfiguration(
  variables: Record<string, string | undefined>,
  checks: VariableChecks = {},
): Configuration {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environmentSchema.safeParse(set);
  const faults = (parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  faults.push(...missingVariables(set));
  for (const [name, check] of Object.entries(checks)) {
    const value = set[name];
    const isNew = value !== undefined && !faults.some((fault) => fault.startsWith(`${name} `));
    const fault = isNew ? check(value) : undefined;
    if (fault !== undefined) faults.push(`${name} ${fault}`);
  }
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults);
  return new Configuration(parsed.data);
}

/**
 * Reads the process's environment, and `.env` in the current folder for what the environment leaves open.
 * @throws ConfigurationError with every fault, by name
 */
export function readConfiguration(checks: VariableChecks): Configuration {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return parseConfiguration(process.env, checks);
}

/** Provides the one typed `Configuration`. */
@Global()
@Module({})
export class ConfigModule {
  static of(configuration: Configuration): DynamicModule {
    const providers = [{ provide: Configuration, useValue: configuration }];
    return { module: ConfigModule, providers, exports: [Configuration] };
  }
}
