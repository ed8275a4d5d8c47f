import { MongoClient } from 'mongodb';
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

describe('after every operation was driven with success, and with secrets in every wrong place', () => {
  let server: RunningServer;
  let driven: ProbeResult[];
  let published: string;
  let stored: StoredValue[];
  let lines: Line[];

  beforeAll(async () => {
    server = await RunningServer.start({
      LOG_LEVEL: 'trace',
      MONGODB_URI: await aDatabaseWithLogin(hidden.create('the password of the database')),
      // Nobody answers there: the outage is logged.
      REDIS_URL: `redis://:${hidden.create('the password of Redis')}@127.0.0.1:1`,
      JWT_SECRET: hidden.create('JWT_SECRET'),
      SUPER_ADMIN_EMAIL: `${mark}@example.com`,
      SUPER_ADMIN_PASSWORD: hidden.create('SUPER_ADMIN_PASSWORD'),
    });
    hidden.addToken(server.superAdminToken);
    driven = await probeAllOperations(new OperationDriver(server, hidden, mark), secrets);
    await sendBrokenRequests(server.url);
    const documents = ['/openapi.json', '/admin/openapi.json', '/docs'].map((path) => server.call('get', path));
    published = (await Promise.all(documents)).map(({ text }) => text).join('\n');
    // What is written last is a part of it.
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

  it.each(operations)('$id was driven: with success, and never with a fault of ours', ({ id }) => {
    const found = driven.find(({ operation }) => operation.id === id);
    expect(found?.failures).toEqual([]);
    expect(found?.responses.some(({ what }) => what === 'success')).toBe(true);
  });

  it.each(operations)('no answer of $id shows a secret, but the one that makes it', ({ id }) => {
    const answers = driven.find(({ operation }) => operation.id === id)?.responses ?? [];
    expect(answers.length).toBeGreaterThan(10);
    const showing = answers.flatMap(({ what, text }) =>
      hidden.foundIn(text).map((secret) => `${what} shows ${secret}`),
    );
    expect(showing).toEqual([]);
    expect(answers.filter(({ text }) => /\$argon2|passwordHash|secretHash|secretTag/.test(text))).toEqual([]);
  });

  it('no document shows a secret', () => {
    expect(published).toContain('"openapi"');
    expect([...hidden.foundIn(published), ...named.foundIn(published)]).toEqual([]);
    expect(published).not.toContain('$argon2');
  });

  it('nothing that the server wrote shows a secret, a name or an email', () => {
    expect(lines.length).toBeGreaterThan(500);
    expect([...hidden.foundIn(server.log), ...named.foundIn(server.log)]).toEqual([]);
    expect(lines.filter((line) => JSON.stringify(line).includes(mark))).toEqual([]);
    expect(server.log).not.toMatch(/\$argon2|Bearer/);
  });

  it('nothing that is stored shows a secret', () => {
    expect(stored.length).toBeGreaterThan(1_000);
    const showing = stored.flatMap(({ place, text }) =>
      [hidden, named].flatMap((all) => all.foundIn(`${place} ${text}`)).map((secret) => `${place} shows ${secret}`),
    );
    expect(showing).toEqual([]);
    expect(stored.filter(({ text }) => /ffk_live_\w{13}|eyJ[\w-]+\.eyJ/.test(text))).toEqual([]);
  });

  it('hashes of secrets are stored where they are checked and nowhere else, all by argon2id', () => {
    const placesOf = (kind: RegExp) => new Set(stored.filter(({ text }) => kind.test(text)).map(({ place }) => place));
    const allowed = ['users.passwordHash', 'apiKeys.secretHash', 'apiKeys.previous.secretHash'];
    expect([...placesOf(/\$argon2/)].sort()).toEqual(allowed.sort());
    const weak = stored.filter(({ place, text }) => allowed.includes(place) && !text.startsWith('$argon2id$v=19$'));
    expect(weak).toEqual([]);
  });

  it('tags of secrets are stored with their keys and nowhere else', () => {
    const places = new Set(stored.map(({ place }) => place).filter((place) => /tag/i.test(place)));
    expect([...places].sort()).toEqual(['apiKeys.previous.secretTag', 'apiKeys.secretTag']);
  });

  it('nothing went wrong: no line of a fault was written', () => {
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  describe('the line of a request', () => {
    const always = ['level', 'time', 'msg', 'requestId', 'method', 'status', 'milliseconds'];
    const sometimes = ['route', 'apiKeyId', 'organizationId', 'userId', 'operation', 'error', 'aborted'];
    const ofRequests = () => lines.filter(({ msg }) => msg === 'request');

    it('says who asked for what and what became of it, and nothing else', () => {
      expect(ofRequests().length).toBeGreaterThan(500);
      const odd = ofRequests().filter((line) => {
        const names = Object.keys(line);
        return (
          !always.every((name) => names.includes(name)) ||
          names.some((name) => ![...always, ...sometimes].includes(name))
        );
      });
      expect(odd).toEqual([]);
    });

    it.each(operations)('is of the known form for $id', ({ method, path, success, caller }) => {
      const route = path.replace(/\{(\w+)\}/g, ':$1');
      const line = ofRequests().find((one) => one['route'] === route && one['status'] === success);
      const id = expect.stringMatching(/^[0-9a-f]{24}$/) as string;
      expect(line).toEqual({
        level: path.startsWith('/health/') ? 'debug' : 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        msg: 'request',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        method: expect.stringMatching(/^[A-Z]+$/) as string,
        route,
        status: success,
        milliseconds: expect.any(Number) as number,
        ...(caller === 'apiKey' && { apiKeyId: id, organizationId: id }),
        ...(caller === 'adminToken' && { userId: id }),
      });
      expect(ofRequests().some((one) => one['route'] === route && one['method'] === method.toUpperCase())).toBe(true);
    });
  });

  it('every other line has only fields that are known', () => {
    const known = [
      ...['level', 'time', 'msg', 'requestId', 'place', 'reason'],
      ...['address', 'version', 'userId', 'error', 'outageMs', 'signal', 'milliseconds'],
    ];
    const others = lines.filter(({ msg }) => msg !== 'request');
    expect(others.length).toBeGreaterThan(10);
    expect(others.filter((line) => Object.keys(line).some((name) => !known.includes(name)))).toEqual([]);
  });
});

/** A database that asks whoever says a name for the password. */
async function aDatabaseWithLogin(password: string): Promise<string> {
  const uri = new URL(testDatabaseUri());
  const client = await new MongoClient(uri.href).connect();
  await client.db().command({ createUser: 'server', pwd: password, roles: ['dbOwner'] });
  await client.close();
  uri.username = 'server';
  uri.password = password;
  return uri.href;
}

/** What Node refuses by itself: the server sees the whole of it. */
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
