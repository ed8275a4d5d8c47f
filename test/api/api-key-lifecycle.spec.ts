import { type Key, findListedKey, revokeKey, requestRotation, isKeyAccepted } from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createKey, createOrganization } from '../support/organization.js';
import { eventually } from '../support/processes.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer, superAdmin } from '../support/server.js';
import { testDatabaseUri } from '../support/test-database.js';

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

  it('can be revoked again', async () => {
    const organization = await createOrganization(server);
    await revoke(organization.key.id).expect(200);
    await revoke(organization.key.id).expect(200);
    expect((await findListedKey(organization))?.status).toBe('revoked');
  });

  it('cannot be rotated', async () => {
    const organization = await createOrganization(server);
    await revoke(organization.key.id).expect(200);

    expectError(await rotate(organization.key.id), 40903);

    expect(await findListedKey(organization)).not.toHaveProperty('rotatedAt');
    await eventually(
      'the key is rejected',
      async () => !(await isKeyAccepted(organization, organization.key.apiKey)),
      2,
    );
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

  it('works only with its new secret as soon as the rotation responds', async () => {
    const organization = await createOrganization(server);
    const { id, apiKey } = organization.key;
    expect(await isKeyAccepted(organization, apiKey)).toBe(true);

    const { apiKey: renewed } = (await rotate(id).expect(200)).body as Key;

    expect(await isKeyAccepted(organization, apiKey)).toBe(false);
    expect(await isKeyAccepted(organization, renewed)).toBe(true);
    const { apiKey: again } = (await rotate(id).expect(200)).body as Key;
    expect([await isKeyAccepted(organization, apiKey), await isKeyAccepted(organization, renewed)]).toEqual([
      false,
      false,
    ]);
    expect(await isKeyAccepted(organization, again)).toBe(true);
  });

  it('keeps its expiry', async () => {
    const organization = await createOrganization(server);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await createKey(server, organization.id, { expiresAt });
    expect((await rotate(id).expect(200)).body).toMatchObject({ expiresAt, status: 'active' });
  });
});

describe.each([
  ['revoking', (id: string) => revoke(id)],
  ['rotating', (id: string) => rotate(id)],
])('%s a key', (_what, act) => {
  it('returns 40405 for an unknown key', async () => {
    expectError(await act('f'.repeat(24)), 40405);
  });

  it.each(['nonsense', 'f'.repeat(23), 'g'.repeat(24)])('returns 40001 for the malformed ID %s', async (id) => {
    expectFieldError(await act(id), 'id');
  });

  it('accepts an ID in upper case', async () => {
    const organization = await createOrganization(server);
    expect((await act(organization.key.id.toUpperCase())).status).toBe(200);
    expect(await isKeyAccepted(organization, organization.key.apiKey)).toBe(false);
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
  it('is written when the server stops, and listed only for keys that were accepted', async () => {
    const MONGODB_URI = testDatabaseUri('last-used');
    const first = await RunningServer.start({ ...preload(cheapHashes), MONGODB_URI });
    const organization = await createOrganization(first);
    const unused = await createKey(first, organization.id);
    const revoked = await createKey(first, organization.id);
    await first.asSuperAdmin('delete', `/api-keys/${revoked.id}`).expect(200);
    const begun = Date.now();
    await organization.call('get', '/teams').expect(200);
    await organization.call('get', '/teams', revoked.apiKey).expect(401);
    const done = Date.now();

    expect(await first.end()).toBe(0);

    const records = await (await first.database()).collection('apiKeys').find().toArray();
    const usedAt = (keyPrefix: string) =>
      records.find((record) => record['keyPrefix'] === keyPrefix)?.['lastUsedAt'] as Date | undefined;
    const lastUsedAt = usedAt(organization.key.keyPrefix);
    expect(lastUsedAt?.getTime()).toBeGreaterThanOrEqual(begun);
    expect(lastUsedAt?.getTime()).toBeLessThanOrEqual(done);
    expect([usedAt(unused.keyPrefix), usedAt(revoked.keyPrefix)]).toEqual([undefined, undefined]);

    const second = await RunningServer.start({ ...preload(cheapHashes), MONGODB_URI });
    const response = await second.asSuperAdmin('get', `/api-keys?organizationId=${organization.id}`).expect(200);
    expect((response.body as { data: Key[] }).data.map((key) => key['lastUsedAt'])).toEqual([
      lastUsedAt?.toISOString(),
      undefined,
      undefined,
    ]);
    await second.stop();
    await first.stop();
  });
});
