import { type Key, findListedKey, revokeKey, requestRotation, isKeyAccepted } from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createKey, createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer, superAdmin } from '../support/server.js';

let server: RunningServer;

beforeAll(async () => {
  server = await RunningServer.shared();
});

afterAll(() => server.stop());

const revoke = (id: string) => revokeKey(server, id);
const rotate = (id: string) => requestRotation(server, id);

describe('a revoked key', () => {
  it('gets 401 with the next request, while other keys keep working', async () => {
    const organization = await createOrganization(server);
    const other = await createKey(server, organization.id);
    const { id, apiKey } = organization.key;
    expect(await isKeyAccepted(organization, apiKey)).toBe(true);

    const response = await revoke(id);

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ message: expect.stringMatching(/\S/) as string });
    expect(await isKeyAccepted(organization, apiKey)).toBe(false);
    expect(await isKeyAccepted(organization, other.apiKey)).toBe(true);
  });

  it('stays listed as revoked', async () => {
    const organization = await createOrganization(server);
    const before = await findListedKey(organization);
    await revoke(organization.key.id).expect(200);
    expect(await findListedKey(organization)).toEqual({ ...before, status: 'revoked' });
  });
});

describe('a rotated key', () => {
  it('keeps ID, prefix, name and creator, and shows who rotated it and when', async () => {
    const organization = await createOrganization(server);
    const { apiKey, ...before } = organization.key as Key;

    const response = await rotate(before.id);

    expect(response.status).toBe(200);
    const { apiKey: renewed, lastRotatedBy, rotatedAt, ...rest } = response.body as Key;
    expect(rest).toEqual(before);
    expect(lastRotatedBy).toEqual(before['createdBy']);
    expect(lastRotatedBy).toMatchObject({ email: superAdmin.email });
    expect(Math.abs(Date.parse(String(rotatedAt)) - Date.now())).toBeLessThan(60_000);
    expect(renewed).toMatch(/^ffk_live_[0-9A-Za-z]{50}$/);
    expect(renewed.startsWith(before.keyPrefix)).toBe(true);
    expect(renewed).not.toBe(apiKey);
    expect(await findListedKey(organization)).toEqual({ ...before, lastRotatedBy, rotatedAt });
  });
});

describe.each([
  ['revoking', (id: string) => revoke(id)],
  ['rotating', (id: string) => rotate(id)],
])('%s a key', (_what, act) => {
  it('returns 40405 for an unknown key', async () => {
    expectError(await act('f'.repeat(24)), 40405);
  });

  it.each(['nonsense'])('returns 40001 for the malformed ID %s', async (id) => {
    expectFieldError(await act(id), 'id');
  });
});

describe('a change in the database itself', () => {
  it.each([
    ['organization', 'disabled'],
    ['organization', 'removed'],
    ['creator of the organization', 'disabled'],
    ['creator of the organization', 'removed'],
  ])('%s (%s): rejects the keys', async (what, how) => {
    const organization = await createOrganization(server);
    expect(await isKeyAccepted(organization, organization.key.apiKey)).toBe(true);
    const database = await server.database();
    const users = database.collection('users');
    const creator = await users.findOne({ email: organization.creator.email });
    const [collection, id] =
      what === 'organization'
        ? [database.collection('organizations'), creator?.['organizationId'] as typeof creator]
        : [users, creator?._id];
    const filter = { _id: id } as object;

    if (how === 'removed') expect((await collection.deleteOne(filter)).deletedCount).toBe(1);
    else expect((await collection.updateOne(filter, { $set: { disabledAt: new Date() } })).modifiedCount).toBe(1);

    await eventually(
      'the key is rejected',
      async () => !(await isKeyAccepted(organization, organization.key.apiKey)),
      2,
    );
  });
});

describe('the last use of a key', () => {
  it('is written when the server stops, only for keys that were accepted', async () => {
    const own = await RunningServer.start(preload(cheapHashes));
    const organization = await createOrganization(own);
    const revoked = await createKey(own, organization.id);
    await own.asSuperAdmin('delete', `/api-keys/${revoked.id}`).expect(200);
    const begun = new Date();
    await organization.call('get', '/teams').expect(200);
    await organization.call('get', '/teams', revoked.apiKey).expect(401);
    const done = new Date();

    expect(await own.end()).toBe(0);

    const used = await (
      await own.database()
    )
      .collection('apiKeys')
      .find({ lastUsedAt: { $ne: null } })
      .toArray();
    expect(used).toMatchObject([{ keyPrefix: organization.key.keyPrefix, lastUsedAt: expect.any(Date) as Date }]);
    expect(used[0]?.['lastUsedAt'] >= begun && used[0]?.['lastUsedAt'] <= done).toBe(true);
    await own.stop();
  });
});
