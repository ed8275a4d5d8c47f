import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import request, { type Response } from 'supertest';
import { hashSecret } from '../../src/access/secret-hasher.js';
import { formatApiKey, newKeyPrefix, newSecret, secretTagOf } from '../../src/modules/api-keys/api-key-format.js';
import { expectError } from '../support/expectations.js';
import { api, createOrganization, TestOrganization } from '../support/organization.js';
import { logLines, realHashes } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

const home = '198.51.100.1';
const partner = '203.0.113.5';
const attackers = 150;
const forgedPrefix = newKeyPrefix('ffk_live_');
const validPrefixes = Array.from({ length: 12 }, () => newKeyPrefix('ffk_live_'));
const secret = newSecret();

const server = RunningServer.forTests({ ...realHashes, TRUST_PROXY: '1' });

/** More than the queue and all cores can handle in time. */
const crowd = 200 + 20 * availableParallelism();

describe('many keys that are used for the first time at once', () => {
  const organization = TestOrganization.forTests(server);
  let keys: string[];

  beforeAll(async () => {
    const stored = (await server.database()).collection('apiKeys');
    const one = await stored.findOne({ _id: new ObjectId(organization.key.id) });
    // Each key is checked separately, although they have the same secret.
    const kept = { secretHash: await hashSecret(secret), secretTag: secretTagOf(secret) };
    const prefixes = Array.from({ length: crowd }, () => newKeyPrefix('ffk_live_'));
    await stored.insertMany(prefixes.map((keyPrefix) => ({ ...one, ...kept, _id: new ObjectId(), keyPrefix })));
    keys = prefixes.map((keyPrefix) => formatApiKey({ keyPrefix, secret }));
  });

  const call = (key: string): Promise<Response> =>
    Promise.resolve(request(server.url).get(`${api}/seasons`).set('Authorization', `Bearer ${key}`));

  it('get 503 with Retry-After beyond the queue and never 401; cached keys are served', async () => {
    expect((await call(organization.key.apiKey)).status).toBe(200);
    const responses = Promise.all(keys.map(call));
    for (let i = 0; i < 10; i++) expect((await call(organization.key.apiKey)).status).toBe(200);
    const rejected = (await responses).filter(({ status }) => status !== 200);
    const tooMany = rejected.filter(({ body }) => (body as { error: number }).error === 50302);
    expect(tooMany.length).toBeGreaterThan(0);
    for (const response of rejected) {
      // The deadline of a request that waited for a slot before can end first.
      expectError(response, tooMany.includes(response) ? 50302 : 50301);
      expect(response.headers['retry-after']).toBe('1');
    }
    // A log line for each would add to the load.
    const overloadWarnings = () => logLines(server.log, { level: 'warn' }).filter(({ error }) => error === 50302);
    await eventually('the log line', () => overloadWarnings().length > 0);
    expect(overloadWarnings().length).toBeLessThan(tooMany.length / 2);
    const [line] = overloadWarnings();
    expect(line?.['rejected']).toBeGreaterThan(0);
    expect(line).not.toHaveProperty('requestId');
  });
});

describe('during a flood of forged keys whose secrets have the right tag', () => {
  let organization: TestOrganization;
  let isFlooding = true;
  let forged = 0;
  let flood: Promise<unknown>;

  const use = async (address: string, keyPrefix: string, presented: string): Promise<number> => {
    const key = formatApiKey({ keyPrefix, secret: presented });
    const headers = { 'X-Forwarded-For': address, Authorization: `Bearer ${key}` };
    return (await fetch(`${server.url}${api}/seasons`, { headers })).status;
  };
  const login = async (): Promise<number> => {
    const { email, password } = organization.creator;
    const headers = { 'X-Forwarded-For': home, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ email, password });
    return (await fetch(`${server.url}/auth/login`, { method: 'POST', headers, body })).status;
  };
  const attack = async (number: number): Promise<void> => {
    for (; isFlooding; forged++) {
      const status = await use(`2001:db8:0:${number.toString(16)}::1`, forgedPrefix, newSecret());
      if (status === 429) await sleep(500);
    }
  };

  beforeAll(async () => {
    organization = await createOrganization(server);
    expect(await login()).toBe(200);
    const stored = (await server.database()).collection('apiKeys');
    const one = await stored.findOne({ _id: new ObjectId(organization.key.id) });
    const hashed = { ...one, secretHash: await hashSecret(secret) };
    const tagged = validPrefixes.map((keyPrefix) => ({ keyPrefix, secretTag: secretTagOf(secret) }));
    // Every secret has the tag of a key that was stored without one.
    const untagged = { keyPrefix: forgedPrefix, secretTag: undefined };
    await stored.insertMany(
      [...tagged, untagged].map((key) => ({ ...hashed, ...key, _id: new ObjectId() })),
      {
        ignoreUndefined: true,
      },
    );
    flood = Promise.all(Array.from({ length: attackers }, (_, number) => attack(number)));
    await eventually('the flood has started', () => forged > attackers, 25);
  });
  afterAll(async () => {
    isFlooding = false;
    await flood;
  });

  it('other keys are accepted at their first use, and admins log in from networks that they used before', async () => {
    const inOrder = async (calls: (() => Promise<number>)[]) => {
      let accepted = 0;
      for (const call of calls) accepted += Number((await call()) === 200);
      return accepted;
    };
    const [firstUses, logins] = await Promise.all([
      inOrder(validPrefixes.map((keyPrefix) => () => use(partner, keyPrefix, secret))),
      inOrder(Array.from({ length: 6 }, () => login)),
    ]);
    expect(firstUses).toBeGreaterThanOrEqual(10);
    expect(logins).toBeGreaterThanOrEqual(5);
  });

  it('the owner of a forged key can use it from an address without forged keys', async () => {
    await eventually('the first use', async () => (await use(partner, forgedPrefix, secret)) === 200, 25);
  });
});
