import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Environment, environmentSchema, combinationProblems, testKeyPrefixOf } from './environment.js';
import { readSecretFiles } from './secret-files.js';

/** An error that prevents the start. Its message says what to do and is printed without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Prints an error on standard error and exits with code 1. */
export function exitWithError(error: unknown): never {
  const text = error instanceof Error && !(error instanceof StartError) ? error.stack : undefined;
  process.stderr.write(`${text ?? (error instanceof Error ? error.message : String(error))}\n`);
  process.exit(1);
}

/** Typed settings of the process; also the injection token. */
export class Configuration {
  readonly production = this.environment.NODE_ENV === 'production';
  readonly port = this.environment.PORT;
  readonly host = this.environment.HOST;
  /** Undefined if metrics are off or sent to a collector. `isSet` is false for the default port, which may be in use. */
  readonly metrics = metricsOf(this.environment);
  readonly logLevel = this.environment.LOG_LEVEL;
  /** Express's `trust proxy`: false, a hop count or a list of addresses. */
  readonly trustProxy = this.environment.TRUST_PROXY;
  /** The beginning of links to this server. Undefined: the origin of the request. */
  readonly publicUrl = this.environment.PUBLIC_URL;
  /** The path below which the proxy publishes this server, such as `/c2`; empty if there is none. */
  readonly basePath = URL.parse(this.publicUrl ?? '')?.pathname.replace(/^\/$/, '') ?? '';
  /** Origins whose pages may call this server from a browser. */
  readonly corsOrigins: readonly string[] = this.environment.CORS_ORIGINS ?? [];
  /** `uri` is undefined for the embedded database, which is stored in `dataFolder`. */
  readonly database = {
    uri: this.environment.MONGODB_URI,
    mongodBinary: this.environment.MONGOD_BINARY,
    ensureIndexes: this.environment.DB_ENSURE_INDEXES,
  };
  readonly redisUrl = this.environment.REDIS_URL;
  /**
   * `value` signs tokens; `secondary` is also accepted, while secrets are rotated. `isSet` is false for a random secret;
   * tokens are then only valid until the process ends.
   */
  readonly jwtSecret = {
    value: this.environment.JWT_SECRET ?? randomBytes(32).toString('base64url'),
    secondary: this.environment.JWT_SECRET_SECONDARY,
    isSet: this.environment.JWT_SECRET !== undefined,
  };
  /** `keys` encrypt the secrets of second factors: the first one new secrets; the others are also accepted. */
  readonly secondFactor = {
    keys: [
      this.environment.SECOND_FACTOR_KEY,
      this.environment.SECOND_FACTOR_KEY_SECONDARY,
      // The embedded database belongs to a developer's machine; it is refused in production.
      this.environment.MONGODB_URI === undefined ? 'embedded database' : undefined,
    ].filter((key) => key !== undefined),
    isRequired: this.environment.REQUIRE_SECOND_FACTOR,
  };
  readonly superAdmin = superAdminOf(this.environment);
  readonly liveKeyPrefix = this.environment.LIVE_KEY_PREFIX;
  readonly testKeyPrefix = testKeyPrefixOf(this.environment.LIVE_KEY_PREFIX, this.environment.TEST_KEY_PREFIX);
  readonly rateLimitPerMinute = this.environment.RATE_LIMIT_PER_MINUTE;
  readonly authFailuresPerMinute = this.environment.AUTH_FAILURES_PER_MINUTE;
  readonly deletedPlayerRetentionDays = this.environment.DELETED_PLAYER_RETENTION_DAYS;
  /** Undefined if audit events are kept. */
  readonly auditRetentionDays = this.environment.AUDIT_RETENTION_DAYS;
  /** False if the admin console is not served. */
  readonly servesConsole = this.environment.CONSOLE;
  /** `isWorker` is false if this server sends no webhooks. */
  readonly webhooks = {
    isWorker: this.environment.WEBHOOK_WORKER,
    allowPrivateAddresses: this.environment.WEBHOOK_ALLOW_PRIVATE_ADDRESSES,
    // The embedded database belongs to a developer's machine; it is refused in production.
    allowLoopback: this.environment.MONGODB_URI === undefined,
    proxyUrl: this.environment.WEBHOOK_PROXY_URL,
    deliveriesPerHour: this.environment.WEBHOOK_DELIVERIES_PER_HOUR,
  };
  readonly maxRequestsInFlight = this.environment.MAX_REQUESTS_IN_FLIGHT;
  readonly stopDelayMilliseconds = this.environment.STOP_DELAY_SECONDS * 1_000;
  /** What is sent to an OpenTelemetry collector; undefined without one. The SDK reads the other variables itself. */
  readonly telemetry = telemetryOf(this.environment);
  /** Folder of the embedded database and the demo API key, relative to the working directory. */
  readonly dataFolder = '.data';

