import { ObjectId } from 'mongodb';
import request from 'supertest';
import { countKeyReads } from '../support/key-reads.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { serverOnOwnMongod } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';

jest.setTimeout(60_000);

/** Error code of a cursor that the database has closed. */
const cursorNotFound = 43;

describe('a replica without a current change stream, because', () => {
  const { server, mongod } = serverOnOwnMongod();

  afterEach(() => mongod.failCommands());

  const statusOf = async ({ key }: TestOrganization) =>
    (await request(server.url).get(`${api}/seasons`).set('Authorization', `Bearer ${key.apiKey}`)).status;

  async function readsOf(organization: TestOrganization): Promise<number> {
    return countKeyReads(await server.database(), async () => {
      for (let i = 0; i < 10; i++) expect(await statusOf(organization)).toBe(200);
    });
  }

  /** Revokes the key as another replica does. */
  async function revoke({ key }: TestOrganization): Promise<void> {
    const keys = (await server.database()).collection('apiKeys');
    await keys.updateOne({ _id: new ObjectId(key.id) }, { $set: { status: 'revoked' } });
  }

  const isCached = async (organization: TestOrganization) => (await readsOf(organization)) === 0;

  it.each([
    ['the stream breaks', { failCommands: ['getMore'], errorCode: cursorNotFound }],
    ['the stream hangs', { failCommands: ['getMore'], blockConnection: true as const, blockTimeMS: 2_000 }],
  ])('%s, reads the key on every request and rejects a revoked one at once', async (_, data) => {
    const organization = await createOrganization(server);
    await eventually('the key is cached', () => isCached(organization));
    await mongod.failCommands(data);
    // Until then, the last response counts as current.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await readsOf(organization)).toBe(10);
    await revoke(organization);
    expect(await statusOf(organization)).toBe(401);
  });

  it('the database was down, caches keys again as soon as the stream is current', async () => {
    const organization = await createOrganization(server);
    await mongod.failCommands({ failCommands: ['getMore'], errorCode: cursorNotFound });
    await eventually('the log line', () => server.log.includes('There is no change stream'));
    await mongod.failCommands();
    await eventually('the key is cached', () => isCached(organization));
    await revoke(organization);
    await eventually('the key is rejected', async () => (await statusOf(organization)) === 401, 0.5);
  });

  it('it was interrupted, still rejects a key revoked meanwhile when the stream is current again', async () => {
    const organization = await createOrganization(server);
    await eventually('the key is cached', () => isCached(organization));
    await mongod.failCommands({ failCommands: ['getMore'], errorCode: cursorNotFound });
    await revoke(organization);
    await mongod.failCommands();
    const end = performance.now() + 1_500;
    await new Promise((resolve) => setTimeout(resolve, 500));
    while (performance.now() < end) expect(await statusOf(organization)).toBe(401);
  });
});
