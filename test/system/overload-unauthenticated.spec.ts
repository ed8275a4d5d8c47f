import type { Response } from 'supertest';
import { formatApiKey, newSecret } from '../../src/modules/api-keys/api-key-format.js';
import { expectError } from '../support/expectations.js';
import { database, serverOnOwnMongod } from '../support/mongod-process.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { referenceScript } from '../support/pages.js';
import { RawConnection } from '../support/raw-http.js';

const addressOf = (index: number) => `198.51.${index >> 8}.${index & 255}`;

describe('callers without a key', () => {
  // Trusts one proxy, so that a test can set addresses; 16 slots, of which anonymous callers share two.
  const { server, mongod } = serverOnOwnMongod({ MAX_REQUESTS_IN_FLIGHT: '16', TRUST_PROXY: '1' });
  let known: TestOrganization;
  let schedule: string;

  beforeAll(async () => {
    known = await createOrganization(server, 'Known');
    schedule = `/schedules/${(await known.schedule((await known.team())._id))._id}`;
    // A key is cached from its third use on.
    for (let i = 0; i < 3; i++) await known.call('get', schedule).expect(200);
  });
  afterEach(() => mongod.failCommands());

  it('occupy no slot with bodies that do not arrive, which are rejected after 5 s', async () => {
    const halfLogin = async (index: number) => {
      const connection = await RawConnection.open(server.url);
      const head = ['Host: x', `X-Forwarded-For: ${addressOf(index % 44)}`, 'Content-Type: application/json'];
      connection.send(`POST /auth/login HTTP/1.1\r\n${head.join('\r\n')}\r\nContent-Length: 90\r\n\r\n{"email":`);
      return connection;
    };
    const first = await halfLogin(0);
    const connections = await Promise.all(Array.from({ length: 1_200 }, (_, index) => halfLogin(index)));
    // The last one is rejected before its body arrives, because too many bodies are being received.
    await eventually('bodies are rejected', async () => {
      const connection = await halfLogin(1);
      connections.push(connection);
      const answered = connection.receives('503 Service Unavailable').then(
        () => true,
        () => false,
      );
      const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), 200));
      return Promise.race([answered, pause]);
    });
    const responses = await Promise.all(Array.from({ length: 40 }, () => known.call('get', schedule)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    await server.call('get', '/health/ready').expect(200);
    expect(await first.transcript(15)).toMatch(/^HTTP\/1\.1 400 [^]*Connection: close[^]*not sent in time/i);
    for (const connection of connections) connection.close();
  });

  it('have their own queue: a cached key is served at once beside hundreds of addresses', async () => {
    await mongod.failCommands({
      failCommands: ['aggregate'],
      blockConnection: true,
      blockTimeMS: 100,
      namespace: `${database}.apiKeys`,
    });
    const prefix = known.key.keyPrefix.slice(0, -4);
    const unknownKey = (index: number) =>
      formatApiKey({ keyPrefix: `${prefix}${String(index).padStart(4, '0')}`, secret: newSecret() });
    const responses: Response[] = [];
    const anonymous = Array.from({ length: 200 }, async (_, index) => {
      const call = server.call('get', `${api}/seasons`).set('Authorization', `Bearer ${unknownKey(index)}`);
      responses.push(await call.set('X-Forwarded-For', addressOf(1_000 + index)));
    });
    const served = () => responses.filter(({ status }) => status === 401).length;
    await eventually('anonymous callers are served', () => served() > 0);
    const before = served();
    await known.call('get', schedule).set('X-Forwarded-For', addressOf(2_000)).expect(200);
    // In a shared queue, it would be served after nearly all of them.
    expect(served() - before).toBeLessThan(10);
    await Promise.all(anonymous);
    expect(responses.every(({ status }) => status === 401 || status === 503)).toBe(true);
  });

  it('are disconnected if they pipeline more than 8 requests, and known callers if more than 100', async () => {
    const responsesTo = async (requests: string) => {
      const connection = await RawConnection.open(server.url);
      connection.send(requests);
      const transcript = await connection.transcript(10).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return '';
        throw error;
      });
      return transcript.split('HTTP/1.1 ').length - 1;
    };
    const asStranger = 'GET / HTTP/1.1\r\nHost: x\r\n';
    const asKnown = `${asStranger}Authorization: Bearer ${known.key.apiKey}\r\n`;
    expect(await responsesTo(`${asStranger}\r\n`.repeat(3_600))).toBeLessThanOrEqual(8);
    expect(await responsesTo(`${`${asKnown}\r\n`.repeat(99)}${asKnown}Connection: close\r\n\r\n`)).toBe(100);
    expect(await responsesTo(`${asKnown}\r\n`.repeat(3_600))).toBeLessThanOrEqual(100);
  });

  it('occupy no slot by reading slowly', async () => {
    const script = await referenceScript(server);
    const connections = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(server.url)));
    for (const connection of connections) {
      connection.pause();
      connection.send(`GET ${script} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(6));
    }
    for (const path of ['/openapi.json', '/docs', '/docs/quickstart.json', '/console']) {
      await server.call('get', path).set('X-Forwarded-For', addressOf(3_000)).expect(200);
    }
    expectError(await server.call('get', '/docs/package.json'), 40400);
    for (const connection of connections) connection.close();
  });
});
