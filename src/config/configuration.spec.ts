import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseConfiguration, StartError } from './configuration.js';

function problemsOf(variables: Record<string, string>): readonly string[] {
  try {
    parseConfiguration(variables);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [...error.message.matchAll(/^ {2}- (.*)$/gm)].map(([, problem = '']) => problem);
  }
  return [];
}

describe('configuration', () => {
  it('requires no variable outside production', () => {
    const configuration = parseConfiguration({});

    expect(configuration).toMatchObject({
      production: false,
      port: 3000,
      host: '0.0.0.0',
      logLevel: 'info',
      trustProxy: false,
      database: { uri: undefined, ensureIndexes: true },
      liveKeyPrefix: 'ffk_live_',
      testKeyPrefix: 'ffk_test_',
      rateLimitPerMinute: 100,
      authFailuresPerMinute: 300,
      deletedPlayerRetentionDays: 30,
      auditRetentionDays: undefined,
      secondFactor: { keys: ['embedded database'], isRequired: false },
      servesConsole: true,
      webhooks: { isWorker: true, allowPrivateAddresses: false, proxyUrl: undefined, deliveriesPerHour: 10_000 },
      corsOrigins: [],
      stopDelayMilliseconds: 0,
      telemetry: undefined,
    });
    expect(configuration.jwtSecret.isSet).toBe(false);
    expect(configuration.jwtSecret.value.length).toBeGreaterThanOrEqual(32);
  });

  it('has no key for second factors of a given database', () => {
    expect(parseConfiguration({ MONGODB_URI: 'mongodb://db/league' }).secondFactor.keys).toEqual([]);
  });

  it('requires a database and a token secret in production and reports both', () => {
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
      'MONGODB_URI is required with NODE_ENV=production',
      'JWT_SECRET is required with NODE_ENV=production',
    ]);
  });

  it('reports every problem by name and never a value', () => {
    const secret = 'too-short-secret';
    const invalid = {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      JWT_SECRET: secret,
      JWT_SECRET_SECONDARY: secret,
      MONGODB_URI: 'postgres://u:hunter2@x',
      RATE_LIMIT_PER_MINUTE: '0',
      AUTH_FAILURES_PER_MINUTE: '1e3',
      DELETED_PLAYER_RETENTION_DAYS: '1.5',
      TRUST_PROXY: 'true',
      CORS_ORIGINS: 'https://u:hunter2@x',
      DB_ENSURE_INDEXES: 'no',
      SUPER_ADMIN_EMAIL: 'dana',
      SUPER_ADMIN_PASSWORD: 'short',
      LIVE_KEY_PREFIX: 'a b',
      STOP_DELAY_SECONDS: '61',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318',
      OTEL_SERVICE_NAME: 'x'.repeat(256),
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_TRACES_SAMPLER_ARG: '1.1',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_METRIC_EXPORT_INTERVAL: '999',
      OTEL_LOGS_EXPORTER: 'stdout',
      CONSOLE: 'no',
      WEBHOOK_WORKER: 'no',
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'yes',
      WEBHOOK_PROXY_URL: 'socks5://u:hunter2@x',
    };
    const problems = problemsOf(invalid);

    const names = problems.map((problem) => problem.split(' ')[0]);
    expect(names.sort()).toEqual(Object.keys(invalid).sort());
    expect(problems.join()).not.toContain(secret);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('lets the driver check a MongoDB URI with a valid scheme', () => {
    const isOdd = () => 'is odd';
    const read = (uri: string) => () => parseConfiguration({ PORT: 'x', MONGODB_URI: uri }, isOdd);
    expect(read('mongodb://a/b')).toThrow('MONGODB_URI is odd');
    expect(read('mongodb://a/b')).toThrow('PORT must');
    expect(read('postgres://a/b')).not.toThrow('MONGODB_URI is odd');
  });

  it.each<[variables: Record<string, string>, expected: object]>([
    [{ METRICS_PORT: 'off' }, { metrics: undefined }],
    [{ METRICS_PORT: '0' }, { metrics: { port: 0, isSet: true, host: '127.0.0.1' } }],
    [{ METRICS_PORT: '' }, { metrics: { port: 9464, isSet: false, host: '127.0.0.1' } }],
    [{ DELETED_PLAYER_RETENTION_DAYS: '1' }, { deletedPlayerRetentionDays: 1 }],
    [{ AUDIT_RETENTION_DAYS: '365' }, { auditRetentionDays: 365 }],
    [{ WEBHOOK_WORKER: 'off' }, { webhooks: { isWorker: false } }],
    [{ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' }, { webhooks: { allowPrivateAddresses: true, allowLoopback: true } }],
    [{ WEBHOOK_PROXY_URL: 'http://u:secret@proxy:3128' }, { webhooks: { proxyUrl: 'http://u:secret@proxy:3128' } }],
    [{ TRUST_PROXY: 'off' }, { trustProxy: false }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: 'loopback, 10.0.0.0/8' }, { trustProxy: ['loopback', '10.0.0.0/8'] }],
    [{ PUBLIC_URL: 'http://intranet/eu/c-2' }, { publicUrl: 'http://intranet/eu/c-2', basePath: '/eu/c-2' }],
    [{ PUBLIC_URL: 'https://api.example.com:8443' }, { publicUrl: 'https://api.example.com:8443', basePath: '' }],
    [
      { CORS_ORIGINS: 'https://a.example, http://localhost:5173' },
      { corsOrigins: ['https://a.example', 'http://localhost:5173'] },
    ],
    [{ CORS_ORIGINS: 'https://a.example:8443,https://a.example:8443' }, { corsOrigins: ['https://a.example:8443'] }],
    [{ CORS_ORIGINS: 'http://[::1]:3000' }, { corsOrigins: ['http://[::1]:3000'] }],
    [
      { PORT: '', REDIS_URL: '' },
      { port: 3000, redisUrl: undefined },
    ],
  ])('reads %j', (variables, expected) => {
    expect(parseConfiguration(variables)).toMatchObject(expected);
  });

  const days = 'must be an integer from 1 to 3650';
  const hops = 'must be off, a hop count, or a comma-separated list of addresses';
  const origins = 'must be a comma-separated list of origins such as https://app.example.com, without a path';
  const url =
    'must be an origin such as https://api.example.com, or one with a path such as https://api.example.com/c2';
  const eachOrigin = "must list each origin: * would let any page send requests from its visitors' browsers";

  it.each<[name: string, problem: string, texts: string[]]>([
    ['METRICS_PORT', 'must be off or an integer from 0 to 65535', ['on', '65536', '-1']],
    ['DELETED_PLAYER_RETENTION_DAYS', days, ['0', '3651']],
    ['AUDIT_RETENTION_DAYS', days, ['0', '3651', 'off']],
    ['WEBHOOK_WORKER', 'must be on or off', ['OFF', 'false', '0', ' off']],
    ['WEBHOOK_PROXY_URL', 'must begin with http:// or https://', ['socks5://proxy.example.com']],
    ['WEBHOOK_PROXY_URL', 'must be a URL', ['http://']],
    ['TRUST_PROXY', hops, ['true', '10.0.0.0/33', '10.0.0.0/0', 'loopback,', '100']],
    // No browser sends these.
    ['CORS_ORIGINS', origins, ['app.example.com', 'https://app.example.com/', 'https://App.example.com']],
    ['CORS_ORIGINS', origins, ['https://app.example.com:443', 'ftp://a.example']],
    ['CORS_ORIGINS', eachOrigin, ['*', 'https://a.example, *', 'https://*.example.com']],
    ['PUBLIC_URL', url, ['https://api.example.com/', 'https://api.example.com/c2/', 'https://a.example/c?x', '/c2']],
    ['NODE_ENV', 'must be spelled production', ['prod', 'Production', 'PRODUCTION']],
  ])('rejects a wrong %s, which %s: %j', (name, problem, texts) => {
    for (const text of texts) expect([text, problemsOf({ [name]: text })]).toEqual([text, [`${name} ${problem}`]]);
  });

  it.each([
    [{}, 'ffk_test_'],
    [{ LIVE_KEY_PREFIX: 'acme-live-' }, 'acme-test-'],
    [{ LIVE_KEY_PREFIX: 'acme_' }, 'test_acme_'],
    [{ LIVE_KEY_PREFIX: 'acme-', TEST_KEY_PREFIX: 'try-' }, 'try-'],
  ])('derives or reads the prefix of test keys: %j', (variables, expected) => {
    expect(parseConfiguration(variables).testKeyPrefix).toBe(expected);
  });

  it.each([
    { LIVE_KEY_PREFIX: 'test' },
    { TEST_KEY_PREFIX: 'ffk_live_' },
    { TEST_KEY_PREFIX: 'ffk_live_test_' },
    { TEST_KEY_PREFIX: 'ffk_' },
  ])('rejects prefixes of keys that begin with each other: %j', (variables) => {
    const problem = 'TEST_KEY_PREFIX must not equal LIVE_KEY_PREFIX or begin with it, nor the other way around';
    expect(problemsOf(variables)).toEqual([problem]);
  });

  it('rejects webhooks to private addresses in production', () => {
    const production = { NODE_ENV: 'production', MONGODB_URI: 'mongodb://a/b', JWT_SECRET: 'x'.repeat(40) };
    expect(problemsOf({ ...production, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' })).toEqual([
      'WEBHOOK_ALLOW_PRIVATE_ADDRESSES is refused with NODE_ENV=production',
    ]);
    expect(problemsOf({ ...production, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'false' })).toEqual([]);
  });

  it.each([
    [{ SUPER_ADMIN_EMAIL: 'a@example.com' }, 'SUPER_ADMIN_PASSWORD is required with SUPER_ADMIN_EMAIL'],
    [{ SUPER_ADMIN_PASSWORD: 'long enough' }, 'SUPER_ADMIN_EMAIL is required with SUPER_ADMIN_PASSWORD'],
    [
      { SUPER_ADMIN_EMAIL: 'a@example.com', SUPER_ADMIN_PASSWORD: 'short' },
      'SUPER_ADMIN_PASSWORD must have 8 to 200 characters',
    ],
  ])('requires a complete first super admin: %j', (variables, problem) => {
    expect(problemsOf(variables)).toEqual([problem]);
  });

  describe('a secret in a file', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
    const fileOf = (content: string) => {
      const file = path.join(folder, randomUUID());
      writeFileSync(file, content);
      return file;
    };
    afterAll(() => rmSync(folder, { recursive: true }));

    it('is read without the line break at its end', () => {
      const configuration = parseConfiguration({
        JWT_SECRET_FILE: fileOf(`${'s'.repeat(40)}\n`),
        REDIS_URL_FILE: fileOf('redis://cache:6379'),
      });
      expect(configuration).toMatchObject({ jwtSecret: { value: 's'.repeat(40) }, redisUrl: 'redis://cache:6379' });
    });

    it('counts as unset if the file is empty', () => {
      const production = { NODE_ENV: 'production', MONGODB_URI: 'mongodb://a/b', JWT_SECRET_FILE: fileOf('\n') };
      expect(problemsOf(production)).toEqual(['JWT_SECRET is required with NODE_ENV=production']);
    });

    it('is one problem if the file of a required secret cannot be read', () => {
      const production = { NODE_ENV: 'production', MONGODB_URI: 'mongodb://a/b', JWT_SECRET_FILE: folder };
      expect(problemsOf(production)).toEqual(['JWT_SECRET_FILE cannot be read: EISDIR']);
    });

    it('is rejected beside the variable, if it cannot be read, and if its value is invalid', () => {
      const problems = problemsOf({
        JWT_SECRET: 's'.repeat(40),
        JWT_SECRET_FILE: fileOf('t'.repeat(40)),
        REDIS_URL_FILE: path.join(folder, 'missing'),
        MONGODB_URI_FILE: fileOf('postgres://u:hunter2@x'),
      });
      expect([...problems].sort()).toEqual([
        'JWT_SECRET and JWT_SECRET_FILE are both set; set one of them',
        'MONGODB_URI must begin with mongodb:// or mongodb+srv://',
        'REDIS_URL_FILE cannot be read: ENOENT',
      ]);
    });
  });
});
