import { ObjectId } from 'mongodb';
import request from 'supertest';
import { countKeyReads } from '../support/key-reads.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(60_000);

const promised = 500;

/** Changes that end a key, each made on one replica. */
const endings: Record<string, (organization: TestOrganization) => Promise<unknown>> = {
  'it is revoked': ({ server, key }) => server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200),
  'it is rotated': ({ server, key }) => server.asSuperAdmin('post', `/api-keys/${key.id}/rotate`).expect(200),
  'its organization is disabled': ({ server, id }) =>
    server.asSuperAdmin('patch', `/organizations/${id}`).send({ disabled: true }).expect(200),
  'its creator is disabled': ({ server, creator }) =>
    server.asSuperAdmin('patch', `/users/${creator._id}`).send({ disabled: true }).expect(200),
};

describe('a key that two replicas have cached', () => {
  let one: RunningServer;
  let other: RunningServer;

  beforeAll(async () => {
    one = await RunningServer.start();
    other = await RunningServer.start({ MONGODB_URI: one.databaseUri });
  });
  afterAll(async () => {
    await other.end();
    await one.stop();
  });

  const statusOn = async ({ url }: RunningServer, key: string) =>
    (await request(url).get(`${api}/seasons`).set('Authorization', `Bearer ${key}`)).status;

  /** Creates an organization whose key both replicas have cached. */
  async function createCachedKey(): Promise<TestOrganization> {
    const organization = await createOrganization(one);
    const database = await one.database();
    for (const server of [one, other]) {
      const remembered = async () =>
        (await countKeyReads(database, async () => {
          expect(await statusOn(server, organization.key.apiKey)).toBe(200);
        })) === 0;
      await eventually('the key is cached', remembered);
    }
    return organization;
  }

  it.each(Object.entries(endings))(
    'when %s, stops working on the same replica with the next request, and on the other one within 0.5 s',
    async (_, end) => {
      for (let round = 0; round < 2; round++) {
        const organization = await createCachedKey();
        await end(organization);
        const ended = performance.now();
        expect(await statusOn(one, organization.key.apiKey)).toBe(401);
        while ((await statusOn(other, organization.key.apiKey)) !== 401) {
          expect(performance.now() - ended).toBeLessThan(promised);
        }
      }
    },
  );

  it('works again with the next request when its organization is enabled again', async () => {
    const organization = await createCachedKey();
    const set = (disabled: boolean) =>
      one.asSuperAdmin('patch', `/organizations/${organization.id}`).send({ disabled }).expect(200);
    await set(true);
    expect(await statusOn(one, organization.key.apiKey)).toBe(401);
    await set(false);
    expect(await statusOn(one, organization.key.apiKey)).toBe(200);
    await eventually('the other replica', async () => (await statusOn(other, organization.key.apiKey)) === 200, 1);
  });

  it('stops working within 0.5 s if it is revoked directly in the database', async () => {
    const { key } = await createCachedKey();
    const keys = (await one.database()).collection('apiKeys');
    await keys.deleteOne({ _id: new ObjectId(key.id) });
    await eventually('both reject the key', async () => (await statusOn(one, key.apiKey)) === 401, promised / 1_000);
    await eventually('both reject the key', async () => (await statusOn(other, key.apiKey)) === 401, promised / 1_000);
  });

  it('stops working with the first request after a paused replica resumes', async () => {
    for (let round = 0; round < 3; round++) {
      const { server, key } = await createCachedKey();
      other.process.kill('SIGSTOP');
      // The response in its socket is older than the revocation, so it must not count as current.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await server.asSuperAdmin('delete', `/api-keys/${key.id}`).expect(200);
      await new Promise((resolve) => setTimeout(resolve, promised));
      // It is in the socket when the process resumes, before any response of the database.
      const first = statusOn(other, key.apiKey);
      await new Promise((resolve) => setTimeout(resolve, 20));
      other.process.kill('SIGCONT');
      expect(await first).toBe(401);
    }
  });

  it('stays cached when its last use and logins of the creator of its organization are written', async () => {
    const organization = await createCachedKey();
    const { email, password } = organization.creator;
    const database = await one.database();
    const isNotRead = async () => {
      // The next login is written like the first one from its network.
      await database.collection('users').updateOne({ email }, { $unset: { recentLogins: 1 } });
      const reads = await countKeyReads(database, async () => {
        await one.login(email, password);
        const key = { _id: new ObjectId(organization.key.id) };
        await database.collection('apiKeys').updateOne(key, { $max: { lastUsedAt: new Date() } });
        for (let i = 0; i < 10; i++) {
          expect(await statusOn(one, organization.key.apiKey)).toBe(200);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      });
      const user = await database.collection('users').findOne({ email });
      expect(user?.['recentLogins']).toHaveLength(1);
      return reads === 0;
    };
    await eventually('no read after a login', isNotRead);
  });
});
