import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { MongoClient, ObjectId } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { logLines, preload } from '../support/preload.js';
import { ServerProcess } from '../support/server-process.js';
import { testDatabaseUri } from '../support/test-database.js';
import { askWhatIsLoaded, loadingSpy } from '../support/trace-collector.js';

const production = { NODE_ENV: 'production', JWT_SECRET: 'a secret of the tests, long enough' };

describe('the start of the server', () => {
  const started: ServerProcess[] = [];

  afterEach(async () => {
    for (const server of started.splice(0)) await server.remove('SIGKILL');
  });

  const spawn = async (environment: Record<string, string>) => {
    const server = await ServerProcess.spawn(environment);
    started.push(server);
    return server;
  };
  /** Starts with an invalid configuration and returns the output of the server. */
  const startInvalid = async (environment: Record<string, string>) => {
    const server = await spawn({ MONGODB_URI: 'mongodb://127.0.0.1:1/never', ...environment });
    expect(await server.ended).toBe(1);
    return server.log;
  };

  it('with a MongoDB that is not a replica set exits with 1 and one message', async () => {
    const mongod = await MongoMemoryServer.create({
      binary: { systemBinary: process.env['TEST_MONGOD_BINARY'] ?? '' },
    });
    try {
      const log = await startInvalid({ MONGODB_URI: mongod.getUri('test') });
      expect(log).toContain('MongoDB is not a replica set; start it with --replSet (one member is enough)');
      expect(log).not.toMatch(/^ +at /m);
    } finally {
      await mongod.stop();
    }
  });

  // The problems themselves: configuration.spec.ts.
  it('with an invalid configuration, also one that only the driver can check, names each variable and no value', async () => {
    const log = await startInvalid({ MONGODB_URI: 'mongodb://user:hunter2@localhost:port/x', PORT: 'http' });
    expect(log).toMatch(/^ *- MONGODB_URI /m);
    expect(log).toMatch(/^ *- PORT /m);
    expect(log).not.toMatch(/hunt/);
    expect(log).not.toMatch(/^ +at /m);
  });

  it('warns once of an old MongoDB, limits per server, the default port of metrics in use, and variables that look like ours but are not, without their values', async () => {
    const misspelled = { RATE_LIMIT_PER_MIN: 'hunter2', STOP_DELAY_SECS: '3', JWT_SECRET_FILES: 'hunter3' };
    const ofOthers = {
      OTEL_EXPORTER_OTLP_HEADERS: 'a=b',
      REDIS_SERVICE_HOST: '10.0.0.1',
      REDIS_PORT: 'tcp://10.0.0.1',
    };
    const MONGODB_URI = testDatabaseUri();
    const client = await new MongoClient(MONGODB_URI).connect();
    const { version } = await client.db().command({ buildInfo: 1 });
    const created = { name: 'A key', organizationId: new ObjectId(), createdAt: new Date(), updatedAt: new Date() };
    await client
      .db()
      .collection('apiKeys')
      .insertMany([
        { ...created, keyPrefix: 'ffk_live_000000000001', status: 'active' },
        { ...created, keyPrefix: 'ffk_test_000000000001', status: 'active' },
        { ...created, keyPrefix: 'old_000000000001', status: 'revoked' },
      ]);
    await client.close();
    const warningsWith = async (environment: Record<string, string>) => {
      const server = await spawn({ MONGODB_URI, ...preload(loadingSpy), ...environment });
      await server.waitForLog(/"msg":"Ready"/);
      expect(server.log).not.toContain('hunter');
      // Without an endpoint, it does not load OpenTelemetry.
      expect(await askWhatIsLoaded(server.child, server)).toBe('loaded: none');
      return logLines(server.log, { level: 'warn' }).map(({ msg }) => String(msg));
    };

    const warnings = await warningsWith({ ...production, ...misspelled, ...ofOthers });
    const isOld = String(version).localeCompare('8.0.21', 'en', { numeric: true }) < 0;
    expect(warnings.includes(`MongoDB ${version} lacks security fixes; upgrade to 8.0.21 or later`)).toBe(isOld);
    expect(warnings.filter((msg) => /REDIS_URL is not set.*server/.test(msg))).toHaveLength(1);
    const names = 'RATE_LIMIT_PER_MIN, STOP_DELAY_SECS, JWT_SECRET_FILES';
    expect(warnings.filter((msg) => msg.startsWith('Variables'))).toEqual([
      `Variables without effect, perhaps misspelled: ${names}`,
    ]);
    expect(warnings.filter((msg) => msg.startsWith('Active keys'))).toEqual([]);
    const otherPrefixes = { LIVE_KEY_PREFIX: 'league_live_', TEST_KEY_PREFIX: 'ffk_test_' };
    // Perhaps in use already. By default, metrics are not essential.
    const holder = net.createServer().listen(9464, '127.0.0.1');
    await once(holder, 'listening').catch(() => undefined);
    expect(await warningsWith({ ...otherPrefixes, METRICS_PORT: '' })).toEqual(
      expect.arrayContaining([
        'Active keys, such as ffk_live_000000000001…, are rejected: they do not begin with league_live_ (LIVE_KEY_PREFIX) or ffk_test_ (TEST_KEY_PREFIX)',
        expect.stringMatching(/^Metrics cannot be served on 127\.0\.0\.1:9464: the port is in use.*METRICS_PORT/),
      ]),
    );
    holder.close();
  });

  it('with an old Node.js ends with one sentence and code 1, in each program', async () => {
    // As of another version: only the check reads it.
    const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.6.9' } })`;
    const tooOld = ['--import', `data:text/javascript,${encodeURIComponent(versions)}`];
    for (const program of ['main', 'cli/admin', 'cli/ensure-indexes']) {
      const file = path.resolve(__dirname, `../../dist/${program}.js`);
      const server = await ServerProcess.spawn(production, undefined, ...tooOld, file);
      started.push(server);
      expect([program, await server.ended]).toEqual([program, 1]);
      expect(server.log).toBe('Node.js 24.6.9 is too old: 24.7 or later is required.\n');
    }
  });

  it('on a port in use exits with 1 and one message that names the port', async () => {
    const holder = net.createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as net.AddressInfo;
    try {
      const log = await startInvalid({ MONGODB_URI: testDatabaseUri(), PORT: String(port) });
      expect(log).toContain(`Port ${port} on 127.0.0.1 is in use`);
      expect(log).not.toMatch(/^ +at /m);
      expect(log.match(/in use/gi)).toHaveLength(1);
      expect(log).not.toMatch(/EADDRINUSE|"level":"error"/);
    } finally {
      holder.close();
    }
  });

  it('on a port of metrics in use exits with 1 and one message that names it', async () => {
    const holder = net.createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as net.AddressInfo;
    const log = await startInvalid({ MONGODB_URI: testDatabaseUri(), METRICS_PORT: String(port) });
    expect(log).toContain(`Metrics cannot be served on 127.0.0.1:${port}: the port is in use`);
    expect(log).toContain('METRICS_PORT');
    expect(log).not.toMatch(/^ +at /m);
    holder.close();
  });

  it('with an address of metrics that is not local exits with 1', async () => {
    const log = await startInvalid({ MONGODB_URI: testDatabaseUri(), METRICS_PORT: '0', METRICS_HOST: '203.0.113.1' });
    expect(log).toContain('Metrics cannot be served on 203.0.113.1:0');
  });
});
