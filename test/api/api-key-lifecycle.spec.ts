import { type Key, findListedKey, revokeKey, requestRotation } from '../support/api-keys.js';
import { expectFieldError, expectError } from '../support/expectations.js';
import { createKey, createOrganization } from '../support/organization.js';
import { cheapHashes, preload } from '../support/preload.js';
import { RunningServer, superAdmin } from '../support/server.js';

const server = RunningServer.forTests();

const revoke = (id: string) => revokeKey(server, id);
const rotate = (id: string) => requestRotation(server, id);

describe('a revoked key', () => {
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
