import { ObjectId } from 'mongodb';
import { endGracePeriod, revokeKey, requestRotation, rotateKey, isKeyAccepted } from '../support/api-keys.js';
import { expectError } from '../support/expectations.js';
import { createKey, TestOrganization } from '../support/organization.js';
import { RunningServer, superAdmin } from '../support/server.js';

type Event = Record<string, unknown>;

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server, beforeEach);

/** The recorded changes of a key, oldest first. */
async function eventsOf(id: string): Promise<Event[]> {
  const events = (await server.database()).collection('auditEvents');
  return events
    .find({ 'target._id': new ObjectId(id), outcome: 'success' })
    .sort({ at: 1, _id: 1 })
    .toArray();
}

const actionsOf = async (id: string) => (await eventsOf(id)).map((event) => event['action']);

describe('the audit of an API key', () => {
  it('records each change once, with actor, time, organization and values', async () => {
    const limits = { scopes: ['teams:read'], allowedAddresses: ['127.0.0.0/8'], expiresAt: '2199-01-01T00:00:00.000Z' };
    const begun = Date.now();
    const { id, keyPrefix } = await createKey(server, organization.id, { name: 'ERP', ...limits });
    await rotateKey(server, id, { graceSeconds: 60 });
    await endGracePeriod(server, id).expect(200);
    await rotateKey(server, id);
    await revokeKey(server, id).expect(200);

    const events = await eventsOf(id);

    const me = (await server.asSuperAdmin('get', '/auth/me').expect(200)).body as { data: { _id: string } };
    const known = { name: 'ERP', keyPrefix };
    expect(events.map(({ action, changes }) => [action, changes])).toEqual([
      ['createApiKey', { ...known, ...limits, expiresAt: new Date(limits.expiresAt) }],
      ['rotateApiKey', { ...known, graceSeconds: 60 }],
      ['endGracePeriod', known],
      ['rotateApiKey', { ...known, graceSeconds: 0 }],
      ['revokeApiKey', known],
    ]);
    for (const event of events) {
      expect(event).toMatchObject({ outcome: 'success', target: { kind: 'apiKey' }, address: '127.0.0.1' });
      expect(String(event['organizationId'])).toBe(organization.id);
      expect(event['actor']).toEqual({
        kind: 'user',
        _id: new ObjectId(me.data._id),
        email: superAdmin.email,
        role: 'superAdmin',
      });
      expect((event['at'] as Date).getTime()).toBeGreaterThanOrEqual(begun);
    }
  });

  it('does not record repeated revocations, ending a missing grace period or rejected rotations', async () => {
    const { id } = organization.key;
    await endGracePeriod(server, id).expect(200);
    expectError(await requestRotation(server, id, { graceSeconds: -1 }), 40001);
    await revokeKey(server, id).expect(200);
    await revokeKey(server, id).expect(200);
    await endGracePeriod(server, id).expect(200);
    expectError(await requestRotation(server, id), 40903);
    expect(await actionsOf(id)).toEqual(['createApiKey', 'revokeApiKey']);
  });
});

describe('a key change whose audit event cannot be written', () => {
  /** Makes the database reject every event of this organization. */
  const rejectAuditEvents = async () => {
    const validator = { organizationId: { $ne: new ObjectId(organization.id) } };
    await (await server.database()).command({ collMod: 'auditEvents', validator });
  };

  afterEach(async () => {
    await (await server.database()).command({ collMod: 'auditEvents', validator: {} });
  });

  it('is rolled back: no key is created, rotated or revoked, and no grace period ends', async () => {
    const { id, apiKey } = organization.key;
    const keys = (await server.database()).collection('apiKeys');
    const other = await createKey(server, organization.id);
    await rotateKey(server, other.id, { graceSeconds: 3_600 });
    const before = await keys.find({ organizationId: new ObjectId(organization.id) }).toArray();
    await rejectAuditEvents();

    const created = { name: 'A', organizationId: organization.id };
    expectError(await server.asSuperAdmin('post', '/api-keys').send(created), 50000);
    expectError(await requestRotation(server, id), 50000);
    expectError(await revokeKey(server, id), 50000);
    expectError(await endGracePeriod(server, other.id), 50000);

    const after = await keys.find({ organizationId: new ObjectId(organization.id) }).toArray();
    expect(after).toEqual(before);
    expect(await isKeyAccepted(organization, apiKey)).toBe(true);
  });
});