  constructor(private readonly environment: Environment) {}
}

function metricsOf({ METRICS_PORT: port, METRICS_HOST: host, OTEL_METRICS_EXPORTER: isSent }: Environment) {
  if (port === 'off' || isSent) return undefined;
  return { port: port ?? 9464, isSet: port !== undefined, host };
}

function superAdminOf({ SUPER_ADMIN_EMAIL: email, SUPER_ADMIN_PASSWORD: password }: Environment) {
  return email !== undefined && password !== undefined ? { email, password } : undefined;
}

export type TelemetryOptions = NonNullable<Configuration['telemetry']>;

function telemetryOf(environment: Environment) {
  // Otherwise log lines would go to an SDK that does not send them.
  if (environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || environment.OTEL_SDK_DISABLED) return undefined;
  return {
    serviceName: environment.OTEL_SERVICE_NAME,
    traces: environment.OTEL_TRACES_EXPORTER,
    metrics: environment.OTEL_METRICS_EXPORTER,
    metricsInterval: environment.OTEL_METRIC_EXPORT_INTERVAL,
    logs: environment.OTEL_LOGS_EXPORTER,
  };
}

/** Returns the driver's objection to a MongoDB URI, as the rest of a sentence after the variable's name. */
type UriCheck = (uri: string) => string | undefined;

/**
 * Checks the variables and returns the typed settings.
 * @throws StartError with all problems by variable, without values, which may be secrets
 */
export function parseConfiguration(
  variables: Record<string, string | undefined>,
  checkDatabaseUri: UriCheck = () => undefined,
): Configuration {
  const notEmpty = Object.entries(variables).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const { variables: set, problems, unreadable } = readSecretFiles(Object.fromEntries(notEmpty));
  const parsed = environmentSchema.safeParse(set);
  problems.push(...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`));
  problems.push(...combinationProblems(set, unreadable));
  const { MONGODB_URI: uri } = set;
  if (uri !== undefined && !problems.some((problem) => problem.startsWith('MONGODB_URI'))) {
    const problem = checkDatabaseUri(uri);
    if (problem !== undefined) problems.push(`MONGODB_URI ${problem}`);
  }
  if (parsed.success && problems.length === 0) return new Configuration(parsed.data);
  const lines = problems.map((problem) => `  - ${problem}\n`).join('');
  throw new StartError(
    `Invalid configuration:\n${lines}Set these variables in the environment or in .env and start again.`,
  );
}

/**
 * Reads the environment, and `.env` in the working directory for variables that are not set.
 * @throws StartError with all problems
 */
export function readConfiguration(checkDatabaseUri: UriCheck): Configuration {
  if (existsSync('.env')) process.loadEnvFile('.env');
  // Of variables that only OpenTelemetry's SDK reads; this sampler is the one with OTEL_TRACES_SAMPLER_ARG.
  const defaults = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const isSet = (name: string) => (process.env[name] ?? '') !== '';
  for (const [name, value] of Object.entries(defaults)) if (!isSet(name)) process.env[name] = value;
  return parseConfiguration(process.env, checkDatabaseUri);
}
