import { ObjectId } from 'mongodb';
import request from 'supertest';
import { countKeyReads } from '../support/key-reads.js';
import { createKey, createOrganization, api, type TestOrganization } from '../support/organization.js';
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

  it('is not read again on further uses', async () => {
    const { key } = await createCachedKey();
    const database = await one.database();
    const isNotRead = async () =>
      (await countKeyReads(database, async () => {
        for (let i = 0; i < 20; i++) expect(await statusOn(i % 2 ? one : other, key.apiKey)).toBe(200);
      })) === 0;
    // A process that was paused reads the key once more, because it may have missed a change.
    await eventually('no read in twenty uses', isNotRead);
  });

  it.each(Object.entries(endings))(
    'when %s, stops working on the same replica with the next request, and on the other one within 0.5 s',
    async (_, end) => {
      for (let round = 0; round < 5; round++) {
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

  it('loses a scope on the same replica with the next request, and on the other one within 0.5 s', async () => {
    for (let round = 0; round < 5; round++) {
      const { key } = await createCachedKey();
      await one
        .asSuperAdmin('patch', `/api-keys/${key.id}`)
        .send({ scopes: ['teams:read'] })
        .expect(200);
      const ended = performance.now();
      expect(await statusOn(one, key.apiKey)).toBe(403);
      while ((await statusOn(other, key.apiKey)) !== 403) {
        expect(performance.now() - ended).toBeLessThan(promised);
      }
    }
  });

  it.each([
    ['an organization', 'organizations'],
    ['a creator', 'users'],
  ])('works again with the next request when %s is enabled again', async (_, collection) => {
    const organization = await createCachedKey();
    const id = collection === 'users' ? organization.creator._id : organization.id;
    const set = (disabled: boolean) => one.asSuperAdmin('patch', `/${collection}/${id}`).send({ disabled }).expect(200);
    await set(true);
    expect(await statusOn(one, organization.key.apiKey)).toBe(401);
    await set(false);
    expect(await statusOn(one, organization.key.apiKey)).toBe(200);
    await eventually('the other replica', async () => (await statusOn(other, organization.key.apiKey)) === 200, 1);
  });

  it('stops working on both with the first request after its expiry', async () => {
    const { id } = await createCachedKey();
    const expiresAt = new Date(Date.now() + 1_500);
    const { apiKey } = await createKey(one, id, { expiresAt: expiresAt.toISOString() });
    for (const server of [one, other, one, other]) expect(await statusOn(server, apiKey)).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, expiresAt.getTime() - Date.now()));
    for (const server of [one, other]) expect(await statusOn(server, apiKey)).toBe(401);
  });

  it('stops working within 0.5 s if it is revoked directly in the database', async () => {
    const { key } = await createCachedKey();
    const keys = (await one.database()).collection('apiKeys');
    await keys.deleteOne({ _id: new ObjectId(key.id) });
    await eventually('both reject the key', async () => (await statusOn(one, key.apiKey)) === 401, promised / 1_000);
    await eventually('both reject the key', async () => (await statusOn(other, key.apiKey)) === 401, promised / 1_000);
  });

  it('stops working with the first request after a paused replica resumes', async () => {
    for (let round = 0; round < 8; round++) {
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

  it('stays cached when logins of the creator of its organization are written', async () => {
    const organization = await createCachedKey();
    const { email, password } = organization.creator;
    const database = await one.database();
    const isNotRead = async () => {
      // The next login is written like the first one from its network.
      await database.collection('users').updateOne({ email }, { $unset: { recentLogins: 1 } });
      const reads = await countKeyReads(database, async () => {
        await one.login(email, password);
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

  it('stays cached when its last use is written', async () => {
    const { key } = await createCachedKey();
    const reads = await countKeyReads(await one.database(), async () => {
      await (
        await one.database()
      )
        .collection('apiKeys')
        .updateOne({ _id: new ObjectId(key.id) }, { $max: { lastUsedAt: new Date() } });
      for (let i = 0; i < 10; i++) {
        expect(await statusOn(one, key.apiKey)).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    expect(reads).toBe(0);
  });
});
