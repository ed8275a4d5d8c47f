import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Environment, environmentSchema, missingVariables } from './environment.js';
import { StartError } from './start-error.js';

/** Lists everything that is wrong with the environment, one line per variable; never a value, which may be a secret. */
export class ConfigurationError extends StartError {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** The typed settings of a server process, and the token under which Nest injects them. */
export class Configuration {
  readonly production = this.environment.NODE_ENV === 'production';
  readonly port = this.environment.PORT;
  readonly host = this.environment.HOST;
  /** Undefined: metrics are not served. `given` is false for the default port, which the server can do without. */
  readonly metrics = metricsOf(this.environment);
  readonly logLevel = this.environment.LOG_LEVEL;
  /** Express's `trust proxy`: nothing, a hop count or a list of addresses. */
  readonly trustProxy = this.environment.TRUST_PROXY;
  /** Exact origins whose pages may call this server from a browser. */
  readonly corsOrigins: readonly string[] = this.environment.CORS_ORIGINS ?? [];
  /** `uri` is undefined for the embedded database, which is kept in `dataFolder`. */
  readonly database = {
    uri: this.environment.MONGODB_URI,
    mongodBinary: this.environment.MONGOD_BINARY,
    ensureIndexes: this.environment.DB_ENSURE_INDEXES,
  };
  readonly redisUrl = this.environment.REDIS_URL;
  /** `given` is false for a random secret, with which tokens end when the process does. */
  readonly jwtSecret = {
    value: this.environment.JWT_SECRET ?? randomBytes(32).toString('base64url'),
    given: this.environment.JWT_SECRET !== undefined,
  };
  readonly superAdmin = superAdminOf(this.environment);
  readonly liveKeyPrefix = this.environment.LIVE_KEY_PREFIX;
  readonly rateLimitPerMinute = this.environment.RATE_LIMIT_PER_MINUTE;
  readonly authFailuresPerMinute = this.environment.AUTH_FAILURES_PER_MINUTE;
  readonly maxRequestsInFlight = this.environment.MAX_REQUESTS_IN_FLIGHT;
  readonly stopDelayMilliseconds = this.environment.STOP_DELAY_SECONDS * 1_000;
  /** Undefined: requests are not traced. */
  readonly tracing = tracingOf(this.environment);
  /** The folder of the embedded database and the demo's key, below the folder that the server was started in. */
  readonly dataFolder = '.data';

  constructor(private readonly environment: Environment) {}
}

function metricsOf({ METRICS_PORT: port, METRICS_HOST: host }: Environment) {
  if (port === 'off') return undefined;
  return { port: port ?? 9464, given: port !== undefined, host };
}

function superAdminOf({ SUPER_ADMIN_EMAIL: email, SUPER_ADMIN_PASSWORD: password }: Environment) {
  return email !== undefined && password !== undefined ? { email, password } : undefined;
}

function tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName }: Environment) {
  return endpoint === undefined ? undefined : { endpoint, serviceName };
}

/** Returns what is wrong with a database's address, as the end of a sentence; asked of the driver, which parses it. */
type UriCheck = (uri: string) => string | undefined;

/**
 * Checks the variables and returns the typed settings.
 * @throws ConfigurationError with every fault, by name
 */
export function parseConfiguration(
  variables: Record<string, string | undefined>,
  checkDatabaseUri: UriCheck = () => undefined,
): Configuration {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environmentSchema.safeParse(set);
  const faults = (parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  faults.push(...missingVariables(set));
  const { MONGODB_URI: uri } = set;
  const isChecked = uri === undefined || faults.some((fault) => fault.startsWith('MONGODB_URI'));
  const uriFault = isChecked ? undefined : checkDatabaseUri(uri);
  if (uriFault !== undefined) faults.push(`MONGODB_URI ${uriFault}`);
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults);
  return new Configuration(parsed.data);
}

/**
 * Reads the process's environment, and `.env` in the current folder for variables that the environment lacks.
 * @throws ConfigurationError with every fault, by name
 */
export function readConfiguration(checkDatabaseUri: UriCheck): Configuration {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return parseConfiguration(process.env, checkDatabaseUri);
}

/** Provides the one `Configuration`. */
@Global()
@Module({})
export class ConfigModule {
  static of(configuration: Configuration): DynamicModule {
    const providers = [{ provide: Configuration, useValue: configuration }];
    return { module: ConfigModule, providers, exports: [Configuration] };
  }
}
