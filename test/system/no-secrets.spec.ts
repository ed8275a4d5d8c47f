import { MongoClient } from 'mongodb';
import { optionalRequestFields, requestFields } from '../support/log-fields.js';
import { type ProbeResult, type ProbeSecrets, probeAllOperations } from '../support/operation-probe.js';
import { uniqueMark, SecretTracker } from '../support/secret-tracker.js';
import { OperationDriver } from '../support/operation-driver.js';
import { operations } from '../support/operations.js';
import { api } from '../support/organization.js';
import { exchange } from '../support/raw-http.js';
import { RunningServer } from '../support/server.js';
import { readAllStoredValues, type StoredValue } from '../support/stored-values.js';
import { testDatabaseUri } from '../support/test-database.js';

type Line = Record<string, unknown>;

const mark = uniqueMark();
const hidden = new SecretTracker();
const named = new SecretTracker();
const secrets: ProbeSecrets = { hidden, named };

/** What admins change. A refreshed session is no change. */
const changesOfAdmins = operations.filter(
  ({ id, caller, method }) => caller !== 'apiKey' && method !== 'get' && id !== 'refresh',
);

describe('after every operation succeeded, and was called with secrets in wrong places', () => {
  let server: RunningServer;
  let driven: ProbeResult[];
  let published: string;
  let stored: StoredValue[];
  let lines: Line[];

  beforeAll(async () => {
    server = await RunningServer.start({
      LOG_LEVEL: 'trace',
      MONGODB_URI: await aDatabaseWithLogin(hidden.create('the password of the database')),
      // Not reachable, so that the outage is logged.
      REDIS_URL: `redis://:${hidden.create('the password of Redis')}@127.0.0.1:1`,
      JWT_SECRET: hidden.create('JWT_SECRET'),
      SECOND_FACTOR_KEY: hidden.create('SECOND_FACTOR_KEY'),
      SUPER_ADMIN_EMAIL: `${mark}@example.com`,
      SUPER_ADMIN_PASSWORD: hidden.create('SUPER_ADMIN_PASSWORD'),
    });
    hidden.addToken(server.superAdminToken);
    driven = await probeAllOperations(new OperationDriver(server, hidden, mark), secrets);
    await sendBrokenRequests(server.url);
    const documents = ['/openapi.json', '/admin/openapi.json', '/docs'].map((path) => server.call('get', path));
    published = (await Promise.all(documents)).map(({ text }) => text).join('\n');
    // Includes the last log lines.
    await server.end();
    stored = await readAllStoredValues(await server.database());
    lines = server.log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  }, 180_000);
  afterAll(async () => {
    await (await server.database()).command({ dropAllUsersFromDatabase: 1 });
    await server.stop();
  });

  it.each(operations)('$id succeeded and never returned 500', ({ id }) => {
    const found = driven.find(({ operation }) => operation.id === id);
    expect(found?.failures).toEqual([]);
    expect(found?.responses.some(({ what }) => what === 'success')).toBe(true);
  });

  it.each(changesOfAdmins)('$id is in the audit log', async ({ id }) => {
    const { requestId } = driven.find(({ operation }) => operation.id === id) ?? {};
    const events = (await server.database()).collection('auditEvents');
    expect(await events.countDocuments({ requestId: requestId ?? 'none', outcome: 'success' })).toBeGreaterThan(0);
  });

  it.each(operations)('no response of $id contains a secret, except when it is created', ({ id }) => {
    const answers = driven.find(({ operation }) => operation.id === id)?.responses ?? [];
    expect(answers.length).toBeGreaterThan(10);
    const showing = answers.flatMap(({ what, text }) =>
      hidden.foundIn(text).map((secret) => `${what} shows ${secret}`),
    );
    expect(showing).toEqual([]);
    expect(answers.filter(({ text }) => /\$argon2|passwordHash|secretHash|secretTag/.test(text))).toEqual([]);
  });

  it('no OpenAPI document contains a secret', () => {
    expect(published).toContain('"openapi"');
    expect([...hidden.foundIn(published), ...named.foundIn(published)]).toEqual([]);
    expect(published).not.toContain('$argon2');
  });

  it('the log contains no secret, name or email', () => {
    expect(lines.length).toBeGreaterThan(500);
    expect([...hidden.foundIn(server.log), ...named.foundIn(server.log)]).toEqual([]);
    expect(lines.filter((line) => JSON.stringify(line).includes(mark))).toEqual([]);
    expect(server.log).not.toMatch(/\$argon2|Bearer/);
  });

  it('the database contains no secret, except those that sign webhooks', () => {
    expect(stored.length).toBeGreaterThan(1_000);
    const signing = ['webhookEndpoints.secret', 'webhookEndpoints.previousSecret.secret'];
    const others = stored.filter(({ place }) => !signing.includes(place));
    const showing = others.flatMap(({ place, text }) =>
      [hidden, named].flatMap((all) => all.foundIn(`${place} ${text}`)).map((secret) => `${place} shows ${secret}`),
    );
    expect(showing).toEqual([]);
    expect(stored.filter(({ text }) => /ffk_live_\w{13}|eyJ[\w-]+\.eyJ/.test(text))).toEqual([]);
  });

  it('hashes of secrets are stored only where they are checked, all with argon2id', () => {
    const placesOf = (kind: RegExp) => new Set(stored.filter(({ text }) => kind.test(text)).map(({ place }) => place));
    const allowed = ['users.passwordHash', 'apiKeys.secretHash', 'apiKeys.previous.secretHash'];
    expect([...placesOf(/\$argon2/)].sort()).toEqual(allowed.sort());
    // The preload rejects weak parameters before it hashes with these.
    const strong = /^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43,}$/;
    const weak = stored.filter(({ place, text }) => allowed.includes(place) && !strong.test(text));
    expect(weak).toEqual([]);
  });

  it('tags of secrets are stored only with their keys', () => {
    const places = new Set(stored.map(({ place }) => place).filter((place) => /tag/i.test(place)));
    expect([...places].sort()).toEqual(['apiKeys.previous.secretTag', 'apiKeys.secretTag']);
  });

  it('the log contains no error', () => {
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  describe('the log line of a request', () => {
    const ofRequests = () => lines.filter(({ msg }) => msg === 'request completed');

    it('has the caller, the operation and the result, and nothing else', () => {
      expect(ofRequests().length).toBeGreaterThan(500);
      const odd = ofRequests().filter((line) => {
        const names = Object.keys(line);
        return (
          !requestFields.every((name) => names.includes(name)) ||
          names.some((name) => ![...requestFields, ...optionalRequestFields].includes(name))
        );
      });
      expect(odd).toEqual([]);
    });

    it.each(operations)('has the known fields for $id', ({ method, path, success, caller }) => {
      const route = path.replace(/\{(\w+)\}/g, ':$1');
      const line = ofRequests().find((one) => one['route'] === route && one['status'] === success);
      const id = expect.stringMatching(/^[0-9a-f]{24}$/) as string;
      expect(line).toEqual({
        level: path.startsWith('/health/') ? 'debug' : 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        msg: 'request completed',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        method: expect.stringMatching(/^[A-Z]+$/) as string,
        route,
        status: success,
        durationMs: expect.any(Number) as number,
        ...(caller === 'apiKey' && { apiKeyId: id, organizationId: id }),
        ...(caller === 'adminToken' && { userId: id }),
      });
      expect(ofRequests().some((one) => one['route'] === route && one['method'] === method.toUpperCase())).toBe(true);
    });
  });
});

/** Starts a database that requires a password. */
async function aDatabaseWithLogin(password: string): Promise<string> {
  const uri = new URL(testDatabaseUri());
  const client = await new MongoClient(uri.href).connect();
  await client.db().command({ createUser: 'server', pwd: password, roles: ['dbOwner'] });
  await client.close();
  uri.username = 'server';
  uri.password = password;
  return uri.href;
}

/** Requests that Node rejects itself, with a secret in each. */
async function sendBrokenRequests(url: string): Promise<void> {
  const secret = () => mark + hidden.create('a secret in a broken request');
  const broken = [
    `GET ${api}/teams?key=${secret()} HTTP/9.9\r\nHost: x\r\n\r\n`,
    `GET ${api}/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret()}\r\nX-A: a\u0000b\r\n\r\n`,
    `GET ${api}/teams HTTP/1.1\r\nHost: ${secret()} x\r\nConnection: close\r\n\r\n`,
    `GET http://${secret()}@ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `GET /${secret()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `GET ${api}/teams HTTP/1.1\r\nHost: x\r\nX-A: ${secret()}${'a'.repeat(20_000)}\r\n\r\n`,
    `POST ${api}/teams HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${secret()}\r\n`,
    secret(),
  ];
  for (const request of broken) {
    const { headers, body } = await exchange(url, `${request}\r\n\r\n`);
    expect(hidden.foundIn(JSON.stringify(headers) + body)).toEqual([]);
  }
}
