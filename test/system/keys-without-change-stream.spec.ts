import request from 'supertest';
import { countKeyReads } from '../support/key-reads.js';
import { createOrganization, api, type TestOrganization } from '../support/organization.js';
import { MongodProcess } from '../support/mongod-process.js';
import { eventually } from '../support/processes.js';
import { RunningServer } from '../support/server.js';

jest.setTimeout(60_000);

/** Error code of a cursor that the database has closed. */
const cursorNotFound = 43;

describe('a replica without a current change stream, because', () => {
  let mongod: MongodProcess;
  let one: RunningServer;
  let other: RunningServer;

  beforeAll(async () => {
    mongod = await MongodProcess.start();
    one = await RunningServer.start({ MONGODB_URI: mongod.uri });
    other = await RunningServer.start({ MONGODB_URI: mongod.uri });
  });
  afterAll(async () => {
    await other.end();
    await one.stop();
    await mongod.remove();
  });
  afterEach(() => mongod.failCommands());

  const statusOn = async ({ url }: RunningServer, { key }: TestOrganization) =>
    (await request(url).get(`${api}/seasons`).set('Authorization', `Bearer ${key.apiKey}`)).status;

  async function readsOf(organization: TestOrganization): Promise<number> {
    return countKeyReads(await one.database(), async () => {
      for (let i = 0; i < 10; i++) expect(await statusOn(other, organization)).toBe(200);
    });
  }

  const isCached = async (organization: TestOrganization) => (await readsOf(organization)) === 0;

  it.each([
    ['the stream breaks', { failCommands: ['getMore'], errorCode: cursorNotFound }],
    ['the stream hangs', { failCommands: ['getMore'], blockConnection: true as const, blockTimeMS: 2_000 }],
  ])('%s, reads the key on every request and rejects a revoked one at once', async (_, data) => {
    const organization = await createOrganization(one);
    await eventually('the key is cached', () => isCached(organization));
    await mongod.failCommands(data);
    // Until then, the last response counts as current.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await readsOf(organization)).toBe(10);
    await one.asSuperAdmin('delete', `/api-keys/${organization.key.id}`).expect(200);
    expect(await statusOn(other, organization)).toBe(401);
  });

  it('the database was down, caches keys again as soon as the stream is current', async () => {
    const organization = await createOrganization(one);
    await mongod.failCommands({ failCommands: ['getMore'], errorCode: cursorNotFound });
    await eventually('the log line', () => other.log.includes('There is no change stream'));
    await mongod.failCommands();
    await eventually('the key is cached', () => isCached(organization));
    await one.asSuperAdmin('delete', `/api-keys/${organization.key.id}`).expect(200);
    await eventually('the key is rejected', async () => (await statusOn(other, organization)) === 401, 0.5);
  });

  it('it was interrupted, still rejects a key revoked meanwhile when the stream is current again', async () => {
    const organization = await createOrganization(one);
    await eventually('the key is cached', () => isCached(organization));
    await mongod.failCommands({ failCommands: ['getMore'], errorCode: cursorNotFound });
    await one.asSuperAdmin('delete', `/api-keys/${organization.key.id}`).expect(200);
    await mongod.failCommands();
    const end = performance.now() + 1_500;
    await new Promise((resolve) => setTimeout(resolve, 500));
    while (performance.now() < end) expect(await statusOn(other, organization)).toBe(401);
  });
});
