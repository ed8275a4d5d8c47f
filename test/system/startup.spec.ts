import { once } from 'node:events';
import net from 'node:net';
import { createOrganization, api } from '../support/organization.js';
import { RawConnection } from '../support/raw-http.js';
import { ServerProcess } from '../support/server-process.js';
import { RunningServer } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';
import { freePort } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';

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

  it('with an invalid configuration lists every problem by name without secrets, and exits with 1 before it listens', async () => {
    const port = await freePort();
    const secrets = {
      JWT_SECRET: 'hunter2-too-short',
      SUPER_ADMIN_PASSWORD: 'hunter3',
      MONGODB_URI: 'postgres://root:hunter4@localhost/x',
      REDIS_URL: 'http://:hunter5@localhost',
    };
    const wrong = {
      RATE_LIMIT_PER_MINUTE: '0',
      AUTH_FAILURES_PER_MINUTE: '1.5',
      TRUST_PROXY: 'everybody',
      CORS_ORIGINS: '*',
      LOG_LEVEL: 'loud',
      LIVE_KEY_PREFIX: 'a key',
      SUPER_ADMIN_EMAIL: 'nobody',
      DB_ENSURE_INDEXES: 'perhaps',
    };
    const log = await startInvalid({ PORT: String(port), ...secrets, ...wrong });
    for (const name of Object.keys({ ...secrets, ...wrong })) expect(log).toMatch(new RegExp(`^ *- ${name} `, 'm'));
    expect(log).not.toMatch(/hunter\d/);
    expect(log).not.toMatch(/^ +at /m);
    expect(log).not.toMatch(/Ready|MongoDB is unavailable/);
    expect(await isRefused(`http://127.0.0.1:${port}`)).toBe(true);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', 'http'],
    ['RATE_LIMIT_PER_MINUTE', '1000000001'],
    ['AUTH_FAILURES_PER_MINUTE', '0'],
    ['TRUST_PROXY', 'true'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['JWT_SECRET', 'x'.repeat(31)],
    ['MONGODB_URI', 'mongodb://127.0.0.1:27017/?replicaSet=rs0'],
  ])('rejects %s=%s and names only this variable', async (name, value) => {
    const log = await startInvalid({ [name]: value });
    expect(log.match(/^ *- \w+/gm)).toEqual([expect.stringContaining(name)]);
  });

  it('in production reports that MONGODB_URI and JWT_SECRET are missing', async () => {
    const log = await startInvalid({ NODE_ENV: 'production', MONGODB_URI: '' });
    expect(log).toMatch(/^ *- MONGODB_URI is required/m);
    expect(log).toMatch(/^ *- JWT_SECRET is required/m);
  });

  it.each(['MONGODB_URI', 'JWT_SECRET'])('in production reports only that %s is missing', async (name) => {
    const log = await startInvalid({ ...production, [name]: '' });
    expect(log.match(/^ *- \w+/gm)).toEqual([expect.stringContaining(name)]);
  });

  it.each([
    'mongodb://user:hunter2@/x',
    'mongodb://user:hunt:er2@localhost/x',
    'mongodb://user:hunter2%@localhost/x',
    'mongodb://user:hunter2@localhost/x?nonsense=1',
    'mongodb://user:hunter2@localhost:port/x',
  ])('names MONGODB_URI but not its value if it is invalid: %s', async (uri) => {
    const log = await startInvalid({ MONGODB_URI: uri, PORT: 'http' });
    expect(log).toMatch(/^ *- MONGODB_URI /m);
    expect(log).toMatch(/^ *- PORT /m);
    expect(log).not.toMatch(/hunt/);
    expect(log).not.toMatch(/^ +at /m);
  });

  it('in production without Redis warns that limits are per replica', async () => {
    const server = await spawn({ ...production, MONGODB_URI: testDatabaseUri() });
    await server.waitForLog(/"level":"warn"[^\n]*REDIS_URL[^\n]*replica/);
    await server.waitForLog(/"msg":"Ready"/);
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
});

describe('the shutdown of the server', () => {
  let server: RunningServer;

  beforeEach(async () => {
    server = await RunningServer.start();
  });
  afterEach(() => server.stop());

  /** Starts a request whose body is incomplete, so that the server waits for the rest. */
  const startRequest = async (...headers: string[]) => {
    const organization = await createOrganization(server);
    const season = await organization.season();
    const body = JSON.stringify({ name: 'Last', season: season._id });
    const head = [
      `POST ${api}/teams HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${organization.key.apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      ...headers,
    ];
    const connection = await RawConnection.open(server.url);
    connection.send(`${head.join('\r\n')}\r\n\r\n`);
    await connection.receives('100 Continue');
    return { connection, body };
  };

  it.each(['SIGTERM', 'SIGINT'] as const)('is graceful on %s: exit code 0', async (signal) => {
    expect(await server.end(signal)).toBe(0);
    expect(server.log).toMatch(/"msg":"Stopping"/);
  });

  it('completes a running request, rejects new connections meanwhile, and then exits with 0', async () => {
    const { connection, body } = await startRequest('Connection: close');
    const ended = server.end();
    await eventually('new connections are rejected', () => isRefused(server.url));
    expect(server.process.exitCode).toBeNull();
    connection.send(body);
    expect((await connection.response()).status).toBe(201);
    expect(await ended).toBe(0);
    const teams = (await server.database()).collection('teams');
    expect(await teams.countDocuments({ name: 'Last' })).toBe(1);
  });

  it('completes a running request of a kept connection and exits within 2 s of its response', async () => {
    const { connection, body } = await startRequest('Connection: keep-alive');
    const ended = server.end();
    await eventually('new connections are rejected', () => isRefused(server.url));
    connection.send(body);
    await connection.receives('HTTP/1.1 201 ');
    const answered = Date.now();
    expect(await ended).toBe(0);
    expect(Date.now() - answered).toBeLessThan(2_000);
    const answer = await connection.response();
    expect(JSON.parse(answer.body)).toMatchObject({ name: 'Last' });
  });

  it('responds 503 to a readiness check on a kept connection and closes the connection', async () => {
    const asking = await RawConnection.open(server.url);
    asking.send('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await asking.receives('"ok"');
    asking.send('GET /health/ready HTTP/1.1\r\n');
    // After several requests on other connections, the server has also read the start of this one.
    const { connection, body } = await startRequest();
    const ended = server.end();
    await eventually('new connections are rejected', () => isRefused(server.url));
    asking.send('Host: localhost\r\n\r\n');
    await asking.receives('HTTP/1.1 503 ');
    await asking.receives('Connection: close');
    await asking.receives('The server is stopping');
    connection.send(body);
    expect((await connection.response()).status).toBe(201);
    expect(await ended).toBe(0);
  });

  it('does not wait for connections without requests', async () => {
    const idle = await RawConnection.open(server.url);
    idle.send('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.receives('"ok"');
    const begun = Date.now();
    expect(await server.end()).toBe(0);
    expect(Date.now() - begun).toBeLessThan(5_000);
    idle.close();
  });
});

/** Returns true if no server listens at the address. */
async function isRefused(url: string): Promise<boolean> {
  try {
    (await RawConnection.open(url)).close();
    return false;
  } catch {
    return true;
  }
}
