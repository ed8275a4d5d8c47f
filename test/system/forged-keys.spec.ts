import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { hashSecret } from '../../src/access/secret-hasher.js';
import { formatApiKey, newKeyPrefix, newSecret, secretTagOf } from '../../src/modules/api-keys/api-key-format.js';
import { api, createOrganization, type TestOrganization } from '../support/organization.js';
import { realHashes } from '../support/preload.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

const home = '198.51.100.1';
const partner = '203.0.113.5';
const attackers = 150;
const forgedPrefix = newKeyPrefix('ffk_live_');
const validPrefixes = Array.from({ length: 12 }, () => newKeyPrefix('ffk_live_'));
const secret = newSecret();

describe('during a flood of forged keys whose secrets have the right tag', () => {
  let server: RunningServer;
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
    server = await RunningServer.start({ ...realHashes, TRUST_PROXY: '1' });
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
    await server.stop();
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
